import type { AnswerColumn } from '../../domain/engine.ts';
import { splitModelName } from '../../domain/model-name.ts';
import { relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import type { LocatedText } from '../../foundation/yaml/located.ts';
import type { CheckContext, CheckedTable, Measure, Scan } from './check-plan.ts';
import { columnNamed } from './column-family.ts';
import { conditionSql } from './condition-sql.ts';
import { countWhere, NotExpressible } from './spelled.ts';
import type { ValueSql } from './validity.ts';

/** The rows of a table that a rule looks at, and its columns as SQL. */
export interface CheckedRows {
  readonly table: CheckedTable;
  readonly dialect: Dialect;
  readonly scan: Scan;
  /** Of a rule "group by": scans keep these columns. */
  readonly groups?: readonly AnswerColumn[];
}

/** Throws `NotExpressible` when a filter cannot be read or said in the engine's dialect. */
export async function rowsOf(
  table: CheckedTable,
  filters: readonly LocatedText[],
  context: Pick<CheckContext, 'dialect' | 'now'>,
): Promise<CheckedRows> {
  const { dialect } = context;
  const conditions = await Promise.all(filters.map(({ value }) => conditionSql(value, table, context)));
  // Conditions may name the columns with their table.
  const alias = quoteName(splitModelName(table.name).table, dialect);
  return {
    table,
    dialect,
    scan: {
      from: `${relationSql(table.relation, dialect)} AS ${alias}`,
      where: conditions.length === 0 ? undefined : conditions.join(' AND '),
    },
  };
}

/** A column as the table has it. Throws `NotExpressible` when it has none of that name. */
export function columnOf({ table }: CheckedRows, name: string): AnswerColumn {
  const column = columnNamed(table, name);
  if (column === undefined) throw new NotExpressible(`${table.name} has no column ${name}`);
  return column;
}

export function columnValue(rows: CheckedRows, column: AnswerColumn): ValueSql {
  return { sql: quoteName(column.name, rows.dialect), column, dialect: rows.dialect };
}

/** `SELECT … FROM … WHERE …` over the rows. */
export function selectFrom(what: string, { from, where }: Scan, more: readonly string[] = []): string {
  const conditions = [...(where === undefined ? [] : [where]), ...more];
  return `SELECT ${what} FROM ${from}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
}

/** How many rows there are. */
export function rowCount({ scan }: CheckedRows): Measure {
  return { scan, sql: 'COUNT(*)', column: '' };
}

/** How many rows fulfil a condition that is never NULL. */
export function rowsWhere({ scan, dialect }: CheckedRows, condition: string, column: string): Measure {
  return { scan, sql: countWhere(condition, dialect), column };
}

/** Columns of counted values: `SELECT column AS value, COUNT(*) AS rows … GROUP BY column`. */
export const COUNTED = { value: 'checked_value', rows: 'checked_rows' } as const;

/** How often each value of the columns occurs, those with a NULL left out when `isKey`. */
export function countedValues(
  { scan, dialect, groups = [] }: CheckedRows,
  columns: readonly AnswerColumn[],
  { isKey }: { readonly isKey: boolean },
): Scan {
  const quoted = columns.map(({ name }) => quoteName(name, dialect));
  const kept = groups.map(({ name }) => quoteName(name, dialect));
  const first = columns.length === 1 ? `${quoted[0]} AS ${quoteName(COUNTED.value, dialect)}, ` : '';
  const counted = selectFrom(
    `${kept.map((name) => `${name}, `).join('')}${first}COUNT(*) AS ${quoteName(COUNTED.rows, dialect)}`,
    scan,
    isKey ? quoted.map((name) => `${name} IS NOT NULL`) : [],
  );
  return {
    from: `(${counted} GROUP BY ${[...new Set([...kept, ...quoted])].join(', ')}) AS counted`,
    where: undefined,
  };
}

/*
 * Two tables side by side. Columns are compared by name and type, rows by a key:
 *
 *   source ── FULL OUTER JOIN on the key ── target ──▶ in both and equal │ in both and different │ only in one
 *
 * Everything is counted in one query; samples are read only of what there is any of.
 */
import type { Answer, AnswerColumn, EngineReader } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import { type Relation, relationSql, relationText } from '../../domain/relation.ts';
import { quoteName } from '../../foundation/sql/quote.ts';

export interface TableDiffRequest {
  readonly source: Relation;
  readonly target: Relation;
  /** Columns that identify a row. */
  readonly key: readonly string[];
  /** Only rows for which this holds. */
  readonly where?: string;
  readonly samplesMax: number;
  /** Columns that are not compared. */
  readonly skipped?: readonly string[];
  /** Fractions are rounded to so many places before they are compared; exact when absent. */
  readonly decimals?: number;
}

/** How two tables differ. A key that is not unique on a side is counted there, because its rows cannot be paired. */
export interface TableDiff {
  readonly columns: {
    readonly added: readonly AnswerColumn[];
    readonly removed: readonly AnswerColumn[];
    readonly retyped: readonly { readonly name: string; readonly source: string; readonly target: string }[];
  };
  readonly rows: Readonly<
    Record<
      'source' | 'target' | 'equal' | 'different' | 'onlySource' | 'onlyTarget' | 'duplicateKeys',
      number
    >
  >;
  /** Rows that differ, by column; only columns of both sides. */
  readonly differing: readonly { readonly column: string; readonly rows: number }[];
  readonly samples: {
    readonly different?: Answer;
    readonly onlySource?: Answer;
    readonly onlyTarget?: Answer;
  };
}

export async function tableDiff(engine: EngineReader, request: TableDiffRequest): Promise<TableDiff> {
  const { source, target, key, where, samplesMax, decimals } = request;
  const [before, after] = withoutColumns(await columnsOfBoth(engine, source, target), request);
  const both = before.filter(({ name }) => find(after, name) !== undefined).map(({ name }) => name);
  const keys = key.map((column) => find(before, column)?.name ?? column);
  const strange = keys.find((column) => !both.includes(column));
  if (strange !== undefined) throw failure('query.unknown-column', { column: strange });
  const values = both.filter((name) => !keys.includes(name));
  const quote = (name: string): string => quoteName(name, engine.dialect);
  const side = (relation: Relation): string =>
    `(SELECT ${both.map(quote).join(', ')}, 1 AS __here FROM ${relationSql(relation, engine.dialect)}${where === undefined ? '' : ` WHERE ${where}`})`;
  const compared = (side: 's' | 't', name: string): string =>
    decimals !== undefined && isFraction(find(before, name), find(after, name))
      ? `ROUND(${side}.${quote(name)}, ${decimals})`
      : `${side}.${quote(name)}`;
  const differs = (name: string): string => `${compared('s', name)} IS DISTINCT FROM ${compared('t', name)}`;
  const joined = `FROM ${side(source)} AS s FULL OUTER JOIN ${side(target)} AS t ON ${keys.map((name) => `s.${quote(name)} IS NOT DISTINCT FROM t.${quote(name)}`).join(' AND ')}`;
  const isPaired = 's.__here IS NOT NULL AND t.__here IS NOT NULL';
  const isDifferent = `${isPaired} AND (${values.length === 0 ? 'FALSE' : values.map(differs).join(' OR ')})`;
  const distinct = `SELECT COUNT(*) FROM (SELECT 1 FROM ${side(source)} AS s GROUP BY ${keys.map(quote).join(', ')} HAVING COUNT(*) > 1)`;
  const counts = await engine.query(
    `SELECT (SELECT COUNT(*) FROM ${side(source)} AS a), (SELECT COUNT(*) FROM ${side(target)} AS b), COUNT(*) FILTER (WHERE ${isPaired}), COUNT(*) FILTER (WHERE ${isDifferent}), COUNT(*) FILTER (WHERE t.__here IS NULL), COUNT(*) FILTER (WHERE s.__here IS NULL), (${distinct}) + (${distinct.replace(side(source), side(target))})${values.map((name) => `, COUNT(*) FILTER (WHERE ${isPaired} AND ${differs(name)})`).join('')} ${joined}`,
  );
  const numbers = (counts.rows[0] ?? []).map(Number);
  const [
    sourceRows = 0,
    targetRows = 0,
    paired = 0,
    different = 0,
    onlySource = 0,
    onlyTarget = 0,
    duplicateKeys = 0,
  ] = numbers;
  const perColumn = values
    .map((column, i) => ({ column, rows: numbers[7 + i] ?? 0 }))
    .filter(({ rows }) => rows > 0);
  const order = `ORDER BY ${keys.map((_, i) => i + 1).join(', ')} LIMIT ${samplesMax}`;
  const sample = (columns: string, condition: string): Promise<Answer> =>
    engine.query(`SELECT ${columns} ${joined} WHERE ${condition} ${order}`);
  const changed = perColumn.flatMap(({ column }) => [
    `s.${quote(column)} AS ${quote(`${column} (source)`)}`,
    `t.${quote(column)} AS ${quote(`${column} (target)`)}`,
  ]);
  const of = (letter: string, names: readonly string[]): string[] =>
    names.map((name) => `${letter}.${quote(name)}`);
  return {
    columns: columnDiff(before, after),
    rows: {
      source: sourceRows,
      target: targetRows,
      equal: paired - different,
      different,
      onlySource,
      onlyTarget,
      duplicateKeys,
    },
    differing: perColumn,
    samples: {
      ...(different === 0
        ? {}
        : { different: await sample([...of('s', keys), ...changed].join(', '), isDifferent) }),
      ...(onlySource === 0
        ? {}
        : { onlySource: await sample(of('s', [...keys, ...values]).join(', '), 't.__here IS NULL') }),
      ...(onlyTarget === 0
        ? {}
        : { onlyTarget: await sample(of('t', [...keys, ...values]).join(', '), 's.__here IS NULL') }),
    },
  };
}

async function columnsOfBoth(engine: EngineReader, source: Relation, target: Relation): Promise<BothColumns> {
  const found = await engine.columnsOf([source, target]);
  const of = (relation: Relation): readonly AnswerColumn[] => {
    const columns = found.get(relationText(relation));
    if (columns === undefined || columns.length === 0)
      throw failure('query.unknown-table', { name: relationText(relation) });
    return columns;
  };
  return [of(source), of(target)];
}

type BothColumns = readonly [readonly AnswerColumn[], readonly AnswerColumn[]];

/** A column to skip that neither side has is a misspelt one; without those of the key rows cannot be paired. */
function withoutColumns(
  [before, after]: BothColumns,
  { skipped = [], key }: Pick<TableDiffRequest, 'skipped' | 'key'>,
): BothColumns {
  const isKey = (name: string): boolean => key.some((each) => each.toLowerCase() === name.toLowerCase());
  for (const column of skipped)
    if (isKey(column) || (find(before, column) ?? find(after, column)) === undefined)
      throw failure('query.unknown-column', { column });
  const left = new Set(skipped.map((column) => column.toLowerCase()));
  const rest = (columns: readonly AnswerColumn[]): readonly AnswerColumn[] =>
    columns.filter(({ name }) => !left.has(name.toLowerCase()));
  return [rest(before), rest(after)];
}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER|DECIMAL|NUMERIC|FLOAT|REAL|DOUBLE)/i;
const FRACTION = /^(?:DECIMAL|NUMERIC|FLOAT|REAL|DOUBLE)/i;

/** Numbers of which one side has places behind the point. */
function isFraction(...sides: readonly (AnswerColumn | undefined)[]): boolean {
  const types = sides.map((column) => column?.type ?? '');
  return (
    types.every((type) => NUMBER.test(type) && !type.endsWith(']')) &&
    types.some((type) => FRACTION.test(type))
  );
}

const find = (columns: readonly AnswerColumn[], wanted: string): AnswerColumn | undefined =>
  columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());

function columnDiff(before: readonly AnswerColumn[], after: readonly AnswerColumn[]): TableDiff['columns'] {
  return {
    added: after.filter(({ name }) => find(before, name) === undefined),
    removed: before.filter(({ name }) => find(after, name) === undefined),
    retyped: before.flatMap(({ name, type }) => {
      const other = find(after, name);
      return other === undefined || other.type === type ? [] : [{ name, source: type, target: other.type }];
    }),
  };
}

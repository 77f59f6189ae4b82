import type { ColumnChange, LedgerRow, Merge, TableColumn, TableLayout } from '../../../domain/engine.ts';
import { type Relation, relationSql, type TableId } from '../../../domain/relation.ts';
import { quoteName, quoteText } from '../../../foundation/sql/quote.ts';
import { isWholeType } from '../../../foundation/sql/types/type-names.ts';
import { unreachable } from '../../../foundation/unreachable.ts';

/** The SQL of the write session, as texts: nothing here talks to DuckDB. */

export function nameSql(name: string): string {
  return quoteName(name, 'duckdb');
}

export function textSql(text: string): string {
  return quoteText(text, 'duckdb');
}

/** Relations without a catalog are the warehouse's own, which every connection uses. */
export function tableSql(relation: Relation): string {
  return relationSql(relation, 'duckdb');
}

/** A type that is not known must have been asked for before: UNKNOWN means nothing to DuckDB. */
function typeSql(type: string): string {
  if (!isWholeType(type)) throw new Error(`the type ${type} is not known, and cannot be sent`);
  return type;
}

/** A user's text in parentheses: its last line may be a comment, its end a semicolon. */
export function subquerySql(query: string): string {
  return `(\n${query.trim().replace(/;\s*$/, '')}\n)`;
}

function listSql(names: readonly string[]): string {
  return names.map(nameSql).join(', ');
}

export function createSchemaSql({
  catalog,
  schema,
}: {
  readonly catalog?: string;
  readonly schema: string;
}): string {
  return `CREATE SCHEMA IF NOT EXISTS ${(catalog === undefined ? [schema] : [catalog, schema]).map(nameSql).join('.')}`;
}

/** Refused by DuckDB when the schema holds anything. */
export function dropSchemaSql({
  catalog,
  schema,
}: {
  readonly catalog?: string;
  readonly schema: string;
}): string {
  return `DROP SCHEMA IF EXISTS ${(catalog === undefined ? [schema] : [catalog, schema]).map(nameSql).join('.')}`;
}

export function replaceTableSql(table: Relation, query: string): string {
  return `CREATE OR REPLACE TABLE ${tableSql(table)} AS ${subquerySql(query)}`;
}

export function createTableSql(table: Relation, columns: readonly TableColumn[]): string {
  const texts = columns.map(({ name, type }) => `${nameSql(name)} ${typeSql(type)}`);
  return `CREATE TABLE IF NOT EXISTS ${tableSql(table)} (${texts.join(', ')})`;
}

/** Comments of a table and its columns, as statements. DuckDB allows them in the transaction that writes the rows. */
export function commentSql(
  object: 'TABLE' | 'VIEW',
  relation: Relation,
  comments: {
    readonly own?: string | undefined;
    readonly columns?: Readonly<Record<string, string>> | undefined;
  },
): readonly string[] {
  const target = tableSql(relation);
  return [
    ...(comments.own === undefined ? [] : [`COMMENT ON ${object} ${target} IS ${textSql(comments.own)}`]),
    ...Object.entries(comments.columns ?? {}).map(
      ([column, comment]) => `COMMENT ON COLUMN ${target}.${nameSql(column)} IS ${textSql(comment)}`,
    ),
  ];
}

export function tableComments(
  columns: readonly TableColumn[],
  layout: TableLayout | undefined,
): {
  readonly own?: string;
  readonly columns: Readonly<Record<string, string>>;
} {
  const described = columns.flatMap(({ name, comment }) => (comment === undefined ? [] : [[name, comment]]));
  return {
    ...(layout?.comment === undefined ? {} : { own: layout.comment }),
    columns: Object.fromEntries(described) as Record<string, string>,
  };
}

export function insertSql(table: Relation, columns: readonly string[], query: string): string {
  const list = listSql(columns);
  return `INSERT INTO ${tableSql(table)} (${list}) SELECT ${list} FROM ${subquerySql(query)} AS "source"`;
}

export function removeSql(table: Relation, condition: string | undefined): string {
  return `DELETE FROM ${tableSql(table)}${condition === undefined ? '' : ` WHERE (\n${condition}\n)`}`;
}

/**
 * Keys that are plain columns are compared side by side. Other keys are computed from the source first, which then stands as one
 * struct named `source`, so that a key's bare column names can only mean the target's.
 */
export function mergeSql(table: Relation, merge: Merge): string {
  const columns = merge.columns;
  const plain = merge.key.map((key) => plainColumn(key, columns));
  const filter = merge.filter === undefined ? '' : ` AND (\n${merge.filter}\n)`;
  const head = `MERGE INTO ${tableSql(table)} AS "target" USING`;
  const clauses = whenClauses(merge);
  if (plain.every((column) => column !== undefined)) {
    const on = plain
      .map((column) => `"target".${nameSql(column)} IS NOT DISTINCT FROM "source".${nameSql(column)}`)
      .join(' AND ');
    return `${head} ${subquerySql(merge.source)} AS "source" ON (${on}${filter}) ${clauses}`;
  }
  const keys = merge.key.map((key, index) => `(\n${key}\n) AS "plinth__key_${index}"`);
  const on = merge.key.map((key, index) => `(\n${key}\n) IS NOT DISTINCT FROM "plinth__key_${index}"`);
  const source = `(SELECT "plinth__row" AS "source", ${keys.join(', ')} FROM ${subquerySql(merge.source)} AS "plinth__row")`;
  return `${head} ${source} AS "plinth__source" ON (${on.join(' AND ')}${filter}) ${clauses}`;
}

function whenClauses({ columns, key, whenMatched, kept }: Merge): string {
  const values = columns.map((column) => `"source".${nameSql(column)}`);
  const insert = `WHEN NOT MATCHED THEN INSERT (${listSql(columns)}) VALUES (${values.join(', ')})`;
  if (whenMatched === undefined) {
    const updates = columns.map((column) => `${nameSql(column)} = "source".${nameSql(column)}`);
    return `WHEN MATCHED THEN UPDATE SET ${updates.join(', ')} ${insert}`;
  }
  // The first clause that fits counts.
  const isKept = kept !== undefined && /\bBY\s+SOURCE\b/i.test(whenMatched);
  const guard = isKept ? `WHEN NOT MATCHED BY SOURCE AND ${hasKeyIn(key, kept)} THEN DO NOTHING ` : '';
  const clauses = `${guard}${unqualifyUpdates(whenMatched)}`;
  return /\bWHEN\s+NOT\s+MATCHED\b(?!\s+BY\s+SOURCE)/i.test(whenMatched) ? clauses : `${clauses} ${insert}`;
}

/** Whether the target's row has the key of some row of a query. */
function hasKeyIn(key: readonly string[], query: string): string {
  const keys = key.map((expression, index) => `(\n${expression}\n) AS "plinth__key_${index}"`);
  const same = key.map(
    (expression, index) => `"plinth__kept"."plinth__key_${index}" IS NOT DISTINCT FROM (\n${expression}\n)`,
  );
  return `EXISTS (SELECT 1 FROM (SELECT ${keys.join(', ')} FROM ${subquerySql(query)} AS "plinth__rows") AS "plinth__kept" WHERE ${same.join(' AND ')})`;
}

/** DuckDB knows no `SET target.a = …`, which is how other engines have it written. */
function unqualifyUpdates(text: string): string {
  return text.replace(/(\bSET\s+|,\s*)(?:"target"|target)\s*\.\s*(?=(?:"[^"]+"|\w+)\s*=[^=])/gi, '$1');
}

function plainColumn(key: string, columns: readonly string[]): string | undefined {
  const text = key.trim();
  const name = /^"(?:[^"]|"")+"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
  return columns.find((column) => column.toLowerCase() === name.toLowerCase());
}

export function replaceViewSql(view: Relation, query: string): string {
  return `CREATE OR REPLACE VIEW ${tableSql(view)} AS ${query.trim().replace(/;\s*$/, '')}\n`;
}

export function alterSql(table: Relation, changes: readonly ColumnChange[]): readonly string[] {
  const target = tableSql(table);
  return changes.flatMap((change) => {
    switch (change.kind) {
      case 'add':
        return [
          `ALTER TABLE ${target} ADD COLUMN ${nameSql(change.column.name)} ${typeSql(change.column.type)}`,
          ...commentSql('TABLE', table, tableComments([change.column], undefined)),
        ];
      case 'widen':
        return [
          `ALTER TABLE ${target} ALTER COLUMN ${nameSql(change.column)} SET DATA TYPE ${typeSql(change.type)}`,
        ];
      case 'drop':
        return [`ALTER TABLE ${target} DROP COLUMN ${nameSql(change.column)}`];
      default:
        return unreachable(change);
    }
  });
}

export function dropSql({
  relation,
  object,
}: {
  readonly relation: Relation;
  readonly object: 'table' | 'view';
}): string {
  return `DROP ${object === 'table' ? 'TABLE' : 'VIEW'} IF EXISTS ${tableSql(relation)}`;
}

/** Instants are stored as TIMESTAMP, exact to the millisecond, far beyond the year 9999. */
export function timeSql(ms: number): string {
  return `make_timestamp_ms(${Math.trunc(ms)})`;
}

export function ledgerInsertSql(ledger: string, rows: readonly LedgerRow[]): string {
  const values = rows.map(({ table, range, runId, token, dataVersion }) =>
    [
      textSql(table.model),
      textSql(table.version),
      timeSql(range.start),
      timeSql(range.end),
      textSql(runId),
      String(Math.trunc(token)),
      String(BigInt(dataVersion)),
    ].join(', '),
  );
  return `INSERT INTO ${ledger} VALUES ${values.map((row) => `(${row})`).join(', ')}`;
}

/** The tables as rows of two texts, for joins. */
export function tableIdsSql(tables: readonly TableId[]): string {
  return tables.map(({ model, version }) => `(${textSql(model)}, ${textSql(version)})`).join(', ');
}

/*
 * The ledger: the truth about what was written, in the main schema of each catalog, beside the tables it speaks of.
 *
 *   plinth__ledger      one row per write and range, appended in the transaction that wrote the rows; no key, so writers never meet
 *   plinth__promotions  the promotion whose views an environment shows
 *   plinth__records     what that promotion shows and what it was made of, compressed: enough to build a lost state again
 *   plinth__views       one row per change of what an environment shows, appended in the transaction that changed its views
 *   plinth__identity    the id that this warehouse shares with its state
 */
import { zstdDecompressSync } from 'node:zlib';
import type { Answer, LedgerSummary, RecordedPromotion } from '../../../domain/engine.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { TimeRange } from '../../../foundation/time/ranges.ts';
import { WAREHOUSE } from './duckdb-config.ts';
import { nameSql, textSql } from './duckdb-dialect.ts';

export const LEDGER = 'plinth__ledger';
export const PROMOTIONS = 'plinth__promotions';
export const RECORDS = 'plinth__records';
export const VIEWS = 'plinth__views';
export const IDENTITY = 'plinth__identity';

/** A bookkeeping table in a catalog, as SQL names it. */
export function bookSql(catalog: string, table: string): string {
  return `${nameSql(catalog)}.main.${table}`;
}

/** Creates a catalog's bookkeeping where it is missing; runs alone, before the transactions that use it. */
export function createBooksSql(catalog: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${bookSql(catalog, LEDGER)} (model VARCHAR, version VARCHAR, interval_start TIMESTAMP, interval_end TIMESTAMP, run_id VARCHAR, token BIGINT, data_version BIGINT)`,
    `CREATE TABLE IF NOT EXISTS ${bookSql(catalog, PROMOTIONS)} (environment VARCHAR, promotion_id VARCHAR)`,
    `CREATE TABLE IF NOT EXISTS ${bookSql(catalog, RECORDS)} (environment VARCHAR, promotion_id VARCHAR, record BLOB)`,
    `CREATE TABLE IF NOT EXISTS ${bookSql(catalog, VIEWS)} (model VARCHAR, version VARCHAR, data_version BIGINT)`,
    `CREATE TABLE IF NOT EXISTS ${bookSql(catalog, IDENTITY)} (id VARCHAR)`,
  ];
}

/** Catalogs that have a table of this name in their main schema. */
export function catalogsWithSql(table: string): string {
  return `SELECT database_name FROM duckdb_tables() WHERE schema_name = 'main' AND table_name = ${textSql(table)} ORDER BY 1`;
}

/** What promotions recorded, beside their ids; `hasRecords` is false for a warehouse older than such records. */
export function promotionsSql(hasRecords: boolean): string {
  const [promotions, records] = [bookSql(WAREHOUSE, PROMOTIONS), bookSql(WAREHOUSE, RECORDS)];
  return hasRecords
    ? `SELECT p.environment, p.promotion_id, to_base64(r.record) FROM ${promotions} AS p LEFT JOIN ${records} AS r ON r.environment = p.environment AND r.promotion_id = p.promotion_id ORDER BY 1`
    : `SELECT environment, promotion_id, NULL FROM ${promotions} ORDER BY 1`;
}

/** Puts the answer together. */
export function promotionsOf({ rows }: Answer): readonly RecordedPromotion[] {
  return rows.map(([environment, promotionId, record]) => ({
    environment: String(environment),
    promotionId: String(promotionId),
    ...(typeof record === 'string'
      ? { record: zstdDecompressSync(Buffer.from(record, 'base64')).toString('utf8') }
      : {}),
  }));
}

/** One text for the data versions of tables, each with its name; `catalogs` are those of the tables. */
export function versionTextSql(catalogs: readonly string[], tables: readonly TableId[]): string {
  const wanted = tables.map(
    ({ model, version }) => `(model = ${textSql(model)} AND version = ${textSql(version)})`,
  );
  return `(SELECT string_agg(entry, ' ' ORDER BY entry) FROM (SELECT model || '@' || version || ':' || count(*) || ':' || bit_xor(data_version) AS entry FROM ${allRows(catalogs)} AS ledger WHERE ${wanted.join(' OR ')} GROUP BY model, version) AS entries)`;
}

export interface LedgerRequest {
  readonly tables?: readonly TableId[];
  readonly since?: ReadonlyMap<string, number>;
  readonly known?: ReadonlyMap<string, string>;
}

/** One row per table: model, version, data version. A scan of three million rows takes a tenth of a second. */
export function dataVersionsSql(catalogs: readonly string[]): string {
  return `SELECT model, version, count(*) || ':' || bit_xor(data_version) FROM ${allRows(catalogs)} GROUP BY model, version`;
}

/**
 * What the ledger has of these tables: their data versions, and their ranges with touching ones merged (a row begins an island when it
 * starts after everything before it has ended). `sinces` has a token per table; the second set of islands counts only rows with a
 * greater one. Rows of the answer: index of the table, which of the three, start, end, data version.
 */
export function summariesSql(
  catalogs: readonly string[],
  tables: readonly TableId[],
  sinces: readonly (number | undefined)[],
): string {
  const wanted = tables
    .map(
      ({ model, version }, index) =>
        `(${index}, ${textSql(model)}, ${textSql(version)}, ${sinces[index] === undefined ? 'NULL::BIGINT' : Math.trunc(sinces[index])})`,
    )
    .join(', ');
  // One sort per set: where a row starts after the greatest end before it, an island begins, and that end is the end of the one before.
  const islands = (which: string, rows: string): string =>
    `SELECT id, '${which}', s, coalesce(lead(before) OVER (PARTITION BY id ORDER BY s), last), NULL FROM (SELECT id, s, max(e) OVER (PARTITION BY id ORDER BY s, e ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM ${rows}) JOIN (SELECT id, max(e) AS last FROM ${rows} GROUP BY id) USING (id) WHERE before IS NULL OR s > before`;
  return [
    `WITH wanted(id, model, version, after) AS (VALUES ${wanted}),`,
    `rows AS MATERIALIZED (SELECT id, token > after AS is_since, epoch_ms(interval_start) AS s, epoch_ms(interval_end) AS e, data_version FROM ${allRows(catalogs)} JOIN wanted USING (model, version))`,
    "SELECT id, 'version', NULL, NULL, count(*) || ':' || bit_xor(data_version) FROM rows GROUP BY id",
    'UNION ALL',
    islands('filled', '(SELECT id, s, e FROM rows WHERE s < e)'),
    ...(sinces.every((since) => since === undefined)
      ? []
      : ['UNION ALL', islands('since', '(SELECT id, s, e FROM rows WHERE s < e AND is_since)')]),
    'ORDER BY 1, 2, 3',
  ].join('\n');
}

/** Puts the answer together; tables without rows are left out. */
export function summariesOf(tables: readonly TableId[], { rows }: Answer): readonly LedgerSummary[] {
  const found = tables.map((table) => ({
    table,
    filled: [] as TimeRange[],
    filledSince: [] as TimeRange[],
    dataVersion: '',
  }));
  for (const [id, which, start, end, dataVersion] of rows) {
    const summary = found[Number(id)];
    if (summary === undefined) continue;
    if (which === 'version') summary.dataVersion = String(dataVersion);
    else
      (which === 'filled' ? summary.filled : summary.filledSince).push({
        start: Number(start),
        end: Number(end),
      });
  }
  return found.filter(({ dataVersion }) => dataVersion !== '');
}

/** Greatest token and data version per table, and the data versions of views; of the catalogs that have each book. */
export function booksSql(ledgers: readonly string[], views: readonly string[]): string {
  const rows = [
    ...ledgers.map(
      (catalog) => `SELECT model, version, token, data_version FROM ${bookSql(catalog, LEDGER)}`,
    ),
    ...views.map((catalog) => `SELECT model, version, 0, data_version FROM ${bookSql(catalog, VIEWS)}`),
  ];
  return `SELECT model, version, max(token), count(*), bit_xor(data_version) FROM (${rows.join(' UNION ALL ')}) GROUP BY model, version`;
}

/** What a ledger says of each table, by `tableKey`. */
export function booksOf(rows: readonly (readonly unknown[])[]): {
  readonly tokens: ReadonlyMap<string, number>;
  readonly versions: ReadonlyMap<string, { readonly count: number; readonly xor: bigint }>;
} {
  const tokens = new Map<string, number>();
  const versions = new Map<string, { count: number; xor: bigint }>();
  for (const [model, version, token, count, xor] of rows) {
    const key = tableKey({ model: String(model), version: String(version) });
    tokens.set(key, Number(token));
    versions.set(key, { count: Number(count), xor: BigInt(String(xor)) });
  }
  return { tokens, versions };
}

function allRows(catalogs: readonly string[]): string {
  const parts = catalogs.map((catalog) => `SELECT * FROM ${bookSql(catalog, LEDGER)}`);
  return `(${parts.join(' UNION ALL ')})`;
}

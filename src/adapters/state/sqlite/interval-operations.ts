/*
 * What is filled, as copied from the ledger: one row per table with its ranges and its data version. What waits to be
 * filled again is one row per table, too: a second restatement joins the first under the later token, which can only
 * mean that something is filled once more than needed.
 */
import type { LedgerRow, LedgerSummary } from '../../../domain/engine.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { Restatement } from '../../../domain/state-store.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../../foundation/time/ranges.ts';
import type { Row, StateDatabase } from './database.ts';
import { lastToken, tableLease } from './lease-operations.ts';
import { parseRanges, storedRanges } from './stored-ranges.ts';

/** Ledger rows remembered per table, so that one that is told twice counts once; tellings of one row lie close together. */
const RECENT_MAX = 64;
const NO_DATA = '0:0';

/** JSON of flat range lists by table key, less what waits to be restated. */
export function readIntervals(database: StateDatabase, keys: readonly string[] | undefined): string {
  const rows =
    keys === undefined
      ? database.all('SELECT key, filled FROM intervals')
      : database.all(
          'SELECT key, filled FROM intervals WHERE key IN (SELECT value FROM json_each(?))',
          JSON.stringify(keys),
        );
  const waiting = new Map(readRestatements(database).map((entry) => [tableKey(entry.table), entry.ranges]));
  const parts = rows.flatMap((row) => {
    const key = row['key'] as string;
    const pending = waiting.get(key);
    const filled = row['filled'] as string;
    const rest = pending === undefined ? filled : storedRanges(subtractRanges(parseRanges(filled), pending));
    return rest === '[]' ? [] : [`${JSON.stringify(key)}:${rest}`];
  });
  return `{${parts.join(',')}}`;
}

export function readDataVersions(
  database: StateDatabase,
  keys: readonly string[] | undefined,
): readonly (readonly [key: string, dataVersion: string])[] {
  const rows =
    keys === undefined
      ? database.all('SELECT key, data_version FROM intervals')
      : database.all(
          'SELECT key, data_version FROM intervals WHERE key IN (SELECT value FROM json_each(?))',
          JSON.stringify(keys),
        );
  return rows.map((row) => [row['key'] as string, row['data_version'] as string]);
}

export function readRestatements(database: StateDatabase): readonly Restatement[] {
  return database.all('SELECT * FROM restatements ORDER BY key').map((row) => ({
    table: tableOf(row),
    ranges: parseRanges(row['ranges'] as string),
    sinceToken: row['since_token'] as number,
    planId: row['plan_id'] as string,
  }));
}

/** Remembers that these ranges must be filled again by a later holder of the table's lease than the present one. */
export function addRestatement(
  database: StateDatabase,
  planId: string,
  { table, ranges }: { readonly table: TableId; readonly ranges: RangeSet },
): void {
  if (ranges.length === 0) return;
  const key = tableKey(table);
  const before = database.get('SELECT ranges FROM restatements WHERE key = ?', key);
  const all = before === undefined ? ranges : unionRanges(parseRanges(before['ranges'] as string), ranges);
  database.run(
    'INSERT OR REPLACE INTO restatements (key, model, version, ranges, since_token, plan_id) VALUES (?, ?, ?, ?, ?, ?)',
    key,
    table.model,
    table.version,
    storedRanges(all),
    lastToken(database, tableLease(key)),
    planId,
  );
}

/** Adds rows of the ledger to what is filled, each once. */
export function addLedgerRows(database: StateDatabase, rows: readonly LedgerRow[]): void {
  for (const [key, group] of Map.groupBy(rows, (row) => tableKey(row.table))) {
    const before = database.get('SELECT filled, data_version, recent FROM intervals WHERE key = ?', key);
    let filled = parseRanges((before?.['filled'] as string | undefined) ?? '[]');
    let recent = JSON.parse((before?.['recent'] as string | undefined) ?? '[]') as string[];
    let [count, xor] = versionParts((before?.['data_version'] as string | undefined) ?? NO_DATA);
    for (const row of group) {
      filled = unionRanges(filled, [row.range]);
      restated(database, key, [row.range], row.token);
      if (recent.includes(row.dataVersion)) continue;
      recent = [...recent, row.dataVersion].slice(-RECENT_MAX);
      count++;
      xor ^= BigInt(row.dataVersion);
    }
    const { table } = group[0]!;
    database.run(
      'INSERT OR REPLACE INTO intervals (key, model, version, filled, data_version, recent) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      table.model,
      table.version,
      storedRanges(filled),
      `${count}:${xor}`,
      JSON.stringify(recent),
    );
  }
}

/** Makes one table equal to what the ledger says of it; a table of which the ledger knows nothing goes. */
export function setFromLedger(database: StateDatabase, summary: LedgerSummary): void {
  const { table, filled, filledSince, dataVersion } = summary;
  const key = tableKey(table);
  if (filled.length === 0) database.run('DELETE FROM intervals WHERE key = ?', key);
  else {
    database.run(
      `INSERT INTO intervals (key, model, version, filled, data_version, recent) VALUES (?, ?, ?, ?, ?, '[]')
       ON CONFLICT (key) DO UPDATE SET filled = excluded.filled, data_version = excluded.data_version`,
      key,
      table.model,
      table.version,
      storedRanges(filled),
      dataVersion,
    );
  }
  restated(database, key, filledSince, Number.POSITIVE_INFINITY);
}

/** Takes what was filled under a later token off the restatement. */
function restated(database: StateDatabase, key: string, ranges: RangeSet, token: number): void {
  if (ranges.length === 0) return;
  const waiting = database.get('SELECT ranges, since_token FROM restatements WHERE key = ?', key);
  if (waiting === undefined || token <= (waiting['since_token'] as number)) return;
  const rest = subtractRanges(parseRanges(waiting['ranges'] as string), ranges);
  if (rest.length === 0) database.run('DELETE FROM restatements WHERE key = ?', key);
  else database.run('UPDATE restatements SET ranges = ? WHERE key = ?', storedRanges(rest), key);
}

function versionParts(dataVersion: string): [count: number, xor: bigint] {
  const [count = '0', xor = '0'] = dataVersion.split(':');
  return [Number(count), BigInt(xor)];
}

function tableOf(row: Row): TableId {
  return { model: row['model'] as string, version: row['version'] as string };
}

/*
 * What is filled, as copied from the ledger: one row per table with its ranges and its data version. What waits to be
 * filled again is one row per table, too: a second restatement joins the first under the later token, which can only
 * mean that something is filled once more than needed.
 */
import type { LedgerRow, LedgerSummary } from '../../../domain/engine.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { Restatement } from '../../../domain/state-store.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../../foundation/time/ranges.ts';
import { lastToken, tableLease } from './lease-operations.ts';
import { replaceRow } from './replace-row.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';
import { parseRanges, storedRanges } from './stored-ranges.ts';

/** Ledger rows remembered per table, so that one that is reported twice counts once; reports of one row lie close together. */
const RECENT_MAX = 64;
const NO_DATA = '0:0';
const RESTATEMENT = replaceRow(
  'restatements',
  ['key'],
  ['model', 'version', 'ranges', 'since_token', 'plan_id'],
);
const INTERVALS = replaceRow('intervals', ['key'], ['model', 'version', 'filled', 'data_version', 'recent']);

/** JSON of flat range lists by table key, less what waits to be restated. */
export function* readIntervals(state: StateSql, keys: readonly string[] | undefined): Steps<string> {
  const rows = yield* intervalRows(state, 'filled', keys);
  const waiting = new Map(
    (yield* readRestatements(state)).map((entry) => [tableKey(entry.table), entry.ranges]),
  );
  const parts = rows.flatMap((row) => {
    const key = row['key'] as string;
    const pending = waiting.get(key);
    const filled = row['filled'] as string;
    const rest = pending === undefined ? filled : storedRanges(subtractRanges(parseRanges(filled), pending));
    return rest === '[]' ? [] : [`${JSON.stringify(key)}:${rest}`];
  });
  return `{${parts.join(',')}}`;
}

export function* readDataVersions(
  state: StateSql,
  keys: readonly string[] | undefined,
): Steps<readonly (readonly [key: string, dataVersion: string])[]> {
  const rows = yield* intervalRows(state, 'data_version', keys);
  return rows.map((row) => [row['key'] as string, row['data_version'] as string]);
}

/** One column of the tables with these keys, or of all tables. */
function* intervalRows(
  state: StateSql,
  column: 'filled' | 'data_version',
  keys: readonly string[] | undefined,
): Steps<readonly Row[]> {
  const all = `SELECT key, ${column} FROM intervals`;
  return keys === undefined
    ? yield* state.rows(all)
    : yield* state.rows(`${all} WHERE key IN ${state.dialect.listed}`, JSON.stringify(keys));
}

export function* readRestatements(state: StateSql): Steps<readonly Restatement[]> {
  return (yield* state.rows('SELECT * FROM restatements ORDER BY key')).map((row) => ({
    table: tableOf(row),
    ranges: parseRanges(row['ranges'] as string),
    sinceToken: row['since_token'] as number,
    planId: row['plan_id'] as string,
  }));
}

/** Remembers that these ranges must be filled again by a later holder of the table's lease than the present one. */
export function* addRestatement(
  state: StateSql,
  /** Or the run, where no plan asked for it. */
  planId: string,
  { table, ranges }: { readonly table: TableId; readonly ranges: RangeSet },
): Steps<void> {
  if (ranges.length === 0) return;
  const key = tableKey(table);
  const before = yield* state.row('SELECT ranges FROM restatements WHERE key = ?', key);
  const all = before === undefined ? ranges : unionRanges(parseRanges(before['ranges'] as string), ranges);
  yield* state.run(
    RESTATEMENT,
    key,
    table.model,
    table.version,
    storedRanges(all),
    yield* lastToken(state, tableLease(key)),
    planId,
  );
}

/** Adds rows of the ledger to what is filled, each once. */
export function* addLedgerRows(state: StateSql, rows: readonly LedgerRow[]): Steps<void> {
  for (const [key, group] of Map.groupBy(rows, (row) => tableKey(row.table))) {
    const before = yield* state.row('SELECT filled, data_version, recent FROM intervals WHERE key = ?', key);
    let filled = parseRanges((before?.['filled'] as string | undefined) ?? '[]');
    let recent = JSON.parse((before?.['recent'] as string | undefined) ?? '[]') as string[];
    let [count, xor] = versionParts((before?.['data_version'] as string | undefined) ?? NO_DATA);
    for (const row of group) {
      // What was released from a quarantine changes the data and fills nothing.
      if (row.range.start < row.range.end) {
        filled = unionRanges(filled, [row.range]);
        yield* restated(state, key, [row.range], row.token);
      }
      if (recent.includes(row.dataVersion)) continue;
      recent = [...recent, row.dataVersion].slice(-RECENT_MAX);
      count++;
      xor ^= BigInt(row.dataVersion);
    }
    const { table } = group[0]!;
    yield* state.run(
      INTERVALS,
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
export function* setFromLedger(state: StateSql, summary: LedgerSummary): Steps<void> {
  const { table, filled, filledSince, dataVersion } = summary;
  const key = tableKey(table);
  if (filled.length === 0) yield* state.run('DELETE FROM intervals WHERE key = ?', key);
  else {
    yield* state.run(
      `INSERT INTO intervals (key, model, version, filled, data_version, recent) VALUES (?, ?, ?, ?, ?, '[]')
       ON CONFLICT (key) DO UPDATE SET filled = excluded.filled, data_version = excluded.data_version`,
      key,
      table.model,
      table.version,
      storedRanges(filled),
      dataVersion,
    );
  }
  yield* restated(state, key, filledSince, Number.POSITIVE_INFINITY);
}

/** Takes what was filled under a later token off the restatement. */
function* restated(state: StateSql, key: string, ranges: RangeSet, token: number): Steps<void> {
  if (ranges.length === 0) return;
  const waiting = yield* state.row('SELECT ranges, since_token FROM restatements WHERE key = ?', key);
  if (waiting === undefined || token <= (waiting['since_token'] as number)) return;
  const rest = subtractRanges(parseRanges(waiting['ranges'] as string), ranges);
  if (rest.length === 0) yield* state.run('DELETE FROM restatements WHERE key = ?', key);
  else yield* state.run('UPDATE restatements SET ranges = ? WHERE key = ?', storedRanges(rest), key);
}

function versionParts(dataVersion: string): [count: number, xor: bigint] {
  const [count = '0', xor = '0'] = dataVersion.split(':');
  return [Number(count), BigInt(xor)];
}

function tableOf(row: Row): TableId {
  return { model: row['model'] as string, version: row['version'] as string };
}

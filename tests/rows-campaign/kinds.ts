/**
 * What each kind does with the rows of a batch, from the table of kinds in the project format:
 *
 *   rows of the query ─▶ those that a quarantine holds back are left out ─▶ the table before becomes the table after
 */
import { type AuditUse, badRows, type Definition, isHistory, type Kind } from './definition.ts';
import { holds } from './query.ts';
import { type Cell, EPOCH, type Row, timeText } from './values.ts';

export interface Batch {
  /** The days it fills, both included. */
  readonly first: string;
  readonly last: string;
  /** Execution time in milliseconds. */
  readonly now: number;
  /** The table is made from the beginning. */
  readonly isAnew: boolean;
}

export type Written =
  | { readonly isRefused: false; readonly rows: readonly Row[]; readonly held: readonly Row[] }
  /** Two different rows of one key, or a key that is NULL. */
  | { readonly isRefused: true };

const REFUSED: Written = { isRefused: true };

/** The table after a batch; `source` are the rows that the query returns. */
export function write(
  definition: Definition,
  before: readonly Row[],
  source: readonly Row[],
  batch: Batch,
): Written {
  const { kind, audits } = definition;
  const inside = kind.kind === 'time-range' ? source.filter((row) => isOf(row['day'], batch)) : source;
  const held = inside.filter((row) => isHeld(audits, row));
  const given = held.length === 0 ? inside : inside.filter((row) => !isHeld(audits, row));
  const kept = batch.isAnew ? [] : before;
  const rows = isHistory(kind)
    ? historyAfter(kind, kept, { given, held, batch })
    : tableAfter(kind, kept, { given, held, batch });
  return rows === undefined ? REFUSED : { isRefused: false, rows, held };
}

const isOf = (day: Cell | undefined, { first, last }: Batch): boolean =>
  typeof day === 'string' && day >= first && day <= last;

/** Whether an audit with `on_failure quarantine` keeps a row away. */
function isHeld(audits: readonly AuditUse[], row: Row): boolean {
  return audits.some((audit) => audit.does === 'quarantine' && holds(row, badRows(audit)));
}

function tableAfter(
  kind: Kind,
  before: readonly Row[],
  {
    given,
    held,
    batch,
  }: { readonly given: readonly Row[]; readonly held: readonly Row[]; readonly batch: Batch },
): readonly Row[] | undefined {
  switch (kind.kind) {
    case 'time-range':
      return [...before.filter((row) => !isOf(row['day'], batch)), ...given];
    case 'partition': {
      // A partition is replaced by its rows that pass, also when none does.
      const touched = new Set([...given, ...held].map((row) => row[kind.by] ?? null));
      return [...before.filter((row) => !touched.has(row[kind.by] ?? null)), ...given];
    }
    case 'unmanaged':
      return [...before, ...given];
    case 'unique-key':
      return merged(before, given, kind.accumulates);
    default:
      return given;
  }
}

/** Equal rows of one key are one; of different ones none may win. */
function merged(
  before: readonly Row[],
  given: readonly Row[],
  accumulates: boolean,
): readonly Row[] | undefined {
  const distinct = [...new Map(given.map((row) => [JSON.stringify(row), row])).values()];
  const byKey = new Map(distinct.map((row) => [row['k'] ?? null, row]));
  if (byKey.size !== distinct.length) return undefined;
  const known = new Set(before.map((row) => row['k'] ?? null));
  const matched = before.map((row): Row => {
    const next = byKey.get(row['k'] ?? null);
    if (next === undefined) return row;
    return accumulates ? { ...row, ...next, v: sum(row['v'], next['v']) } : { ...row, ...next };
  });
  return [...matched, ...distinct.filter((row) => !known.has(row['k'] ?? null))];
}

const sum = (one: Cell | undefined, other: Cell | undefined): Cell =>
  typeof one === 'number' && typeof other === 'number' ? one + other : null;

type History = Extract<Kind, { readonly kind: 'scd-time' | 'scd-column' }>;

/**
 * Every version of a key with the time it was valid. A key whose row is held back is there: its versions stay as they are.
 * A version never ends before it begins.
 */
function historyAfter(
  kind: Kind,
  before: readonly Row[],
  {
    given,
    held,
    batch,
  }: { readonly given: readonly Row[]; readonly held: readonly Row[]; readonly batch: Batch },
): readonly Row[] | undefined {
  if (kind.kind !== 'scd-time' && kind.kind !== 'scd-column')
    throw new Error(`${kind.kind} keeps no history`);
  const all = [...given, ...held];
  if (all.some((row) => (row['k'] ?? null) === null)) return undefined;
  if (new Set(all.map((row) => row['k'])).size !== all.length) return undefined;
  const now = timeText(batch.now);
  const versions = before.map((row) => ({ ...row }));
  const opened: Row[] = [];
  for (const row of given) {
    const own = versions.filter(({ k }) => k === row['k']);
    const open = own.find((version) => (version['valid_to'] ?? null) === null);
    if (open === undefined) {
      const ended = own.map((version) => String(version['valid_to']));
      const from =
        ended.length === 0
          ? firstFrom(kind, row, { now, isAnew: batch.isAnew })
          : latest([...ended, changeTime(kind, row, now)]);
      opened.push({ ...row, valid_from: from, valid_to: null });
    } else if (isChanged(kind, open, row)) {
      const at = latest([changeTime(kind, row, now), String(open['valid_from'])]);
      open['valid_to'] = at;
      opened.push({ ...row, valid_from: at, valid_to: null });
    }
  }
  if (kind.invalidates) {
    const present = new Set(all.map((row) => row['k']));
    for (const version of versions)
      if ((version['valid_to'] ?? null) === null && !present.has(version['k']))
        version['valid_to'] = latest([now, String(version['valid_from'])]);
  }
  return [...versions, ...opened];
}

const latest = (texts: readonly string[]): string => texts.toSorted().at(-1) ?? EPOCH;

/** When a row changed, as far as it says so. */
function changeTime({ kind }: History, row: Row, now: string): string {
  return kind === 'scd-time' ? String(row['u'] ?? now) : now;
}

/** When a key that was never there begins. */
function firstFrom(
  kind: History,
  row: Row,
  { now, isAnew }: { readonly now: string; readonly isAnew: boolean },
): string {
  if (kind.kind === 'scd-time') return kind.startsAtChange ? changeTime(kind, row, now) : EPOCH;
  return isAnew && !kind.startsAtChange ? EPOCH : now;
}

function isChanged({ kind, watched }: History, open: Row, row: Row): boolean {
  if (kind === 'scd-time') {
    const [was, is] = [open['u'] ?? null, row['u'] ?? null];
    // A time where there was none is later than none; a row that says no time is compared by what else it says.
    if (is !== null) return was === null || is > was;
    return Object.keys(row).some((name) => name !== 'u' && (open[name] ?? null) !== (row[name] ?? null));
  }
  const names = watched === '*' ? Object.keys(row) : [watched];
  return names.some((name) => (open[name] ?? null) !== (row[name] ?? null));
}

/*
 * What `@start_ds`, `@end_ts`, … stand for. Intervals are half-open here; the classic `end_*` macros are inclusive,
 * one microsecond before the end, so that `BETWEEN @start_ts AND @end_ts` meets no row twice. `start_at` and
 * `end_before` are the half-open pair, which loses nothing whatever the precision of the column.
 *
 *   [2023-01-01, 2023-01-02)  →  end_ds '2023-01-01'   end_ts '2023-01-01 23:59:59.999999'   end_before … '2023-01-02 …'
 */
import { isoDate, sqlTimestamp, utcHour } from './iso.ts';
import type { TimeRange } from './ranges.ts';

const SUFFIXES = ['date', 'ds', 'dt', 'dtntz', 'ts', 'tstz', 'hour', 'epoch', 'millis'] as const;
const PREFIXES = ['start', 'end', 'execution', 'latest'] as const;

/** `latest_*` is the old name of `execution_*` that projects still carry. */
export type TimeMacroName =
  | `${(typeof PREFIXES)[number]}_${(typeof SUFFIXES)[number]}`
  | 'start_at'
  | 'end_before';

/** All names, for completion and for telling a time macro from a user's variable. */
export const TIME_MACRO_NAMES: readonly TimeMacroName[] = [
  ...PREFIXES.flatMap((prefix) => SUFFIXES.map((suffix) => `${prefix}_${suffix}` as const)),
  'start_at',
  'end_before',
];

const KNOWN: ReadonlySet<string> = new Set(TIME_MACRO_NAMES);

/** A value of a time macro; `text` is the bare content, so a printer of another dialect can spell the type its own way. */
export interface TimeMacroValue {
  readonly kind: 'date' | 'timestamp' | 'timestamptz' | 'text' | 'number';
  readonly text: string;
}

/** Names are compared without case, as macro names are everywhere. */
export function timeMacroName(name: string): TimeMacroName | undefined {
  const lower = name.toLowerCase();
  return KNOWN.has(lower) ? (lower as TimeMacroName) : undefined;
}

/** The value of one time macro; all times are epoch milliseconds and `range.end` is exclusive. */
export function timeMacroValue(name: TimeMacroName, range: TimeRange, executionTime: number): TimeMacroValue {
  if (name === 'start_at') return { kind: 'timestamp', text: sqlTimestamp(range.start) };
  if (name === 'end_before') return { kind: 'timestamp', text: sqlTimestamp(range.end) };
  const split = name.indexOf('_');
  const suffix = name.slice(split + 1) as (typeof SUFFIXES)[number];
  switch (name.slice(0, split)) {
    case 'start':
      return spell(suffix, range.start, 0);
    case 'end':
      return spell(suffix, range.end - 1, 999);
    default:
      return spell(suffix, executionTime, 0);
  }
}

/** The SQL text of a value: a literal, or a cast of one with type names that DuckDB and most dialects share. */
export function timeMacroSql(value: TimeMacroValue): string {
  switch (value.kind) {
    case 'text':
      return `'${value.text}'`;
    case 'number':
      return value.text;
    default:
      return `CAST('${value.text}' AS ${value.kind.toUpperCase()})`;
  }
}

function spell(suffix: (typeof SUFFIXES)[number], at: number, micros: number): TimeMacroValue {
  switch (suffix) {
    case 'date':
      return { kind: 'date', text: isoDate(at) };
    case 'ds':
      return { kind: 'text', text: isoDate(at) };
    case 'dt':
      return { kind: 'timestamptz', text: `${sqlTimestamp(at, micros)}+00:00` };
    case 'dtntz':
      return { kind: 'timestamp', text: sqlTimestamp(at, micros) };
    case 'ts':
      return { kind: 'text', text: sqlTimestamp(at, micros) };
    case 'tstz':
      return { kind: 'text', text: `${sqlTimestamp(at, micros)}+00:00` };
    case 'hour':
      return { kind: 'number', text: String(utcHour(at)) };
    case 'epoch':
      // A fractional literal even for whole seconds: its SQL type must not depend on the value.
      return { kind: 'number', text: at % 1000 === 0 ? `${at / 1000}.0` : String(at / 1000) };
    case 'millis':
      return { kind: 'number', text: String(at) };
  }
}

/*
 * Which rows belong to an interval, as a condition on the time column. Intervals are half-open instants of UTC:
 *
 *   DATE         the instant its day begins: day 10 belongs to [day 10, day 11) and to [day 10 00:00, day 10 01:00)
 *   TIMESTAMP    means UTC
 *   TIMESTAMPTZ  is an instant
 *   text, number read with the column's format; what does not fit the format has no time and belongs nowhere
 */
import type { TimeColumn } from '../../../domain/model-kind.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { quoteName, quoteText } from '../../../foundation/sql/quote.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { isoDate, sqlTimestamp } from '../../../foundation/time/iso.ts';

/** How a time column is to be read. */
export interface TimedColumn extends TimeColumn {
  /** The engine's or the canonical name of its type. */
  readonly type: string;
  /** For text columns that name no format of their own. */
  readonly defaultFormat: string;
}

type TimeType = 'date' | 'timestamp' | 'timestamptz' | 'text' | 'number';

/** True for the rows of the interval, and for no others; never NULL. Without a start: for all rows before its end. */
export function timeFilter(
  column: TimedColumn,
  { start, end }: { readonly start?: number; readonly end: number },
  dialect: Dialect,
): string {
  const name = quoteName(column.column, dialect);
  const between = (at: (time: number) => string): string =>
    `(${name} IS NOT NULL${start === undefined ? '' : ` AND ${name} >= ${at(start)}`} AND ${name} < ${at(end)})`;
  const type = timeType(column.type);
  switch (type) {
    case 'date':
      return between(dateSql);
    case 'timestamp':
      return between(timestampSql);
    case 'timestamptz':
      return between(instantSql);
    case 'text':
    case 'number':
      return formatted(column, type, { ...(start === undefined ? {} : { start }), end }, dialect);
  }
}

/** Undefined where a type holds no time at all. */
export function timeType(type: string): TimeType {
  const name = type.toUpperCase();
  if (name === 'DATE') return 'date';
  if (name === 'TIMESTAMPTZ' || (name.startsWith('TIMESTAMP') && name.includes('WITH TIME ZONE')))
    return 'timestamptz';
  if (name.startsWith('TIMESTAMP') || name.startsWith('DATETIME')) return 'timestamp';
  if (/^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL|U?BIGINT)\b/.test(name))
    return 'number';
  return 'text';
}

/** A day lies in the interval when its beginning does. */
const dateSql = (at: number): string => `CAST('${isoDate(Math.ceil(at / DAY_MS) * DAY_MS)}' AS DATE)`;
export const timestampSql = (at: number): string => `CAST('${sqlTimestamp(at)}' AS TIMESTAMP)`;
const instantSql = (at: number): string => `CAST('${sqlTimestamp(at)}+00:00' AS TIMESTAMPTZ)`;

function formatted(
  { column, format, defaultFormat }: TimedColumn,
  type: 'text' | 'number',
  { start, end }: { readonly start?: number; readonly end: number },
  dialect: Dialect,
): string {
  const name = quoteName(column, dialect);
  const between = (value: string, at: (time: number) => string): string =>
    `${start === undefined ? '' : `${value} >= ${at(start)} AND `}${value} < ${at(end)}`;
  if (format === '%s') {
    const seconds = type === 'number' ? name : `TRY_CAST(${name} AS DOUBLE)`;
    return `COALESCE(${between(seconds, (time) => String(time / 1000))}, FALSE)`;
  }
  const pattern = format ?? (type === 'number' ? '%Y%m%d' : defaultFormat);
  const text = type === 'number' ? `CAST(${name} AS VARCHAR)` : name;
  const time = `TRY_STRPTIME(${text}, ${quoteText(pattern, dialect)})`;
  const exact = `COALESCE(${between(time, timestampSql)}, FALSE)`;
  // These texts sort as their days do, so most of a table is left out without reading its texts as times.
  if (pattern !== '%Y-%m-%d' || type === 'number' || end >= YEAR_10000 || (start ?? 0) < 0) return exact;
  const day = (at: number): string => `'${isoDate(Math.ceil(at / DAY_MS) * DAY_MS)}'`;
  return `(${name} IS NOT NULL AND ${between(name, day)} AND ${exact})`;
}

const YEAR_10000 = 253_402_300_800_000;

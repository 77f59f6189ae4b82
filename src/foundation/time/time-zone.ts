/*
 * Between UTC and the clock on the wall. *Wall time* is the number of milliseconds the wall clock would have as UTC,
 * so that calendar arithmetic needs no zone. Twice a year the mapping is not one to one:
 *
 *   spring   UTC  ───────┬───────     a wall time in the gap never happens
 *            wall ──────┘ gap └────
 *   autumn   UTC  ───────┬───────     a wall time in the overlap happens twice
 *            wall ─────overlap─────
 */
import {
  addMonthsToDays,
  civilFromDays,
  DAY_MS,
  daysFromCivil,
  HOUR_MS,
  MINUTE_MS,
  modulo,
  weekdayOfDays,
} from './civil.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';

/** A unit of the calendar in a zone; weeks begin on Monday. */
export type CalendarUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** What a wall time means in UTC; in a gap `at` is the first instant after it, in an overlap `at` is the first of the two. */
export type WallMeaning =
  | { readonly kind: 'unique'; readonly at: number }
  | { readonly kind: 'gap'; readonly at: number }
  | { readonly kind: 'overlap'; readonly at: number; readonly again: number };

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Accepts names of the IANA database (and UTC), but no offsets such as `+02:00`, which know nothing of summer time. */
export function parseTimeZone(
  text: string,
): { readonly kind: 'time-zone'; readonly name: string } | TimeProblem {
  const name = text.trim();
  // The most frequent zone by far needs no formatter, and the first formatter costs 20 ms.
  if (name === 'UTC') return { kind: 'time-zone', name };
  if (/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name) && name.length <= 64) {
    try {
      formatterOf(name);
      return { kind: 'time-zone', name };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return timeProblem('unknown-time-zone', text, {
    message: `${quoted(text)} is not a time zone.`,
    expected: 'a name of the IANA database such as UTC, Europe/Berlin or America/New_York',
  });
}

/** What the wall clock shows at an instant. */
export function utcToWall(zone: string, at: number): number {
  return at + zoneOffset(zone, at);
}

/** The offset of the wall clock from UTC in milliseconds, positive in the east; seconds occur before about 1930. */
export function zoneOffset(zone: string, at: number): number {
  if (zone === 'UTC') return 0;
  // The text ends in GMT, GMT+05:30 or GMT-00:53:28; parts or a full date cost four times as much.
  const text = formatterOf(zone).format(at);
  const from = text.lastIndexOf('GMT') + 3;
  if (from === text.length) return 0;
  const [hours, minutes, seconds] = text
    .slice(from + 1)
    .split(':')
    .map(Number);
  const size = hours! * HOUR_MS + minutes! * MINUTE_MS + (seconds ?? 0) * 1000;
  return text[from] === '+' ? size : -size;
}

/** The instants at which the wall clock shows this time: one, none or two. */
export function wallToUtc(zone: string, wall: number): WallMeaning {
  if (zone === 'UTC') return { kind: 'unique', at: wall };
  // A day to each side is beyond every offset (−12…+14 h), so one probe lies before a change nearby and one after it.
  const before = zoneOffset(zone, wall - DAY_MS);
  const after = zoneOffset(zone, wall + DAY_MS);
  if (before === after && zoneOffset(zone, wall - before) === before)
    return { kind: 'unique', at: wall - before };
  const found = [wall - before, wall - after]
    .filter((at, i, all) => all.indexOf(at) === i && utcToWall(zone, at) === wall)
    .sort((a, b) => a - b);
  const [at, again] = found;
  if (at === undefined) return { kind: 'gap', at: firstInstantAtOrAfterWall(zone, wall) };
  return again === undefined ? { kind: 'unique', at } : { kind: 'overlap', at, again };
}

/** The first instant at which the wall clock shows this time or, in a gap, a later one: what "starts at" means. */
export function firstUtcOfWall(zone: string, wall: number): number {
  return wallToUtc(zone, wall).at;
}

/** The beginning of the local minute, hour, day, week (Monday), month, quarter or year that holds the instant. */
export function floorInZone(zone: string, at: number, unit: CalendarUnit): number {
  const wall = utcToWall(zone, at);
  // Inside an overlap the same wall hour exists twice; counting back from the instant stays in the right one.
  if (unit === 'minute') return at - modulo(wall, MINUTE_MS);
  if (unit === 'hour') return at - modulo(wall, HOUR_MS);
  return firstUtcOfWall(zone, floorWall(wall, unit));
}

/**
 * Moves an instant by calendar units in a zone: minutes and hours are elapsed time, all others keep the wall clock and,
 * for months and longer, the day of the month or the last one there is.
 */
export function addInZone(
  zone: string,
  at: number,
  amount: { readonly count: number; readonly unit: CalendarUnit },
): number {
  const { count, unit } = amount;
  if (unit === 'minute') return at + count * MINUTE_MS;
  if (unit === 'hour') return at + count * HOUR_MS;
  if (count === 0) return at;
  const wall = utcToWall(zone, at);
  const days = Math.floor(wall / DAY_MS);
  return firstUtcOfWall(zone, moveDays(days, count, unit) * DAY_MS + modulo(wall, DAY_MS));
}

function floorWall(wall: number, unit: Exclude<CalendarUnit, 'minute' | 'hour'>): number {
  const days = Math.floor(wall / DAY_MS);
  if (unit === 'day') return days * DAY_MS;
  if (unit === 'week') return (days - modulo(weekdayOfDays(days) - 1, 7)) * DAY_MS;
  const { year, month } = civilFromDays(days);
  const first = unit === 'year' ? 1 : unit === 'quarter' ? month - ((month - 1) % 3) : month;
  return daysFromCivil(year, first, 1) * DAY_MS;
}

function moveDays(days: number, count: number, unit: Exclude<CalendarUnit, 'minute' | 'hour'>): number {
  switch (unit) {
    case 'day':
      return days + count;
    case 'week':
      return days + count * 7;
    case 'month':
      return addMonthsToDays(days, count);
    case 'quarter':
      return addMonthsToDays(days, count * 3);
    case 'year':
      return addMonthsToDays(days, count * 12);
  }
}

/** Halving over the two days around a gap: the wall clock jumps over `wall` at exactly one instant there. */
function firstInstantAtOrAfterWall(zone: string, wall: number): number {
  let low = wall - DAY_MS;
  let high = wall + DAY_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (utcToWall(zone, middle) >= wall) high = middle;
    else low = middle;
  }
  return high;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hour: 'numeric',
      timeZoneName: 'longOffset',
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}

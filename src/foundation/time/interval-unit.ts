/*
 * The grid on which time is filled. Each unit numbers its cells from 1970 (hour 0 is 1970-01-01T00, month 0 is
 * January 1970), so that floor, next, previous and counting are O(1) additions also where cells differ in length:
 *
 *   time ──unitIndex──▶ …, −1, 0, 1, … ──unitStart──▶ time
 *
 * There is no week: tables are not partitioned by week, so a weekly schedule fills days.
 */
import { DAY_MS, daysFromMonthIndex, HOUR_MS, MINUTE_MS, monthIndexOfDays } from './civil.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';

/** From coarse to fine. */
export const INTERVAL_UNITS = [
  'year',
  'month',
  'day',
  'hour',
  'half-hour',
  'quarter-hour',
  'five-minute',
] as const;

/** The length of the cells in which a table is filled; always UTC. */
export type IntervalUnit = (typeof INTERVAL_UNITS)[number];

// A unit fits a schedule whose ticks are at least this far apart; the shortest month counts.
const SHORTEST_MS: Readonly<Record<IntervalUnit, number>> = {
  year: 365 * DAY_MS,
  month: 28 * DAY_MS,
  day: DAY_MS,
  hour: HOUR_MS,
  'half-hour': 30 * MINUTE_MS,
  'quarter-hour': 15 * MINUTE_MS,
  'five-minute': 5 * MINUTE_MS,
};

/** Reads a unit as users write it: `half_hour`, `HALF-HOUR` and `half hour` are one. */
export function parseIntervalUnit(
  text: string,
): { readonly kind: 'interval-unit'; readonly unit: IntervalUnit } | TimeProblem {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, '-');
  const unit = INTERVAL_UNITS.find((known) => known === name);
  if (unit !== undefined) return { kind: 'interval-unit', unit };
  return timeProblem('unknown-interval-unit', text, {
    message: `${quoted(text)} is not an interval unit.`,
    expected: `one of ${INTERVAL_UNITS.map((known) => known.replace('-', '_')).join(', ')}`,
  });
}

/** The largest unit not longer than the shortest distance between two ticks; `undefined` below five minutes. */
export function unitForSpacing(spacingMs: number): IntervalUnit | undefined {
  return INTERVAL_UNITS.find((unit) => SHORTEST_MS[unit] <= spacingMs);
}

/** True when `unit` is finer than `other`: cells of a finer unit never straddle those of a coarser one. */
export function isFinerUnit(unit: IntervalUnit, other: IntervalUnit): boolean {
  return INTERVAL_UNITS.indexOf(unit) > INTERVAL_UNITS.indexOf(other);
}

/** The number of the cell that holds the instant; cell 0 begins at 1970-01-01T00:00Z. */
export function unitIndex(unit: IntervalUnit, at: number): number {
  switch (unit) {
    case 'year':
      return Math.floor(monthIndexOfDays(Math.floor(at / DAY_MS)) / 12);
    case 'month':
      return monthIndexOfDays(Math.floor(at / DAY_MS));
    default:
      return Math.floor(at / SHORTEST_MS[unit]);
  }
}

/** The first instant of a cell. */
export function unitStart(unit: IntervalUnit, index: number): number {
  switch (unit) {
    case 'year':
      return daysFromMonthIndex(index * 12) * DAY_MS;
    case 'month':
      return daysFromMonthIndex(index) * DAY_MS;
    default:
      return index * SHORTEST_MS[unit];
  }
}

/** The last cell border at or before the instant. */
export function floorToUnit(unit: IntervalUnit, at: number): number {
  return unitStart(unit, unitIndex(unit, at));
}

/** The first cell border at or after the instant. */
export function ceilToUnit(unit: IntervalUnit, at: number): number {
  const floor = floorToUnit(unit, at);
  return floor === at ? at : nextUnit(unit, at);
}

/** The first cell border after the instant. */
export function nextUnit(unit: IntervalUnit, at: number): number {
  return unitStart(unit, unitIndex(unit, at) + 1);
}

/** The last cell border before the instant. */
export function previousUnit(unit: IntervalUnit, at: number): number {
  const floor = floorToUnit(unit, at);
  return floor < at ? floor : unitStart(unit, unitIndex(unit, at) - 1);
}

/** The border `count` cells away from the cell of `at`; negative counts go back. */
export function addUnits(unit: IntervalUnit, at: number, count: number): number {
  return unitStart(unit, unitIndex(unit, at) + count);
}

/*
 * The bucket of a time column as SQL: shift to the wall clock, then cut.
 *
 *   TIMESTAMP (UTC) ── AT TIME ZONE ──▶ wall clock ── date_trunc, or date_trunc minus a remainder ──▶ first instant, local
 *
 * Remainders of whole numbers are exact in every dialect; quotients are not (MySQL rounds them to four digits).
 */
import type { Expression } from '../../../foundation/sql/tree.ts';
import { DAY_MS, daysFromMonthIndex, HOUR_MS, MINUTE_MS, modulo } from '../../../foundation/time/civil.ts';
import { binary, call, cast, numberLiteral, textLiteral } from '../tree-nodes.ts';
import { type BucketStep, isWholeDays, type TimeGranularity, type TimeType } from './granularity.ts';
import { atTimeZone, interval, timeConstant } from './time-nodes.ts';

/** How a column is cut. */
export interface Bucketing {
  readonly type: TimeType;
  readonly granularity: TimeGranularity;
  /** An IANA name that was checked. */
  readonly timezone: string;
}

/** What the wall clock of the zone shows: a TIMESTAMP without zone, or the DATE, which never shifts. */
export function wallClock(column: Expression, type: TimeType, timezone: string): Expression {
  switch (type) {
    case 'DATE':
      return column;
    case 'TIMESTAMP':
      return timezone === 'UTC' ? column : atTimeZone(atTimeZone(column, 'UTC'), timezone);
    case 'TIMESTAMPTZ':
      // The cast shows dialects without AT TIME ZONE which of its two meanings this is.
      return atTimeZone(cast(column, 'TIMESTAMPTZ'), timezone);
  }
}

/** The type of a bucket: DATE for days and longer of a DATE, else TIMESTAMP, local. */
export function bucketType(type: TimeType, granularity: TimeGranularity): 'DATE' | 'TIMESTAMP' {
  return type === 'DATE' && isWholeDays(granularity.step) ? 'DATE' : 'TIMESTAMP';
}

/** The first instant of the bucket a column's time is in, local to the zone, without zone. */
export function bucketOf(column: Expression, { type, granularity, timezone }: Bucketing): Expression {
  return bucketOfWall(wallClock(column, type, timezone), type === 'DATE' ? 'DATE' : 'TIMESTAMP', granularity);
}

/** The same for a time that is local already. */
export function bucketOfWall(
  wall: Expression,
  type: 'DATE' | 'TIMESTAMP',
  granularity: TimeGranularity,
): Expression {
  const { unit, step } = granularity;
  const isDay = unit === 'day';
  if (type === 'DATE' && isDay) return wall;
  if (type === 'DATE' && !isWholeDays(step) && unit !== undefined) return cast(wall, 'TIMESTAMP');
  const local = type === 'DATE' && !isWholeDays(step) ? cast(wall, 'TIMESTAMP') : wall;
  const cut = unit === undefined ? cutByStep(local, step) : truncated(unit, local);
  return bucketType(type, granularity) === 'DATE' ? cast(cut, 'DATE') : cut;
}

function truncated(unit: string, wall: Expression): Expression {
  return call('date_trunc', [textLiteral(unit), wall]);
}

function cutByStep(wall: Expression, step: BucketStep): Expression {
  return step.kind === 'fixed' ? cutFixed(wall, step) : cutMonths(wall, step);
}

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1000],
  ['millisecond', 1],
];

/** The longest unit that measures all of these lengths in whole numbers. */
export function unitOf(...lengths: readonly number[]): readonly [unit: string, ms: number] {
  return UNITS.find(([, ms]) => lengths.every((length) => length % ms === 0)) as readonly [string, number];
}

function cutFixed(wall: Expression, { ms, origin }: BucketStep & { readonly kind: 'fixed' }): Expression {
  const [unit, unitMs] = unitOf(ms, origin);
  const from = timeConstant(origin, unit === 'day' ? 'DATE' : 'TIMESTAMP');
  const base = truncated(unit, wall);
  const count = ms / unitMs;
  return count === 1
    ? base
    : minusRemainder(base, call('date_diff', [textLiteral(unit), from, wall]), count, unit);
}

/** `base` minus what its distance from the origin leaves over, which is never negative. */
function minusRemainder(base: Expression, distance: Expression, count: number, unit: string): Expression {
  return binary('-', base, interval(remainder(distance, count), unit));
}

function remainder(distance: Expression, count: number): Expression {
  const rest = binary('%', distance, numberLiteral(count));
  return binary('%', binary('+', rest, numberLiteral(count)), numberLiteral(count));
}

const CALENDAR_MONTHS: ReadonlyMap<number, string> = new Map([
  [1, 'month'],
  [3, 'quarter'],
  [12, 'year'],
]);

function cutMonths(wall: Expression, step: BucketStep & { readonly kind: 'months' }): Expression {
  const { count, firstMonth, shiftMs } = step;
  const [unit, ms] = unitOf(shiftMs);
  const shift = (operator: '+' | '-', operand: Expression): Expression =>
    shiftMs === 0 ? operand : binary(operator, operand, interval(shiftMs / ms, unit));
  const moved = shift('-', wall);
  const calendar = CALENDAR_MONTHS.get(count);
  if (calendar === undefined)
    return shift(
      '+',
      minusRemainder(truncated('month', moved), monthsSince(firstMonth, moved), count, 'month'),
    );
  const late = modulo(firstMonth, count);
  if (late === 0) return shift('+', truncated(calendar, moved));
  const year = truncated(calendar, binary('-', moved, interval(late, 'month')));
  return shift('+', binary('+', year, interval(late, 'month')));
}

function monthsSince(firstMonth: number, wall: Expression): Expression {
  const from = timeConstant(daysFromMonthIndex(firstMonth) * DAY_MS, 'DATE');
  return call('date_diff', [textLiteral('month'), from, wall]);
}

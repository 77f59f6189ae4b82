/*
 * The periods of an answer whose time is cut by one granularity or several: what the buckets of all of them have in common.
 *
 *   month ├──────────────┼──────────────┤        week and month: a period begins where either begins
 *   week  ├────┼────┼────┼──┼────┼────┼─┤        month and quarter: periods are months
 */
import type { Expression } from '../../../foundation/sql/tree.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import type { Duration } from '../../../foundation/time/duration.ts';
import type { TimeSet } from '../logical-query.ts';
import { allOf, anyOf, binary, booleanLiteral, call, cast } from '../tree-nodes.ts';
import { bucketOfWall, bucketType, unitOf } from './bucket-of.ts';
import {
  type BucketStep,
  bucketStart,
  moveBuckets,
  type TimeGranularity,
  type TimeType,
} from './granularity.ts';
import { timeConstant } from './time-nodes.ts';
import { type SqlTime, sqlTimes, timeSql } from './window-bounds.ts';

export interface Periods {
  /** Those that cut; what is made of whole buckets of another is left out. */
  readonly granularities: readonly TimeGranularity[];
  /** Of the beginnings of periods. */
  readonly type: 'DATE' | 'TIMESTAMP';
}

/** The periods of a column by some granularities, of which there is at least one. */
export function periodsOf(granularities: readonly TimeGranularity[], type: TimeType): Periods {
  const cutting = granularities.filter(
    ({ step }, i) =>
      !granularities.some(
        (other, at) => at !== i && isMadeOf(step, other.step) && (at < i || !isMadeOf(other.step, step)),
      ),
  );
  const isDate = cutting.every((each) => bucketType(type, each) === 'DATE');
  return { granularities: cutting, type: isDate ? 'DATE' : 'TIMESTAMP' };
}

/** Whether every long bucket is made of whole short ones. */
export function isMadeOf(long: BucketStep, short: BucketStep): boolean {
  if (short.kind === 'months')
    return (
      long.kind === 'months' &&
      long.count % short.count === 0 &&
      (long.firstMonth - short.firstMonth) % short.count === 0 &&
      long.shiftMs === short.shiftMs
    );
  if (long.kind === 'fixed') return long.ms % short.ms === 0 && (long.origin - short.origin) % short.ms === 0;
  return DAY_MS % short.ms === 0 && (long.shiftMs - short.origin) % short.ms === 0;
}

/** Whether a shift moves every beginning of a period to one. */
export function keepsBeginnings({ granularities }: Periods, { months, ms }: Duration): boolean {
  const [only, ...others] = granularities;
  if (only === undefined || others.length > 0) return false;
  const { step } = only;
  if (step.kind === 'months') return ms === 0 && months % step.count === 0;
  return ms % step.ms === 0 && (months === 0 || DAY_MS % step.ms === 0);
}

/** The beginning of the period that a wall time is in. */
export function periodStart({ granularities }: Periods, wall: number): number {
  return Math.max(...granularities.map(({ step }) => bucketStart(step, wall)));
}

/** Where the period that begins there ends. */
export function periodEnd({ granularities }: Periods, start: number): number {
  return Math.min(...granularities.map(({ step }) => moveBuckets(step, bucketStart(step, start), 1)));
}

/** The beginning of the period of a local time, in SQL. */
export function periodStartSql(
  { granularities, type }: Periods,
  wall: Expression,
  of: 'DATE' | 'TIMESTAMP',
): Expression {
  const starts = granularities.map((each) => {
    const start = bucketOfWall(wall, of, each);
    return bucketType(of, each) === type ? start : cast(start, type);
  });
  const [only, ...others] = starts;
  return others.length === 0 ? (only as Expression) : call('GREATEST', starts);
}

/** Where the period that begins there ends, in SQL. */
export function periodEndSql(periods: Periods, start: SqlTime): SqlTime {
  const { granularities, type } = periods;
  const algebra = timesOfPeriods(periods);
  const [only, ...others] = granularities;
  if (only !== undefined && others.length === 0) return algebra.next(start, only);
  const ends = granularities.map((each) => {
    const end = timeSql(algebra.next({ base: bucketOfWall(timeSql(start), type, each), terms: [] }, each));
    return cast(end, type);
  });
  return { base: call('LEAST', ends), terms: [] };
}

/** Local times that are counted from beginnings of periods. */
export function timesOfPeriods({ granularities, type }: Periods) {
  const [only] = granularities;
  return sqlTimes(type, granularities.length === 1 && only?.step.kind === 'months');
}

/** A unit of which the periods of several granularities are made. */
export function commonUnit({ granularities }: Periods): TimeGranularity {
  const lengths = granularities.flatMap(({ step }) =>
    step.kind === 'fixed' ? [step.ms, step.origin] : [step.shiftMs],
  );
  const [unit, ms] = unitOf(DAY_MS, ...lengths);
  return { ...(unit === 'day' ? { unit: 'day' as const } : {}), step: { kind: 'fixed', ms, origin: 0 } };
}

/** The bucket that a period is in, from its beginning; `of` is the type of the column. */
export function bucketOfPeriod(
  { granularities, type }: Periods,
  start: Expression,
  { granularity, of }: { readonly granularity: TimeGranularity; readonly of: TimeType },
): Expression {
  const [only, ...others] = granularities;
  const isOwn = others.length === 0 && JSON.stringify(only?.step) === JSON.stringify(granularity.step);
  if (isOwn) return start;
  const bucket = bucketOfWall(start, type, granularity);
  // Beside hours of a DATE periods are TIMESTAMPs, but its days are not.
  return bucketType(of, granularity) === 'DATE' && type === 'TIMESTAMP' ? cast(bucket, 'DATE') : bucket;
}

/** A stretch of periods by their beginnings, both included; open where there is none. */
export interface PeriodStretch {
  readonly first?: number;
  readonly last?: number;
}

/** The periods that have some of the times; stretches in order, none of which touches another. `wall` is the local time of an instant. */
export function periodsWith(
  periods: Periods,
  times: TimeSet,
  wall: (at: number) => number,
): readonly PeriodStretch[] {
  const merged: { first?: number; last?: number }[] = [];
  for (const { start, end } of times) {
    const first = start === undefined ? undefined : periodStart(periods, wall(start));
    const last = end === undefined ? undefined : periodStart(periods, wall(end - 1));
    const before = merged.at(-1);
    const touches =
      before !== undefined &&
      (before.last === undefined || first === undefined || periodEnd(periods, before.last) >= first);
    if (!touches)
      merged.push({ ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) });
    else if (last === undefined) delete before.last;
    else if (before.last !== undefined) before.last = Math.max(before.last, last);
  }
  return merged;
}

/** Whether a period is in one of the stretches, by its beginning. */
export function isInStretches(
  { type }: Periods,
  start: Expression,
  stretches: readonly PeriodStretch[],
): Expression {
  return anyOf(
    stretches.map(
      ({ first, last }) =>
        allOf([
          ...(first === undefined ? [] : [binary('>=', start, timeConstant(first, type))]),
          ...(last === undefined ? [] : [binary('<=', start, timeConstant(last, type))]),
        ]) ?? booleanLiteral(true),
    ),
  );
}

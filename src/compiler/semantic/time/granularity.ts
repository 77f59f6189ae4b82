/*
 * A granularity is a way to cut the wall clock into buckets. All of them, the calendar's and the users' own, come down to two:
 *
 *   fixed    …──|──ms──|──ms──|──…   a length of time, counted from an origin        (2 weeks from Monday 2024-01-01)
 *   months   …──|──31──|──28──|──…   whole months, counted from a month, each begun `shiftMs` late   (fiscal years)
 *
 * Times here are wall times: milliseconds since 1970 as the clock on the wall shows them (foundation/time/time-zone.ts).
 */
import type { GRANULARITIES, Granularity } from '../../../domain/semantic-model.ts';
import {
  DAY_MS,
  daysFromMonthIndex,
  HOUR_MS,
  MINUTE_MS,
  modulo,
  monthIndexOfDays,
} from '../../../foundation/time/civil.ts';
import { addDuration, parseDuration, parseDurationTerms } from '../../../foundation/time/duration.ts';
import { parseWrittenTime } from '../../../foundation/time/relative-date.ts';
import type { Grain } from '../logical-query.ts';

/** How a time column is stored; a TIMESTAMP means UTC. */
export type TimeType = 'DATE' | 'TIMESTAMP' | 'TIMESTAMPTZ';

type CalendarGranularity = (typeof GRANULARITIES)[number];

/** Where buckets begin. */
export type BucketStep =
  | { readonly kind: 'fixed'; readonly ms: number; readonly origin: number }
  | {
      readonly kind: 'months';
      readonly count: number;
      /** A month that begins a bucket, counted from January 1970. */
      readonly firstMonth: number;
      /** Less than 28 days, so that every month has such a moment. */
      readonly shiftMs: number;
    };

/** A granularity that was understood; `unit` is there when it is one of the calendar's own. */
export interface TimeGranularity {
  readonly unit?: CalendarGranularity;
  readonly step: BucketStep;
}

/** 1969-12-29, the Monday that weeks are counted from. */
const MONDAY = -3 * DAY_MS;

const CALENDAR: Readonly<Record<CalendarGranularity, BucketStep>> = {
  second: { kind: 'fixed', ms: 1000, origin: 0 },
  minute: { kind: 'fixed', ms: MINUTE_MS, origin: 0 },
  hour: { kind: 'fixed', ms: HOUR_MS, origin: 0 },
  day: { kind: 'fixed', ms: DAY_MS, origin: 0 },
  week: { kind: 'fixed', ms: 7 * DAY_MS, origin: MONDAY },
  month: months(1),
  quarter: months(3),
  year: months(12),
};

function months(count: number): BucketStep {
  return { kind: 'months', count, firstMonth: 0, shiftMs: 0 };
}

/** Undefined for what loading refuses as `semantic.uneven-granularity`: months and days mixed, or months from a day that not all of them have. */
export function granularityOf(grain: Grain): TimeGranularity | undefined {
  if (grain.kind === 'calendar') return { unit: grain.unit, step: CALENDAR[grain.unit] };
  const step = customStep(grain.granularity);
  return step && { step };
}

/** How a column whose type is written like this is treated. */
export function timeTypeOf(type: string): TimeType {
  const name = type.toUpperCase();
  if (name === 'DATE') return 'DATE';
  return name.includes('TIME ZONE') || name.includes('TIMESTAMPTZ') ? 'TIMESTAMPTZ' : 'TIMESTAMP';
}

function customStep({ interval, offset, origin }: Granularity): BucketStep | undefined {
  const length = parseDuration(interval.value);
  const shift = parseDuration(offset?.value ?? '0 days');
  if (length.kind === 'problem' || shift.kind === 'problem') return undefined;
  const written = origin === undefined ? undefined : parseWrittenTime(origin.value);
  if (written?.kind === 'problem') return undefined;
  const from = written === undefined ? undefined : written.wall - (written.offset ?? 0);
  const isWeeks = (parseDurationTerms(interval.value) ?? []).every(({ unit }) => unit === 'week');
  const start = addDuration(from ?? (isWeeks ? MONDAY : 0), shift);
  if (length.months === 0)
    return length.ms === 0 ? undefined : { kind: 'fixed', ms: length.ms, origin: start };
  if (length.ms > 0) return undefined;
  const firstMonth = monthIndexOfDays(Math.floor(start / DAY_MS));
  const shiftMs = start - daysFromMonthIndex(firstMonth) * DAY_MS;
  return shiftMs < 28 * DAY_MS ? { kind: 'months', count: length.months, firstMonth, shiftMs } : undefined;
}

/** Whether every bucket begins at midnight, so that a bucket of a DATE is a DATE. */
export function isWholeDays(step: BucketStep): boolean {
  return step.kind === 'months'
    ? step.shiftMs % DAY_MS === 0
    : step.ms % DAY_MS === 0 && step.origin % DAY_MS === 0;
}

/** The beginning of the bucket that holds a wall time. */
export function bucketStart(step: BucketStep, wall: number): number {
  if (step.kind === 'fixed') return wall - modulo(wall - step.origin, step.ms);
  const month = monthOf(step, wall);
  return monthStart(step, month - modulo(month - step.firstMonth, step.count));
}

/** The beginning of the bucket `count` buckets after one that begins at `start`. */
export function moveBuckets(step: BucketStep, start: number, count: number): number {
  return step.kind === 'fixed'
    ? start + count * step.ms
    : monthStart(step, monthOf(step, start) + count * step.count);
}

type MonthStep = BucketStep & { readonly kind: 'months' };

/** The month that begins, `shiftMs` late, last before a wall time. */
function monthOf({ shiftMs }: MonthStep, wall: number): number {
  return monthIndexOfDays(Math.floor((wall - shiftMs) / DAY_MS));
}

function monthStart({ shiftMs }: MonthStep, month: number): number {
  return daysFromMonthIndex(month) * DAY_MS + shiftMs;
}

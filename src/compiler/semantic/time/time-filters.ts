/*
 * Filters on a time as the times they leave. Values were checked before, where the filter is bound to rows.
 *
 *   afterOrOnDate 2024-02-01     [2024-02-01 ─▶        of a bucket: order_date.month gt 2024-02-01     [2024-03-01 ─▶
 *   equals 2024-02-01            [2024-02-01 ── 02)    of a DATE; of a TIMESTAMP a millisecond
 */
import type { FilterOperator } from '../../../domain/semantic-model.ts';
import type { QueryFilter, QueryValue } from '../../../domain/semantic-query.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { firstUtcOfWall } from '../../../foundation/time/time-zone.ts';
import { instantOf } from '../bind-filter.ts';
import type { TimeBounds, TimeSet } from '../logical-query.ts';
import { bucketType } from './bucket-of.ts';
import { type DateContext, type DateOperator, operatorBounds, readRange } from './date-conditions.ts';
import { bucketStart, moveBuckets, type TimeGranularity, type TimeType } from './granularity.ts';
import { ALL_TIMES, complement, intersection, NO_TIME, timeSet, union } from './time-set.ts';

/** A filter on a time, or on a bucket of it. */
export interface TimeFilter {
  readonly operator: Exclude<FilterOperator, 'measureFilter'>;
  readonly values: readonly QueryValue[];
  readonly granularity?: TimeGranularity;
}

/** The times it leaves, for a column of that type; undefined when it compares text. NULL is not a time. */
export function timesLeft(filter: TimeFilter, type: TimeType, context: DateContext): TimeSet | undefined {
  const { granularity } = filter;
  if (granularity === undefined) return valuesLeft(filter, type, context);
  // A bucket is local already.
  const buckets = valuesLeft(filter, bucketType(type, granularity), {
    timezone: 'UTC',
    get now() {
      return context.now;
    },
  });
  const from = (wall: number): number => {
    const start = bucketStart(granularity.step, wall);
    const first = start === wall ? start : moveBuckets(granularity.step, start, 1);
    return type === 'DATE' ? first : firstUtcOfWall(context.timezone, first);
  };
  return (
    buckets &&
    timeSet(
      buckets.map(({ start, end }) => ({
        ...(start === undefined ? {} : { start: from(start) }),
        ...(end === undefined ? {} : { end: from(end) }),
      })),
    )
  );
}

function valuesLeft(
  { operator, values }: TimeFilter,
  type: TimeType,
  context: DateContext,
): TimeSet | undefined {
  const points = (): readonly TimeBounds[] => values.flatMap((value) => pointOf(value, type, context) ?? []);
  const [first = {}] = points();
  switch (operator) {
    case 'set':
      return ALL_TIMES;
    case 'notSet':
      return NO_TIME;
    case 'equals':
    case 'in':
      return timeSet(points());
    case 'notEquals':
    case 'notIn':
      return complement(timeSet(points()));
    case 'gt':
      return timeSet([startingAt(first.end)]);
    case 'gte':
      return timeSet([startingAt(first.start)]);
    case 'lt':
      return timeSet([endingAt(first.start)]);
    case 'lte':
      return timeSet([endingAt(first.end)]);
    case 'inDateRange':
    case 'notInDateRange':
    case 'onTheDate':
    case 'beforeDate':
    case 'beforeOrOnDate':
    case 'afterDate':
    case 'afterOrOnDate':
      return datesLeft(operator, values, type, context);
    default:
      return undefined;
  }
}

const startingAt = (start: number | undefined): TimeBounds => (start === undefined ? {} : { start });
const endingAt = (end: number | undefined): TimeBounds => (end === undefined ? {} : { end });

/** The day of a DATE, the millisecond of a TIMESTAMP. */
function pointOf(value: QueryValue, type: TimeType, { timezone }: DateContext): TimeBounds | undefined {
  const start = value === null ? undefined : instantOf(value, type, timezone);
  return start === undefined ? undefined : { start, end: start + (type === 'DATE' ? DAY_MS : 1) };
}

function datesLeft(
  operator: DateOperator,
  [from, to]: readonly QueryValue[],
  type: TimeType,
  context: DateContext,
): TimeSet {
  const range = readRange(typeof to === 'string' ? [`${from}`, to] : `${from}`, type, context);
  // What cannot be read is reported where it is bound.
  if (range.kind === 'problem') return ALL_TIMES;
  const { start, end } = range;
  return operator === 'notInDateRange'
    ? complement(timeSet([{ start, end }]))
    : timeSet([operatorBounds(operator, range)]);
}

type Leaf = Extract<QueryFilter, { readonly kind: 'member' }>;

/** What a tree of filters leaves. */
export function timesLeftBy(
  filter: QueryFilter,
  leaf: (leaf: Leaf) => TimeSet | undefined,
): TimeSet | undefined {
  if (filter.kind === 'member') return leaf(filter);
  const sets: TimeSet[] = [];
  for (const each of filter.filters) {
    const set = timesLeftBy(each, leaf);
    if (set === undefined) return undefined;
    sets.push(set);
  }
  return filter.kind === 'and' ? intersection(sets) : union(sets);
}

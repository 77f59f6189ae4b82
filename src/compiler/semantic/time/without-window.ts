import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import { isInCalendar } from '../../../foundation/time/relative-date.ts';
import { utcToWall, wallToUtc } from '../../../foundation/time/time-zone.ts';
import { freshName } from '../lift-inputs.ts';
import type { Part, TimeBounds, Variant, WindowTime } from '../logical-query.ts';
import { joinedNodes, type Tables } from '../lower-part.ts';
import {
  allOf,
  binary,
  booleanLiteral,
  call,
  column,
  derived,
  projection,
  query,
  select,
} from '../tree-nodes.ts';
import { bucketType, wallClock } from './bucket-of.ts';
import { BUCKET, spineOfQuery, spineOfRange } from './bucket-spine.ts';
import { boundsConditions } from './date-conditions.ts';
import { granularityOf, type TimeGranularity, timeTypeOf } from './granularity.ts';
import { timeConstant } from './time-nodes.ts';
import {
  CONSTANT_TIMES,
  movedStretch,
  type Stretch,
  sqlTimes,
  timeSql,
  windowStretch,
} from './window-bounds.ts';

type WindowPart = Part & { readonly variant: Extract<Variant, { readonly kind: 'rolling' | 'shift' }> };

/** A part whose rows count in other buckets than their own, as one whose rows are chosen by conditions and by a table of buckets; `wall` stands for their local time there. */
export function withoutWindow(
  part: Part,
  { tables, zone, wall }: { readonly tables: Tables; readonly zone: string; readonly wall?: Expression },
): Part {
  const { variant } = part;
  if (variant.kind !== 'rolling' && variant.kind !== 'shift') return part;
  const { key } = variant.time;
  return key === undefined
    ? inRange({ ...part, variant }, zone)
    : inBuckets({ ...part, variant }, key, {
        tables,
        zone,
        wall: wall ?? wallClock(variant.time.value, timeTypeOf(variant.time.type), zone),
      });
}

/** How the rows that were found are aggregated: a window has found them, a stock chooses among them. */
function remaining(variant: Variant): Variant {
  if (variant.kind === 'shift') return remaining(variant.of);
  return variant.kind === 'rolling' ? { kind: 'plain' } : variant;
}

/** The date range is the only bucket: the window is a range as well. */
function inRange(part: WindowPart, zone: string): Part {
  const { variant } = part;
  const clock = clockOf(variant.time, zone);
  const { start, end } = variant.time.range ?? {};
  const stretch = {
    start: start === undefined ? undefined : clock.wall(start),
    end: end === undefined ? undefined : clock.wall(end),
  };
  const where = [...part.where, ...within(variant.time, clock.instants(covered(variant, stretch)))];
  return { ...part, where, variant: remaining(variant) };
}

/** One line for each bucket, also for those without rows of their own. */
function inBuckets(
  part: WindowPart,
  keyIndex: number,
  { tables, zone, wall }: { readonly tables: Tables; readonly zone: string; readonly wall: Expression },
): Part {
  const { variant, nodes } = part;
  const key = part.keys[keyIndex];
  const granularity = key?.bucket && granularityOf(key.bucket.grain);
  if (key === undefined || granularity === undefined) throw new Error('a window without its bucket');
  const alias = freshName('buckets', new Set(nodes.map((node) => node.alias.toLowerCase())));
  const bucketed: Bucketed = { part, granularity, alias, key: key.value, zone, wall };
  return {
    ...part,
    keys: part.keys.map((each, i) => (i === keyIndex ? { ...each, value: column(alias, BUCKET) } : each)),
    where: [...part.where, ...within(variant.time, reach(bucketed))],
    buckets: { table: derived(spine(bucketed, tables), alias), on: membership(bucketed) },
    variant: remaining(variant),
  };
}

interface Bucketed {
  readonly part: WindowPart;
  readonly granularity: TimeGranularity;
  /** Of the table of buckets. */
  readonly alias: string;
  /** The bucket a row is in. */
  readonly key: Expression;
  readonly zone: string;
  /** The local time of a row, which windows are compared with. */
  readonly wall: Expression;
}

function within(time: WindowTime, bounds: TimeBounds): readonly Expression[] {
  return boundsConditions(time.value, timeTypeOf(time.type), bounds);
}

/** The times that count for a stretch of constants. */
function covered(variant: Variant, stretch: Stretch<number>, granularity?: TimeGranularity): Stretch<number> {
  const found = movedStretch(variant, stretch, { algebra: CONSTANT_TIMES, granularity });
  return found.leaf.kind === 'rolling'
    ? windowStretch(found.leaf.window, found.stretch, CONSTANT_TIMES)
    : found.stretch;
}

/** The instants that rows of any bucket of the range can have: implied by the join, but an engine prunes by constants. */
function reach({ part, granularity, zone }: Bucketed): TimeBounds {
  const { variant } = part;
  const clock = clockOf(variant.time, zone);
  const { first, last } = edges(variant.time, granularity, clock);
  const stretch = (start: number | undefined): Stretch<number> =>
    start === undefined
      ? {}
      : covered(variant, { start, end: CONSTANT_TIMES.next(start, granularity) }, granularity);
  return clock.instants({ start: stretch(first).start, end: stretch(last).end });
}

/** Which rows count in a bucket of the table. */
function membership({ part, granularity, alias, key, wall }: Bucketed): Expression {
  const { variant } = part;
  const { time } = variant;
  const { step } = granularity;
  const type = timeTypeOf(time.type);
  const algebra = sqlTimes(bucketType(type, granularity), step.kind === 'months');
  const start = { base: column(alias, BUCKET), terms: [] };
  const found = movedStretch(
    variant,
    { start, end: algebra.next(start, granularity) },
    { algebra, granularity },
  );
  if (found.leaf.kind !== 'rolling')
    return found.stretch.start === undefined
      ? booleanLiteral(true)
      : binary('=', key, timeSql(found.stretch.start));
  const window = windowStretch(found.leaf.window, found.stretch, algebra);
  return (
    allOf([
      ...(window.start === undefined ? [] : [binary('>=', wall, timeSql(window.start))]),
      ...(window.end === undefined ? [] : [binary('<', wall, timeSql(window.end))]),
    ]) ?? booleanLiteral(true)
  );
}

/** All buckets: of the range, else from the first to the last row that passes the other filters. */
function spine({ part, granularity, key, zone }: Bucketed, tables: Tables): Query {
  const { time } = part.variant;
  const { step } = granularity;
  const type = bucketType(timeTypeOf(time.type), granularity);
  const { first, last } = edges(time, granularity, clockOf(time, zone));
  if (first !== undefined && last !== undefined)
    return spineOfRange({ step, type }, { start: first, end: last + 1 });
  const from = first === undefined ? call('MIN', [key]) : timeConstant(first, type);
  const to = last === undefined ? call('MAX', [key]) : timeConstant(last, type);
  const known = query(
    select({
      projections: [projection(from, FIRST), projection(to, LAST)],
      from: joinedNodes(part, tables),
      where: allOf(part.where),
      // An open range may begin after the last row.
      ...(first === undefined && last === undefined ? {} : { having: binary('<=', from, to) }),
    }),
  );
  return spineOfQuery({ step, type }, { query: known, first: FIRST, last: LAST });
}

const FIRST = 'first_bucket';
const LAST = 'last_bucket';

/** The first and the last bucket of the range, as far as it has ends. */
function edges(
  { range = {} }: WindowTime,
  granularity: TimeGranularity,
  clock: Clock,
): { readonly first: number | undefined; readonly last: number | undefined } {
  const bucketAt = (at: number): number => CONSTANT_TIMES.bucket(clock.wall(at), granularity);
  return {
    first: range.start === undefined ? undefined : bucketAt(range.start),
    last: range.end === undefined ? undefined : bucketAt(range.end - 1),
  };
}

interface Clock {
  readonly wall: (at: number) => number;
  /** The instants whose local times are in a stretch; where an hour is repeated, all of them. */
  readonly instants: (stretch: Stretch<number>) => TimeBounds;
}

function clockOf({ type }: WindowTime, zone: string): Clock {
  const own = timeTypeOf(type) === 'DATE' ? 'UTC' : zone;
  return {
    wall: (at) => utcToWall(own, at),
    instants: ({ start, end }) => {
      // Beyond the years 1 to 9999 no engine has dates, and no rows either.
      const until = end === undefined || !isInCalendar(end) ? undefined : wallToUtc(own, end);
      return {
        ...(start === undefined || !isInCalendar(start) ? {} : { start: wallToUtc(own, start).at }),
        ...(until === undefined ? {} : { end: until.kind === 'overlap' ? until.again : until.at }),
      };
    },
  };
}

import { operandsOf } from '../../../foundation/sql/operands-of.ts';
import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import { rewrite } from '../../../foundation/sql/walk.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { isInCalendar } from '../../../foundation/time/relative-date.ts';
import { utcToWall, wallToUtc } from '../../../foundation/time/time-zone.ts';
import { freshName } from '../lift-inputs.ts';
import {
  type Part,
  type PartKey,
  periodPlace,
  type TimeBounds,
  type Variant,
  type WindowTime,
} from '../logical-query.ts';
import { joinedNodes, type Tables } from '../lower-part.ts';
import {
  allOf,
  anyOf,
  binary,
  booleanLiteral,
  call,
  cast,
  column,
  derived,
  isNull,
  projection,
  query,
  select,
} from '../tree-nodes.ts';
import { bucketOf, wallClock } from './bucket-of.ts';
import { BUCKET, noBuckets, spineOfQuery, spineOfRange } from './bucket-spine.ts';
import { boundsConditions, midnightFrom } from './date-conditions.ts';
import { granularityOf, type TimeGranularity, timeTypeOf } from './granularity.ts';
import {
  bucketOfPeriod,
  commonUnit,
  isInStretches,
  keepsBeginnings,
  type PeriodStretch,
  type Periods,
  periodEnd,
  periodEndSql,
  periodStartSql,
  periodsOf,
  periodsWith,
  timesOfPeriods,
} from './periods.ts';
import { timeConstant } from './time-nodes.ts';
import {
  after,
  before,
  CONSTANT_TIMES,
  durationOf,
  leafOf,
  type Stretch,
  shiftsOf,
  sqlTimes,
  timeSql,
  windowStretch,
} from './window-bounds.ts';

type WindowPart = Part & { readonly variant: Extract<Variant, { readonly kind: 'rolling' | 'shift' }> };

/** A part whose rows count in other periods than their own, as one whose rows are chosen by conditions and by a table of periods; `wall` stands for their local time there. */
export function withoutWindow(
  part: Part,
  { tables, zone, wall }: { readonly tables: Tables; readonly zone: string; readonly wall?: Expression },
): Part {
  const { variant } = part;
  if (variant.kind !== 'rolling' && variant.kind !== 'shift') return part;
  const { time } = variant;
  return time.shown.length === 0
    ? inRange({ ...part, variant }, zone)
    : inPeriods(
        { ...part, variant },
        { tables, zone, wall: wall ?? wallClock(time.value, timeTypeOf(time.type), zone) },
      );
}

/** How the rows that were found are aggregated: a window has found them, a stock chooses among them. */
function remaining(variant: Variant): Variant {
  const leaf = leafOf(variant);
  return leaf.kind === 'rolling' ? { kind: 'plain' } : leaf;
}

/** What the conditions leave is the only period: the window is a range as well. */
function inRange(part: WindowPart, zone: string): Part {
  const { variant, periodTimes } = part;
  const { time } = variant;
  const clock = clockOf(time, zone);
  const [range] = time.times;
  const has = (at: number): boolean =>
    (periodTimes[at] ?? []).some(
      ({ start, end }) =>
        (start ?? Number.NEGATIVE_INFINITY) < (range?.end ?? Number.POSITIVE_INFINITY) &&
        (range?.start ?? Number.NEGATIVE_INFINITY) < (end ?? Number.POSITIVE_INFINITY),
    );
  const wall = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : clock.wall(at);
  const moved = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : before(variant, at, CONSTANT_TIMES);
  const covered = rolled(variant, { start: moved(wall(range?.start)), end: moved(wall(range?.end)) });
  const bounds = within(time, clock.instants(covered));
  const own =
    range === undefined ? [booleanLiteral(false)] : bounds.length > 0 ? bounds : [isNull(time.value, true)];
  const periodic = decided(part, has);
  return {
    ...withoutPeriods(part),
    where: [...part.where, ...periodic, ...own],
    variant: remaining(variant),
  };
}

/** The times that count for a stretch of constants. */
function rolled(variant: Variant, stretch: Stretch<number>): Stretch<number> {
  const leaf = leafOf(variant);
  return leaf.kind === 'rolling' ? windowStretch(leaf.window, stretch, CONSTANT_TIMES) : stretch;
}

/** Conditions that ask something of the period, with an answer to that; those that are true then are left out. */
function decided(
  { periodic }: Pick<Part, 'periodic'>,
  answer: (at: number) => Expression | boolean,
): readonly Expression[] {
  return periodic.flatMap((condition) => {
    const found = folded(condition, answer);
    return typeof found === 'boolean' ? (found ? [] : [booleanLiteral(false)]) : [found];
  });
}

function folded(condition: Expression, answer: (at: number) => Expression | boolean): Expression | boolean {
  const at = periodPlace(condition);
  if (at !== undefined) return answer(at);
  if (condition.kind !== 'binary' || (condition.operator !== 'AND' && condition.operator !== 'OR'))
    return condition;
  const isAnd = condition.operator === 'AND';
  const sides = operandsOf(condition, condition.operator).map((side) => folded(side, answer));
  if (sides.includes(!isAnd)) return !isAnd;
  const open = sides.filter((side) => typeof side !== 'boolean');
  return open.length === 0 ? isAnd : isAnd ? (allOf(open) as Expression) : anyOf(open);
}

function withoutPeriods(part: Part): Part {
  return { ...part, periodic: [], periodTimes: [] };
}

/** One line for each period, also for those without rows of their own. */
function inPeriods(
  part: WindowPart,
  { tables, zone, wall }: { readonly tables: Tables; readonly zone: string; readonly wall: Expression },
): Part {
  const { variant, nodes } = part;
  const { time } = variant;
  const type = timeTypeOf(time.type);
  const alias = freshName('buckets', new Set(nodes.map((node) => node.alias.toLowerCase())));
  const periods = periodsOf(granularitiesOf(part), type);
  const cut: Cut = { part, periods, alias, wall, clock: clockOf(time, zone), zone };
  const start = column(alias, BUCKET);
  const shown = new Map(time.shown.map((each) => [each.key, each]));
  const keys = part.keys.map((key, i): PartKey => {
    const how = shown.get(i);
    return how === undefined
      ? key
      : { ...key, value: shownValue(key, how.members, { periods, start, of: type }) };
  });
  const periodic = decided(part, (at) => column(alias, flagName(at)));
  return {
    ...withoutPeriods(part),
    keys,
    where: [...part.where, ...periodic, ...within(time, reach(cut))],
    buckets: { table: derived(spine(cut, tables), alias), on: membership(cut) },
    variant: remaining(variant),
  };
}

/** What cuts the time of a window. */
export function granularitiesOf({ variant, keys }: WindowPart): readonly TimeGranularity[] {
  return variant.time.shown.flatMap(({ key, members }) => {
    const bucket = members === undefined ? keys[key]?.bucket : undefined;
    const granularity = bucket && granularityOf(bucket.grain);
    return granularity === undefined ? [] : [granularity];
  });
}

/** A key of the period in place of the row: its bucket, or an expression over its buckets. */
function shownValue(
  key: PartKey,
  members: readonly string[] | undefined,
  period: {
    readonly periods: Periods;
    readonly start: Expression;
    readonly of: ReturnType<typeof timeTypeOf>;
  },
): Expression {
  const bucketAt = ({ bucket }: PartKey): Expression => {
    const granularity = bucket && granularityOf(bucket.grain);
    if (granularity === undefined) throw new Error('a window without its bucket');
    return bucketOfPeriod(period.periods, period.start, { granularity, of: period.of });
  };
  const { computed } = key;
  if (members === undefined || computed === undefined) return bucketAt(key);
  return rewrite(computed.tree, (node) => {
    if (node.kind !== 'column' || node.qualifiers.length > 0) return node;
    const member = computed.members.get(node.name.name);
    if (member === undefined) return node;
    return members.includes(node.name.name) ? bucketAt(member) : member.value;
  });
}

interface Cut {
  readonly part: WindowPart;
  readonly periods: Periods;
  /** Of the table of periods. */
  readonly alias: string;
  /** The local time of a row, which windows are compared with. */
  readonly wall: Expression;
  readonly clock: Clock;
  readonly zone: string;
}

function within(time: WindowTime, bounds: TimeBounds): readonly Expression[] {
  return boundsConditions(time.value, timeTypeOf(time.type), bounds);
}

/** Whether a shift takes the value of another period; else it moves the rows. */
function takesPeriods({ part, periods }: Cut): boolean {
  return shiftsOf(part.variant).every(({ by }) => keepsBeginnings(periods, durationOf(by)));
}

/** The instants that rows of any period can have: implied by the join, but an engine prunes by constants. */
function reach(cut: Cut): TimeBounds {
  const { part, periods, clock } = cut;
  const { variant } = part;
  const stretches = periodsWith(periods, variant.time.times, clock.wall);
  const isTaken = takesPeriods(cut);
  const stretch = (start: number | undefined): Stretch<number> => {
    if (start === undefined) return {};
    const from = isTaken ? before(variant, start, CONSTANT_TIMES) : start;
    const covered = rolled(variant, { start: from, end: periodEnd(periods, from) });
    if (isTaken) return covered;
    const moved = (at: number | undefined): number | undefined =>
      at === undefined ? undefined : before(variant, at, CONSTANT_TIMES);
    const end = moved(covered.end);
    // Days that a shorter month lacks are its last one, so that rows of up to three days meet there.
    return {
      start: moved(covered.start),
      end: end === undefined ? undefined : end + 3 * DAY_MS * monthShifts(variant),
    };
  };
  const first = stretches[0]?.first;
  const last = stretches.at(-1)?.last;
  return clock.instants({ start: stretch(first).start, end: stretch(last).end });
}

function monthShifts(variant: Variant): number {
  return shiftsOf(variant).filter(({ by }) => durationOf(by).months > 0).length;
}

/** Which rows count in a period of the table. */
function membership(cut: Cut): Expression {
  const { part, periods, alias, wall } = cut;
  const { variant } = part;
  const [only] = periods.granularities;
  const hasShifts = shiftsOf(variant).length > 0;
  const isTaken = takesPeriods(cut);
  const times = timesOfPeriods(periods);
  const own = { base: column(alias, BUCKET), terms: [] };
  const start =
    hasShifts && isTaken && only !== undefined ? times.bucket(before(variant, own, times), only) : own;
  const moved = (): Expression =>
    cast(timeSql(after(variant, { base: wall, terms: [] }, sqlTimes('TIMESTAMP', false))), 'TIMESTAMP');
  const row = isTaken ? wall : moved();
  const leaf = leafOf(variant);
  if (leaf.kind !== 'rolling') {
    const of = isTaken && timeTypeOf(variant.time.type) === 'DATE' ? 'DATE' : 'TIMESTAMP';
    return binary('=', periodStartSql(periods, row, of), timeSql(start));
  }
  const window = windowStretch(leaf.window, { start, end: periodEndSql(periods, start) }, times);
  return (
    allOf([
      ...(window.start === undefined ? [] : [binary('>=', row, timeSql(window.start))]),
      ...(window.end === undefined ? [] : [binary('<', row, timeSql(window.end))]),
    ]) ?? booleanLiteral(true)
  );
}

/** All periods that have some of the times; where these have no end, up to the first or last row that passes the other conditions. */
function spine(cut: Cut, tables: Tables): Query {
  const { part, periods, clock } = cut;
  const stretches = periodsWith(periods, part.variant.time.times, clock.wall);
  const starts = startsOf(cut, stretches, tables);
  const { periodTimes } = part;
  if (stretches.length < 2 && periodTimes.length === 0) return starts;
  const start = column('periods', BUCKET);
  return query(
    select({
      projections: [
        projection(start, BUCKET),
        // As columns, not where rows are chosen: an optimiser may fail on an OR over both sides of a join that it knows to be empty.
        ...periodTimes.map((times, at) =>
          projection(isInStretches(periods, start, periodsWith(periods, times, clock.wall)), flagName(at)),
        ),
      ],
      from: derived(starts, 'periods'),
      where: stretches.length < 2 ? undefined : isInStretches(periods, start, stretches),
    }),
  );
}

/** The column of a table of periods that says whether they have some of the times at a place of `periodTimes`. */
const flagName = (at: number): string => `is_asked_${at + 1}`;

/** The beginnings of all periods from the first stretch to the last. */
function startsOf({ part, periods, zone }: Cut, stretches: readonly PeriodStretch[], tables: Tables): Query {
  const { granularities, type } = periods;
  const unit = granularities.length > 1 ? commonUnit(periods) : granularities[0];
  if (unit === undefined) throw new Error('a window without its bucket');
  const span = { step: unit.step, type };
  if (stretches.length === 0) return noBuckets(span);
  const [first, last] = [stretches[0]?.first, stretches.at(-1)?.last];
  const units =
    first !== undefined && last !== undefined
      ? spineOfRange(span, { start: first, end: last + 1 })
      : spineOfRows(part, { tables, zone, unit, type, first, last });
  return granularities.length === 1 ? units : startsIn(units, periods);
}

/** The beginnings of periods among those of their units. */
function startsIn(units: Query, periods: Periods): Query {
  return query(
    select({
      projections: [projection(periodStartSql(periods, column('units', BUCKET), periods.type), BUCKET)],
      from: derived(units, 'units'),
      isDistinct: true,
    }),
  );
}

function spineOfRows(
  part: WindowPart,
  asked: {
    readonly tables: Tables;
    readonly zone: string;
    readonly unit: TimeGranularity;
    readonly type: Periods['type'];
    readonly first: number | undefined;
    readonly last: number | undefined;
  },
): Query {
  const { tables, zone, unit, type, first, last } = asked;
  const { time } = part.variant;
  const of = timeTypeOf(time.type);
  const key = bucketOf(time.value, { type: of, granularity: unit, timezone: zone });
  const from = first === undefined ? call('MIN', [key]) : timeConstant(first, type);
  const to = last === undefined ? call('MAX', [key]) : timeConstant(last, type);
  const known = query(
    select({
      projections: [projection(from, FIRST), projection(to, LAST)],
      from: joinedNodes(part, tables),
      where: allOf([...part.where, ...decided(part, () => true)]),
      // An open range may begin after the last row.
      ...(first === undefined && last === undefined ? {} : { having: binary('<=', from, to) }),
    }),
  );
  return spineOfQuery({ step: unit.step, type }, { query: known, first: FIRST, last: LAST });
}

const FIRST = 'first_bucket';
const LAST = 'last_bucket';

interface Clock {
  readonly wall: (at: number) => number;
  /** The instants whose local times are in a stretch; where an hour is repeated, all of them. */
  readonly instants: (stretch: Stretch<number>) => TimeBounds;
}

function clockOf({ type }: WindowTime, zone: string): Clock {
  if (timeTypeOf(type) === 'DATE')
    return {
      wall: (at) => at,
      instants: ({ start, end }) => ({
        ...(start === undefined || !isInCalendar(start) ? {} : { start: midnightFrom(start) }),
        ...(end === undefined || !isInCalendar(end) ? {} : { end: midnightFrom(end) }),
      }),
    };
  return {
    wall: (at) => utcToWall(zone, at),
    instants: ({ start, end }) => {
      // Beyond the years 1 to 9999 no engine has dates, and no rows either.
      const until = end === undefined || !isInCalendar(end) ? undefined : wallToUtc(zone, end);
      return {
        ...(start === undefined || !isInCalendar(start) ? {} : { start: wallToUtc(zone, start).at }),
        ...(until === undefined ? {} : { end: until.kind === 'overlap' ? until.again : until.at }),
      };
    },
  };
}

/*
 * Rolling windows and shifts. The periods of the answer are laid out first; then each period gets the rows of its window:
 *
 *   rolling, end      [e − trailing ───────── b ───── e ── + leading)         to date   [start of g ──── b ── e)
 *   shift             the rows of the period that begins at s − p; where none does, the rows whose time + p is in b
 */
import type { QueryFilter } from '../../../src/domain/semantic-query.ts';
import {
  add,
  bucket,
  bucketKind,
  type Granularity,
  truncate,
  type WallRange,
  wallOfMoment,
} from './calendar.ts';
import { memberValue } from './members.ts';
import { isToOne, modelNamed, type Path, pathKey, pathTo } from './paths.ts';
import { keepsBeginnings, PeriodChoice, periodAt, type TimeCondition } from './periods.ts';
import {
  type Component,
  type DimensionUse,
  dimensionUse,
  type Leaf,
  leavesOf,
  type Question,
} from './question.ts';
import { Refused } from './refused.ts';
import { isMoment, type Moment, type Row, type Value } from './value.ts';
import { groupKey, type Passing, walkFact } from './walked.ts';
import type { WorldMeasure } from './world.ts';

/** Several measures may lack a period, each for its own reason. */
const UNKNOWN_PERIOD = ['semantic.needs-time', 'semantic.unclear-period'];

type Groups = Map<string, { dimensions: readonly Value[]; rows: Row[] }>;

/** The time along which a component moves. */
interface Axis {
  readonly use: DimensionUse;
  /** Its buckets among the dimensions, by index; none: the range is the only period. */
  readonly grains: ReadonlyMap<number, Granularity>;
  readonly choice: PeriodChoice;
  /** Conditions on it alone, which every period must meet. */
  readonly conditions: readonly TimeCondition[];
  /** Filters that ask for more than the time. */
  readonly mixed: readonly QueryFilter[];
}

/** Groups of a component with a window or shift; undefined for plain ones. */
export function windowGroups(question: Question, component: Component): Groups | undefined {
  const rolling = component.measure?.rolling;
  if (rolling === undefined && component.shifts.length === 0) return undefined;
  const axis = axisOf(question, component);
  const { choice } = axis;
  // Of whatever a period decides, the first and the last row are those that may count in some period.
  const walked = walkFact(question, component.fact, {
    ranges: question.ranges.filter(({ use }) => isSameTime(question, component, axis.use, use)),
    decided: (filter) => (choice.isOfTime(filter) ? true : undefined),
  });
  const path = walked.pathOf(axis.use.through);
  const timeOf = ({ combination }: Passing): Moment | undefined => {
    const model = modelNamed(question.world, axis.use.through);
    const time = memberValue(question.world, model, combination.get(pathKey(path)), axis.use.member);
    return isMoment(time) ? time : undefined;
  };
  const groups: Groups = new Map();
  const timed = walked.passing.flatMap((passing) => {
    const time = timeOf(passing);
    return time === undefined ? [] : [{ passing, time, wall: wallOfMoment(time, question.zone) }];
  });
  const periods = periodsOf(
    axis,
    timed.map(({ wall }) => wall),
  );
  for (const own of periods) {
    if (rolling !== undefined && !Number.isFinite(anchorOf(rolling, own))) throw new Refused(UNKNOWN_PERIOD);
    const { span, moved } = windowOf(own, axis, component);
    const decided = (filter: QueryFilter): boolean | undefined =>
      choice.isOfTime(filter) ? choice.holdsIn([{ kind: 'filter', filter }], own) : undefined;
    for (const { passing, time, wall } of timed) {
      if (moved(wall) < span.start || moved(wall) >= span.end) continue;
      if (!axis.mixed.every((filter) => walked.holds(passing.combination, filter, decided))) continue;
      const dimensions = passing.dimensions.map((value, i) => {
        const granularity = axis.grains.get(i);
        if (granularity === undefined) return value;
        return { kind: bucketKind(time, granularity), ms: bucket(own.start, granularity).start };
      });
      const key = groupKey(dimensions);
      const group = groups.get(key) ?? { dimensions, rows: [] };
      if (!group.rows.includes(passing.row)) group.rows.push(passing.row);
      groups.set(key, group);
    }
  }
  return groups;
}

/** The way from the fact to a dimension; undefined where there is none, which is told elsewhere. */
function wayTo(
  { world, query }: Question,
  { fact }: Component,
  { through }: Pick<DimensionUse, 'through'>,
): Path | undefined {
  try {
    return pathTo(world, fact.name, through, query.joinHints);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Whether two names mean the same dimension, reached in the same way. */
function isSameTime(question: Question, component: Component, a: DimensionUse, b: DimensionUse): boolean {
  const [one, other] = [wayTo(question, component, a), wayTo(question, component, b)];
  return one !== undefined && other !== undefined && a.member === b.member && pathKey(one) === pathKey(other);
}

/** The parts of an `and` about the time together, so that they leave one set of times. */
function gathered(filter: QueryFilter, isOfTime: (filter: QueryFilter) => boolean): QueryFilter {
  if (filter.kind === 'member') return filter;
  const filters = filter.filters.map((each) => gathered(each, isOfTime));
  if (filter.kind === 'or') return { kind: 'or', filters };
  const flat = filters.flatMap((each) => (each.kind === 'and' ? each.filters : [each]));
  const times = flat.filter(isOfTime);
  const others = flat.filter((each) => !isOfTime(each));
  return {
    kind: 'and',
    filters: [...(times.length > 0 ? [{ kind: 'and' as const, filters: times }] : []), ...others],
  };
}

/** The first time dimension of the query on the fact, else the first that is reached to-one. */
function axisOf(question: Question, component: Component): Axis {
  const { world, dimensions, ranges } = question;
  const path = (use: DimensionUse): Path | undefined => wayTo(question, component, use);
  const isNear = (use: DimensionUse): boolean => path(use)?.every(isToOne) === true;
  const isSame = (a: DimensionUse, b: DimensionUse): boolean => isSameTime(question, component, a, b);
  const useOf = (leaf: Leaf): DimensionUse => dimensionUse(world, leaf.member);
  const isDated = (leaf: Leaf): boolean =>
    leaf.operator !== 'measureFilter' && ['date', 'timestamp'].includes(useOf(leaf).type);
  const rowFilters = question.rowFilters.filter((filter) =>
    leavesOf(filter).every(({ member }) => {
      const through = member.split('.')[0] as string;
      return wayTo(question, component, { through }) !== undefined;
    }),
  );
  const buckets = dimensions.filter(({ granularity }) => granularity !== undefined);
  const dated = rowFilters.flatMap((filter) => {
    const leaves = leavesOf(filter);
    const [first] = leaves;
    const isOne = leaves.every((leaf) => isDated(leaf) && isSame(useOf(leaf), useOf(first as Leaf)));
    return first !== undefined && isOne ? [useOf(first)] : [];
  });
  const bare = [...ranges.map(({ use }) => use), ...dated];
  const candidates = buckets.some(isNear) ? buckets : bare;
  const use = candidates.find((each) => path(each)?.length === 0) ?? candidates.find(isNear);
  if (use === undefined) throw new Refused(UNKNOWN_PERIOD);
  if (dimensions.some((each) => each.granularity === undefined && isSame(each, use)))
    throw new Refused(UNKNOWN_PERIOD);
  const choice = new PeriodChoice(
    question,
    use.type as Moment['kind'],
    (leaf) => isDated(leaf) && isSame(useOf(leaf), use),
  );
  const grains = dimensions.flatMap((each, i) =>
    each.granularity !== undefined && isSame(each, use) ? [[i, each.granularity] as const] : [],
  );
  return {
    use,
    grains: new Map(grains),
    choice,
    conditions: [
      ...ranges.flatMap(({ use: other, range }) =>
        isSame(other, use) ? [{ kind: 'range' as const, range }] : [],
      ),
      ...rowFilters.flatMap((filter) =>
        choice.isOfTime(filter) ? [{ kind: 'filter' as const, filter }] : [],
      ),
    ],
    mixed: rowFilters
      .filter((filter) => !choice.isOfTime(filter) && leavesOf(filter).some((leaf) => choice.isOfTime(leaf)))
      .map((filter) => gathered(filter, (each) => choice.isOfTime(each))),
  };
}

function periodsOf(
  { grains, choice, conditions, use }: Axis,
  walls: readonly number[],
): readonly WallRange[] {
  const stretches = choice.stretches(conditions);
  const [first] = stretches;
  const last = stretches.at(-1);
  if (grains.size === 0) {
    if (stretches.length > 1) throw new Refused(UNKNOWN_PERIOD);
    return stretches.map((each) => (use.type === 'date' ? daysOf(each) : each));
  }
  if (first === undefined || last === undefined) return [];
  const isOpen = !Number.isFinite(first.start) || !Number.isFinite(last.end);
  if (isOpen && walls.length === 0) return [];
  const from = Number.isFinite(first.start) ? first.start : Math.min(...walls);
  const to = Number.isFinite(last.end) ? last.end - 1 : Math.max(...walls);
  const periods: WallRange[] = [];
  const granularities = [...grains.values()];
  for (let at = periodAt(from, granularities); at.start <= to; at = periodAt(at.end, granularities))
    if (choice.holdsIn(conditions, at)) periods.push(at);
  return periods;
}

/** The days that begin in a range. */
function daysOf({ start, end }: WallRange): WallRange {
  const up = (wall: number): number => (Number.isFinite(wall) ? truncate(wall + 86_399_999, 'day') : wall);
  return { start: up(start), end: up(end) };
}

/** The stretch of a period's rows, and the wall time by which a row is in it. */
function windowOf(
  own: WallRange,
  { grains }: Axis,
  { shifts, measure }: Component,
): { readonly span: WallRange; readonly moved: (wall: number) => number } {
  const stays = (wall: number): number => wall;
  const granularities = [...grains.values()];
  const signOf = ({ direction }: Component['shifts'][number]): 1 | -1 => (direction === 'prior' ? -1 : 1);
  if (granularities.length === 0) {
    const both = shifts.reduce((at, shift) => {
      const end = (wall: number): number =>
        Number.isFinite(wall) ? add(wall, shift.by, signOf(shift)) : wall;
      return { start: end(at.start), end: end(at.end) };
    }, own);
    return { span: rollingSpan(measure?.rolling, both), moved: stays };
  }
  if (shifts.every(({ by }) => keepsBeginnings(by, granularities))) {
    const start = shifts.reduce((at, shift) => add(at, shift.by, signOf(shift)), own.start);
    return { span: rollingSpan(measure?.rolling, periodAt(start, granularities)), moved: stays };
  }
  // The innermost shift moves a row first.
  const moved = (wall: number): number =>
    shifts.reduceRight((at, shift) => add(at, shift.by, signOf(shift) === 1 ? -1 : 1), wall);
  return { span: rollingSpan(measure?.rolling, own), moved };
}

/** Where a window is counted from. */
const anchorOf = (rolling: NonNullable<WorldMeasure['rolling']>, { start, end }: WallRange): number =>
  rolling.kind === 'trailing' && rolling.offset === 'end' ? end : start;

function rollingSpan(rolling: WorldMeasure['rolling'], own: WallRange): WallRange {
  if (rolling === undefined) return own;
  if (rolling.kind === 'to-date') return { start: truncate(own.start, rolling.unit), end: own.end };
  const anchor = anchorOf(rolling, own);
  const { trailing, leading } = rolling;
  return {
    start:
      trailing === 'unbounded'
        ? Number.NEGATIVE_INFINITY
        : trailing === undefined
          ? anchor
          : add(anchor, trailing, -1),
    end: leading === undefined ? anchor : add(anchor, leading),
  };
}

/*
 * Rolling windows and shifts. The buckets of the answer are laid out first; then each bucket gets the rows of its window:
 *
 *   rolling, end      [e − trailing ───────── b ───── e ── + leading)         to date   [start of g ──── b ── e)
 *   shift             the rows of the bucket that s − p is in
 */
import {
  add,
  bucket,
  bucketKind,
  type Granularity,
  truncate,
  type WallRange,
  wallOfMoment,
} from './calendar.ts';
import { filterRange } from './filters.ts';
import { memberValue } from './members.ts';
import { isToOne, modelNamed, type Path, pathKey, pathTo } from './paths.ts';
import { type Component, type DimensionUse, dimensionUse, type Leaf, type Question } from './question.ts';
import { Refused } from './refused.ts';
import { isMoment, type Moment, type Row, type Value } from './value.ts';
import { groupKey, type Passing, walkFact } from './walked.ts';
import type { WorldMeasure } from './world.ts';

type Groups = Map<string, { dimensions: readonly Value[]; rows: Row[] }>;

/** The time along which a component moves: a bucket of the answer, or only a range. */
interface Axis {
  readonly use: DimensionUse;
  /** Index among the dimensions; absent when the range is the only bucket. */
  readonly index?: number;
  readonly granularity?: Granularity;
  readonly ranges: Question['ranges'];
  /** Filters that stand for ranges of it. */
  readonly filters: readonly Leaf[];
}

/** Groups of a component with a window or shift; undefined for plain ones. */
export function windowGroups(question: Question, component: Component): Groups | undefined {
  const rolling = component.measure?.rolling;
  if (rolling === undefined && component.shifts.length === 0) return undefined;
  const axis = axisOf(question, component);
  const walked = walkFact(question, component.fact, { filters: axis.filters, ranges: axis.ranges });
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
  for (const own of bucketsOf(
    question,
    axis,
    timed.map(({ wall }) => wall),
  )) {
    if (rolling !== undefined && !Number.isFinite(anchorOf(rolling, own)))
      throw new Refused(['semantic.needs-time']);
    const span = windowOf(rolling, shifted(own, axis, component.shifts));
    for (const { passing, time, wall } of timed) {
      if (wall < span.start || wall >= span.end) continue;
      const dimensions = passing.dimensions.map((value, i) =>
        i === axis.index ? { kind: bucketKind(time, axis.granularity as Granularity), ms: own.start } : value,
      );
      const key = groupKey(dimensions);
      const group = groups.get(key) ?? { dimensions, rows: [] };
      if (!group.rows.includes(passing.row)) group.rows.push(passing.row);
      groups.set(key, group);
    }
  }
  return groups;
}

/** The first time dimension of the query on the fact, else the first that is reached to-one. */
function axisOf(question: Question, { fact }: Component): Axis {
  const { world, query, dimensions, ranges } = question;
  const path = (use: DimensionUse): Path => pathTo(world, fact.name, use.through, query.joinHints);
  const buckets = dimensions.flatMap((use, index) => (use.granularity === undefined ? [] : [{ use, index }]));
  const dated = question.rowFilters.flatMap((filter) =>
    filter.kind === 'member' && DATE_OPERATORS.has(filter.operator) ? [filter] : [],
  );
  const bare = [
    ...ranges.map(({ use }) => ({ use, index: undefined })),
    ...dated.map(({ member }) => ({ use: dimensionUse(world, member), index: undefined })),
  ];
  const candidates = buckets.some(({ use }) => path(use).every(isToOne)) ? buckets : bare;
  const found =
    candidates.find(({ use }) => path(use).length === 0) ??
    candidates.find(({ use }) => path(use).every(isToOne));
  if (found === undefined) throw new Refused(['semantic.needs-time']);
  const { use, index } = found;
  return {
    use,
    ...(index === undefined ? {} : { index }),
    ...(use.granularity === undefined ? {} : { granularity: use.granularity }),
    ranges: ranges.filter((range) => range.use.through === use.through && range.use.member === use.member),
    filters: dated.filter(({ member }) => member === `${use.through}.${use.member}`),
  };
}

const DATE_OPERATORS = new Set([
  'inDateRange',
  'onTheDate',
  'beforeDate',
  'beforeOrOnDate',
  'afterDate',
  'afterOrOnDate',
]);

/** The range that a filter with a date operator leaves. */
function leftBy(leaf: Leaf, question: Question): WallRange {
  const { start, end } = filterRange(leaf, question);
  if (leaf.operator === 'beforeDate') return { start: Number.NEGATIVE_INFINITY, end: start };
  if (leaf.operator === 'beforeOrOnDate') return { start: Number.NEGATIVE_INFINITY, end };
  if (leaf.operator === 'afterDate') return { start: end, end: Number.POSITIVE_INFINITY };
  if (leaf.operator === 'afterOrOnDate') return { start, end: Number.POSITIVE_INFINITY };
  return { start, end };
}

function bucketsOf(
  question: Question,
  { use, granularity, ranges, filters }: Axis,
  walls: readonly number[],
): readonly WallRange[] {
  const range = [...ranges.map((each) => each.range), ...filters.map((leaf) => leftBy(leaf, question))]
    .map((each) => (use.type === 'date' ? daysOf(each) : each))
    .reduce<WallRange | undefined>(
      (all, one) =>
        all === undefined ? one : { start: Math.max(all.start, one.start), end: Math.min(all.end, one.end) },
      undefined,
    );
  if (granularity === undefined) return range === undefined ? [] : [range];
  if (range === undefined && walls.length === 0) return [];
  const isOpen = (bound: number | undefined): boolean => bound === undefined || !Number.isFinite(bound);
  if (walls.length === 0 && (isOpen(range?.start) || isOpen(range?.end))) return [];
  const first = isOpen(range?.start) ? Math.min(...walls) : (range?.start as number);
  const last = isOpen(range?.end) ? Math.max(...walls) : (range?.end as number) - 1;
  const buckets: WallRange[] = [];
  for (let at = bucket(first, granularity); at.start <= last; at = bucket(at.end, granularity))
    buckets.push(at);
  return buckets;
}

/** The days that begin in a range. */
function daysOf({ start, end }: WallRange): WallRange {
  const up = (wall: number): number => (Number.isFinite(wall) ? truncate(wall + 86_399_999, 'day') : wall);
  return { start: up(start), end: up(end) };
}

function shifted(own: WallRange, { granularity }: Axis, shifts: Component['shifts']): WallRange {
  return shifts.reduce((at, { by, direction }) => {
    const sign = direction === 'prior' ? -1 : 1;
    const moved = (wall: number): number => (Number.isFinite(wall) ? add(wall, by, sign) : wall);
    if (granularity === undefined) return { start: moved(at.start), end: moved(at.end) };
    return bucket(add(at.start, by, sign), granularity);
  }, own);
}

/** Where a window is counted from. */
const anchorOf = (rolling: NonNullable<WorldMeasure['rolling']>, { start, end }: WallRange): number =>
  rolling.kind === 'trailing' && rolling.offset === 'end' ? end : start;

function windowOf(rolling: WorldMeasure['rolling'], own: WallRange): WallRange {
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

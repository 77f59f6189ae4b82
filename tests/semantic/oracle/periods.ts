/*
 * What a question says about the time that a window or shift moves along: the periods of its answer, and which of them conditions leave.
 *
 *   month ├──────────────┼──────────────┤        two granularities: a period is what their buckets have in common
 *   week  ├────┼────┼────┼──┼────┼────┼─┤
 *
 * Nothing is solved: conditions are tried at every moment where their truth can change.
 */
import type { QueryFilter } from '../../../src/domain/semantic-query.ts';
import {
  add,
  bucket,
  bucketOf,
  type Granularity,
  instantOf,
  isInRange,
  point,
  type WallRange,
  wallOf,
} from './calendar.ts';
import { filterRange, holdsOf } from './filters.ts';
import { type DimensionUse, dimensionUse, type Leaf, leavesOf, type Question } from './question.ts';
import type { Moment } from './value.ts';
import type { Span } from './world.ts';

const DAY = 86_400_000;
/** Before and after everything that worlds and questions know. */
const [EARLY, LATE] = [Date.UTC(1800, 0, 1), Date.UTC(2200, 0, 1)];

/** The period that a wall time is in. */
export function periodAt(wall: number, granularities: readonly Granularity[]): WallRange {
  const buckets = granularities.map((each) => bucket(wall, each));
  return {
    start: Math.max(...buckets.map(({ start }) => start)),
    end: Math.min(...buckets.map(({ end }) => end)),
  };
}

const kept = new Map<string, boolean>();

/** Whether a shift moves every beginning of a period to one; tried on some hundred of them. */
export function keepsBeginnings(by: Span, granularities: readonly Granularity[]): boolean {
  const key = JSON.stringify([by, granularities]);
  const known = kept.get(key) ?? keepsAll(by, granularities);
  kept.set(key, known);
  return known;
}

function keepsAll(by: Span, granularities: readonly Granularity[]): boolean {
  let at = periodAt(Date.UTC(2022, 11, 1), granularities);
  for (let i = 0; i < 800; i++) {
    for (const sign of [1, -1] as const) {
      const moved = add(at.start, by, sign);
      if (periodAt(moved, granularities).start !== moved) return false;
    }
    at = periodAt(at.end, granularities);
  }
  return true;
}

/** A condition on the one time, as far as a moment can decide it. */
export type TimeCondition =
  | { readonly kind: 'filter'; readonly filter: QueryFilter }
  | { readonly kind: 'range'; readonly range: WallRange };

/** Conditions on the time of a window: which periods they leave. */
export class PeriodChoice {
  readonly #question: Question;
  readonly #type: Moment['kind'];
  readonly #isOfTime: (leaf: Leaf) => boolean;

  constructor(question: Question, type: Moment['kind'], isOfTime: (leaf: Leaf) => boolean) {
    this.#question = question;
    this.#type = type;
    this.#isOfTime = isOfTime;
  }

  /** Whether a filter is about nothing but the time. */
  isOfTime(filter: QueryFilter): boolean {
    const leaves = leavesOf(filter);
    return leaves.length > 0 && leaves.every((leaf) => this.#isOfTime(leaf));
  }

  /** Whether all conditions hold of some moment in a stretch of wall time. */
  holdsIn(conditions: readonly TimeCondition[], { start, end }: WallRange): boolean {
    const first =
      this.#type === 'date' ? Math.floor(start / DAY) * DAY : instantOf(this.#question.zone, start);
    const inside = this.#moments(conditions).filter((ms) => this.#wall(ms) >= start && this.#wall(ms) < end);
    return [first, ...inside].some((ms) => this.#holds(conditions, ms));
  }

  /** The stretches of wall time that conditions leave; open ends are infinite. */
  stretches(conditions: readonly TimeCondition[]): readonly WallRange[] {
    const moments = [EARLY, ...this.#moments(conditions)];
    const found: { start: number; end: number }[] = [];
    let isInside = false;
    for (const ms of moments) {
      const isTrue = this.#holds(conditions, ms);
      const last = found.at(-1);
      if (isTrue && !isInside) {
        const start = ms === EARLY ? Number.NEGATIVE_INFINITY : this.#wall(ms);
        found.push({ start, end: Number.POSITIVE_INFINITY });
      } else if (!isTrue && isInside && last !== undefined) last.end = this.#wall(ms);
      isInside = isTrue;
    }
    return found;
  }

  #wall(ms: number): number {
    return this.#type === 'date' ? ms : wallOf(this.#question.zone, ms);
  }

  /** Every moment at which a condition may become true or false, in order. */
  #moments(conditions: readonly TimeCondition[]): readonly number[] {
    const walls = conditions.flatMap((condition) => {
      if (condition.kind === 'range') return [condition.range.start, condition.range.end];
      return leavesOf(condition.filter).flatMap((leaf) => this.#changesOf(leaf));
    });
    const moments = walls.flatMap((wall) => this.#momentsAt(wall)).filter((ms) => ms > EARLY && ms < LATE);
    return [...new Set(moments)].sort((a, b) => a - b);
  }

  /** The moment that the clock shows, and the next one; of a DATE midnights. */
  #momentsAt(wall: number): readonly number[] {
    if (this.#type === 'date') return [Math.ceil(wall / DAY) * DAY, Math.floor(wall / DAY) * DAY + DAY];
    const ms = instantOf(this.#question.zone, wall);
    return [ms, ms + 1];
  }

  #changesOf(leaf: Leaf): readonly number[] {
    const { granularity } = this.#use(leaf);
    const isOfRange = /Date/.test(leaf.operator);
    const { zone } = this.#question;
    const walls = isOfRange
      ? Object.values(filterRange(leaf, this.#clock(leaf)))
      : leaf.values.flatMap((value) => {
          if (value === null) return [];
          const text = `${value}`;
          const wall = point(text.replace('Z', '')).start;
          return [text.endsWith('Z') && granularity === undefined ? wallOf(zone, wall) : wall];
        });
    if (granularity === undefined) return walls;
    // The bucket of a moment changes where buckets begin.
    return walls.flatMap((wall) => {
      const { start, end } = bucket(wall, granularity);
      return [start, end, bucket(end, granularity).end];
    });
  }

  #use(leaf: Leaf): DimensionUse {
    return dimensionUse(this.#question.world, leaf.member);
  }

  /** Buckets are local already. */
  #clock(leaf: Leaf): { readonly zone: string; readonly now: number } {
    const { zone, now } = this.#question;
    return { zone: this.#use(leaf).granularity === undefined ? zone : 'UTC', now };
  }

  #holds(conditions: readonly TimeCondition[], ms: number): boolean {
    const moment: Moment = { kind: this.#type, ms };
    return conditions.every((condition) =>
      condition.kind === 'range'
        ? isInRange(moment, condition.range, this.#question.zone)
        : this.#filterHolds(condition.filter, moment),
    );
  }

  #filterHolds(filter: QueryFilter, moment: Moment): boolean {
    if (filter.kind !== 'member')
      return filter.kind === 'and'
        ? filter.filters.every((each) => this.#filterHolds(each, moment))
        : filter.filters.some((each) => this.#filterHolds(each, moment));
    const { granularity, type } = this.#use(filter);
    const shown = granularity === undefined ? moment : bucketOf(moment, granularity, this.#question.zone);
    return holdsOf(filter, shown, type, this.#clock(filter));
  }
}

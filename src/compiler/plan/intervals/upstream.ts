/*
 * What the tables above leave to a model: how far they have their rows once this plan or run is through.
 *
 *   lacking   [──)      [───────…     time of its life that a table does not have: a reader that is filled by intervals leaves it out
 *   until        |                    where the first of what is due is missing: a table that is made whole ends there
 *   late      ───|                    outside prod a table may begin after its model does: what is made of it begins there
 *   gained    [──)                    time that it never had and gets now: what was made whole of it before is made again
 */
import { WHOLE } from '../../../domain/engine.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import {
  clipRanges,
  containsRange,
  hullOfRanges,
  type RangeSet,
  subtractRanges,
  unionRanges,
} from '../../../foundation/time/ranges.ts';
import { dueEnd } from '../due.ts';
import { lackingAfter, type MissingInput, naturalStart } from '../missing-intervals.ts';
import { isIncremental } from './kind-traits.ts';

export interface Upstream {
  readonly model: string;
  readonly snapshot: Snapshot;
  /** Time the table should have and will not have. */
  readonly lacking: RangeSet;
  /** Until when it has all that is due; infinite when nothing is missing. */
  readonly until: number;
  /** Where its rows begin, when that is later than it should be and stays so. */
  readonly late?: number;
  /** What it gets now and never had; nothing of a table that is new, which shows those who stay what the one before it did. */
  readonly gained: RangeSet;
}

/** What is left of a table once `missing` is filled. */
export function upstreamOf(snapshot: Snapshot, input: MissingInput, missing: RangeSet): Upstream {
  const { model } = snapshot;
  const intervals = lackingAfter(input, missing);
  const until = completeUntil(input, missing, intervals);
  const late = lateStart(input, missing);
  return {
    model,
    snapshot,
    // What is made whole is there or is not: of one that is to be made again nothing can be read, however old.
    lacking: isIncremental(input.kind) || until === Number.POSITIVE_INFINITY ? intervals : from(until),
    until,
    gained: gainedNow(input, missing),
    ...(late === undefined ? {} : { late }),
  };
}

const from = (start: number): RangeSet => [{ start, end: Number.POSITIVE_INFINITY }];

function gainedNow({ filled, restated = [] }: MissingInput, missing: RangeSet): RangeSet {
  const had = unionRanges(filled, restated);
  return had.length === 0 ? [] : subtractRanges(missing, had);
}

function completeUntil(input: MissingInput, missing: RangeSet, lacking: RangeSet): number {
  const { kind, schedule, filled } = input;
  const has = unionRanges(filled, missing);
  if (kind === 'seed') return containsRange(has, WHOLE) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const due = dueEnd(schedule, kind, input);
  if (isIncremental(kind)) {
    const [first] = clipRanges(lacking, { start: Number.NEGATIVE_INFINITY, end: due });
    return first?.start ?? Number.POSITIVE_INFINITY;
  }
  const end = hullOfRanges(has)?.end ?? Number.NEGATIVE_INFINITY;
  return end < due ? end : Number.POSITIVE_INFINITY;
}

/** Only what `--start` bounds, or what goes on from where it began, begins late permanently. */
function lateStart(input: MissingInput, missing: RangeSet): number | undefined {
  if (!isIncremental(input.kind) || (input.bounds?.start === undefined && input.isContinuing !== true))
    return undefined;
  const first = unionRanges(input.filled, missing)[0]?.start;
  return first !== undefined && first > naturalStart(input) ? first : undefined;
}

/** The latest beginning among tables that begin late. */
export function latestStart(above: Iterable<Upstream>): number | undefined {
  let latest: number | undefined;
  for (const { late } of above) if (late !== undefined) latest = Math.max(latest ?? late, late);
  return latest;
}

/*
 * What a model lacks, by range arithmetic: five years of five-minute units cost as much as one day.
 *
 *   wanted    [───────────────────────────)         start … due end, inside --start/--end
 *   filled    [────)      [────)                    whole units only: a unit filled in part is not done
 *   missing        [──────)    [──────────)
 *   lookback     [─|──────)  [─|──────────)         the units before each newly filled one, never before the start
 *   onward         [──────────────────────)         a model over its own past: from the first hole or restated unit to the end
 *   whole     [───────────────────────────)         rows that do not say where they came from: all of it, or nothing
 *
 * Time that is blocked (an upstream lacks it, a signal says no) is never filled, neither as new nor again: a plan that records
 * it as filled would never get the rows that come later.
 *
 * The ledger keeps what was really written, so of a running unit (allow_partials) the part until then; since only whole
 * units count as done, it is filled again from its beginning until it is whole.
 */
import { WHOLE } from '../../domain/engine.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import { ceilToUnit, floorToUnit, type IntervalUnit } from '../../foundation/time/interval-unit.ts';
import {
  clipRanges,
  containsRange,
  hullOfRanges,
  intersectRanges,
  type RangeSet,
  subtractRanges,
  type TimeRange,
  unionRanges,
} from '../../foundation/time/ranges.ts';
import { expandToUnits, shrinkToUnits, withLookback } from '../../foundation/time/unit-ranges.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { dueEnd, scheduleEnd, takesPartials } from './due.ts';
import { type Filling, isIncremental, isOrdered, looksBack, refillOf } from './intervals/kind-traits.ts';
import { ownStart } from './intervals/starts.ts';

/** Everything that decides what one table lacks. */
export interface MissingInput extends Filling {
  readonly schedule: Schedule;
  /** What is filled, without anything that must be filled again (`intervals()` of state; less what this plan restates). */
  readonly filled: RangeSet;
  /** What was filled once and must be filled again. `--start` and `--end` do not hold it back. */
  readonly restated?: RangeSet;
  readonly executionTime: number;
  /** `--start` and `--end` as instants; both reach outward to whole units. */
  readonly bounds?: { readonly start?: number; readonly end?: number };
  /** Where a model without a start of its own begins (`startsOf`); once something is filled, it never begins later. */
  readonly startFallback: number;
  readonly ignoreCron?: boolean;
  /** Goes on from what is there and leaves out what was never filled before it: runs outside prod. */
  readonly isContinuing?: boolean;
  /** Time that must not be filled yet: an upstream lacks it or a signal says no. */
  readonly blocked?: RangeSet;
}

/** The ranges to fill now, lookback included. Kinds that are made whole have one range or none. */
export function missingIntervals(input: MissingInput): RangeSet {
  const { kind } = input;
  switch (kind) {
    case 'embedded':
    case 'external':
      return [];
    case 'view':
    case 'seed':
      return containsRange(input.filled, WHOLE) || isBlocked(input, WHOLE) ? [] : [WHOLE];
    case 'full':
      return missingWhole(input);
    case 'incremental-by-time-range':
    case 'incremental-by-unique-key':
    case 'incremental-by-partition':
    case 'incremental-unmanaged':
    case 'scd-type-2-by-time':
    case 'scd-type-2-by-column':
      return missingUnits(input);
    case 'managed':
    case 'custom':
      throw new Error(
        `models of kind ${kind} cannot be filled yet; a plan refuses them before it asks what is due`,
      );
    default:
      return unreachable(kind);
  }
}

/** From where to where a table is to be filled; undefined when nothing is due. */
function wantedRange(input: MissingInput): TimeRange | undefined {
  const { schedule, kind, bounds } = input;
  const { unit } = schedule;
  const from = startBound(input);
  const due = dueEnd(schedule, kind, input);
  const to = bounds?.end === undefined ? due : Math.min(due, ceilToUnit(unit, bounds.end));
  return from < to ? { start: from, end: to } : undefined;
}

/** The beginning of a table's time: its own start, else the fallback or what is filled already, whichever is earlier. */
export function naturalStart(input: MissingInput): number {
  const { schedule, executionTime, startFallback } = input;
  const first = hadRange(input)?.start;
  return (
    ownStart(schedule, executionTime) ??
    floorToUnit(schedule.unit, Math.min(startFallback, first ?? startFallback))
  );
}

function wantedStart(input: MissingInput): number {
  const { schedule, isContinuing = false } = input;
  const first = hadRange(input)?.start;
  const start = naturalStart(input);
  return isContinuing && first !== undefined ? Math.max(start, floorToUnit(schedule.unit, first)) : start;
}

/**
 * Time that a table filled by intervals will still lack once `missing` is filled, from `--start` to the end of its life;
 * what reads it must leave that out (`blocked`), or rows that come later would never reach it. Tables that are made
 * whole lack nothing, and no table lacks what will never come: older time that cannot be slipped in below newer rows,
 * before the first of them or in a hole between.
 */
export function lackingAfter(input: MissingInput, missing: RangeSet): RangeSet {
  if (!isIncremental(input.kind)) return [];
  const has = unionRanges(input.filled, missing);
  const hull = isOrdered(input) && refillOf(input) === 'whole' ? hullOfRanges(has) : undefined;
  const closed = hull === undefined ? has : unionRanges(has, subtractRanges([hull], input.restated ?? []));
  const life = {
    start: hull?.start ?? startBound(input),
    end: scheduleEnd(input.schedule, input.executionTime),
  };
  return life.start < life.end ? subtractRanges([life], closed) : [];
}

/** FULL is due when its range has grown: one range, from the start, or nothing. */
function missingWhole(input: MissingInput): RangeSet {
  const wanted = wantedRange(input);
  if (wanted === undefined || containsRange(input.filled, wanted)) return [];
  const grown = subtractRanges([wanted], input.filled);
  return intersectRanges(grown, input.blocked ?? []).length > 0 ? [] : [wanted];
}

function missingUnits(input: MissingInput): RangeSet {
  const { schedule, kind, restated = [] } = input;
  const { unit } = schedule;
  const wanted = untilBlocked(input, wantedRange(input));
  const done = doneUnits(input.filled, unit, wanted);
  const due = untilBlocked(input, { start: Number.NEGATIVE_INFINITY, end: dueEnd(schedule, kind, input) });
  const again = subtractRanges(before(expandToUnits(restated, unit), due.end), done);
  const lacking = subtractRanges(subtractRanges(wanted === undefined ? [] : [wanted], done), again);
  const lastDone = done.at(-1);
  switch (refillOf(input)) {
    case 'onward':
      return onward(input, { lacking, again, end: wanted?.end });
    case 'whole':
      if (again.length > 0 || isExtendedBack(input, lacking)) return whole(input, wanted);
      // Older time that was never filled cannot be slipped in below newer rows.
      return fresh(input, isOrdered(input) && lastDone !== undefined ? from(lacking, lastDone.end) : lacking);
    case 'each':
      return unionRanges(fresh(input, lacking), subtractRanges(again, heldUnits(input, again)));
  }
}

/** New units with their lookback, as far as nothing holds them back; where order matters, one that waits holds up all behind it. */
function fresh(input: MissingInput, units: RangeSet): RangeSet {
  const { schedule } = input;
  const held = heldUnits(input, units);
  const ready = isOrdered(input)
    ? before(units, held[0]?.start ?? Number.POSITIVE_INFINITY)
    : subtractRanges(units, held);
  const lookback = looksBack(input) ? schedule.lookback : 0;
  const all = withLookback(ready, { unit: schedule.unit, lookback, startBound: startBound(input) });
  return subtractRanges(all, heldUnits(input, all));
}

/**
 * Each interval is made of those before it: from the first that is missing to the end. What is filled behind a hole is
 * filled again with it; where that cannot be done yet, all of it waits.
 */
function onward(
  input: MissingInput,
  {
    lacking,
    again,
    end,
  }: { readonly lacking: RangeSet; readonly again: RangeSet; readonly end?: number | undefined },
): RangeSet {
  const { schedule } = input;
  const { unit } = schedule;
  const first = hullOfRanges(unionRanges(lacking, again))?.start;
  if (first === undefined) return [];
  const had = hadRange(input)?.end ?? Number.NEGATIVE_INFINITY;
  const last = Math.max(end ?? Number.NEGATIVE_INFINITY, had);
  const [looking] = withLookback(lacking.slice(0, 1), {
    unit,
    lookback: schedule.lookback,
    startBound: startBound(input),
  });
  const range = { start: Math.min(first, looking?.start ?? first), end: last };
  const held = heldUnits(input, [range]);
  const past = held.findLast((each) => each.end <= first);
  const stop = held.find((each) => each.end > first)?.start ?? last;
  if (stop <= first || had > stop) return [];
  return [{ start: Math.max(range.start, past?.end ?? range.start), end: stop }];
}

/** All that the table has and all that it lacks; nothing as long as a part of what it has could not be made again. */
function whole(input: MissingInput, wanted: TimeRange | undefined): RangeSet {
  const had = hadRange(input);
  const range = {
    start: Math.min(wanted?.start ?? Number.POSITIVE_INFINITY, had?.start ?? Number.POSITIVE_INFINITY),
    end: Math.max(wanted?.end ?? Number.NEGATIVE_INFINITY, had?.end ?? Number.NEGATIVE_INFINITY),
  };
  const held = heldUnits(input, [range]);
  const ready = isOrdered(input)
    ? before([range], held[0]?.start ?? Number.POSITIVE_INFINITY)
    : subtractRanges([range], held);
  const all = unionRanges(input.filled, input.restated ?? []);
  return subtractRanges(all, ready).length > 0 ? [] : ready;
}

/** `--start` reaches back before what is there, and newer rows would lie above what is added. */
function isExtendedBack(input: MissingInput, lacking: RangeSet): boolean {
  const had = hadRange(input);
  return (
    isOrdered(input) &&
    input.bounds?.start !== undefined &&
    had !== undefined &&
    (lacking[0]?.start ?? had.start) < had.start
  );
}

/** A last unit that may be filled in part is filled as far as what it reads is there. */
function untilBlocked<Wanted extends TimeRange | undefined>(input: MissingInput, wanted: Wanted): Wanted {
  const { schedule, kind, blocked = [] } = input;
  if (wanted === undefined || !takesPartials(schedule, kind)) return wanted;
  const last = { start: floorToUnit(schedule.unit, wanted.end - 1), end: wanted.end };
  const first = clipRanges(blocked, last)[0]?.start;
  return first === undefined || first <= last.start ? wanted : { ...wanted, end: first };
}

/** The beginning of what is filled now: not before `--start`. */
function startBound(input: MissingInput): number {
  const { bounds, schedule } = input;
  const start = wantedStart(input);
  return bounds?.start === undefined ? start : Math.max(start, floorToUnit(schedule.unit, bounds.start));
}

/** Whole units, and the running one when it is filled up to the very end that is wanted. */
function doneUnits(filled: RangeSet, unit: IntervalUnit, wanted: TimeRange | undefined): RangeSet {
  const whole = shrinkToUnits(filled, unit);
  if (wanted === undefined) return whole;
  const running = { start: floorToUnit(unit, wanted.end), end: wanted.end };
  return running.start < running.end && containsRange(filled, running)
    ? unionRanges(whole, [running])
    : whole;
}

/** Units of which a part is blocked. */
function heldUnits({ schedule, blocked = [] }: MissingInput, candidates: RangeSet): RangeSet {
  return expandToUnits(intersectRanges(candidates, blocked), schedule.unit);
}

function isBlocked({ blocked = [] }: MissingInput, range: TimeRange): boolean {
  return intersectRanges([range], blocked).length > 0;
}

/** From the first to the last of what the table has or had. */
function hadRange({ filled, restated = [] }: MissingInput): TimeRange | undefined {
  const [one, other] = [hullOfRanges(filled), hullOfRanges(restated)];
  if (one === undefined || other === undefined) return one ?? other;
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
}

function from(set: RangeSet, start: number): RangeSet {
  return clipRanges(set, { start, end: Number.POSITIVE_INFINITY });
}

function before(set: RangeSet, end: number): RangeSet {
  return clipRanges(set, { start: Number.NEGATIVE_INFINITY, end });
}

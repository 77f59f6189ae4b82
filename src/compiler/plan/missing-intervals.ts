/*
 * What a model lacks, by range arithmetic: five years of five-minute units cost as much as one day.
 *
 *   wanted    [───────────────────────────)         start … due end, inside --start/--end
 *   filled    [────)      [────)                    whole units only: a unit filled in part is not done
 *   missing        [──────)    [──────────)
 *   lookback     [─|──────)  [─|──────────)         the units before each newly filled one, never before the start
 *
 * The ledger keeps what was really written, so of a running unit (allow_partials) the part until then; since only whole
 * units count as done, it is filled again from its beginning until it is whole.
 */
import { WHOLE } from '../../domain/engine.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import { ceilToUnit, floorToUnit, type IntervalUnit } from '../../foundation/time/interval-unit.ts';
import {
  clipRanges,
  containsRange,
  intersectRanges,
  type RangeSet,
  subtractRanges,
  type TimeRange,
  unionRanges,
} from '../../foundation/time/ranges.ts';
import { expandToUnits, shrinkToUnits, withLookback } from '../../foundation/time/unit-ranges.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { dueEnd, scheduleEnd, takesPartials } from './due.ts';
import { isIncremental, isOrdered, isRepeatable } from './intervals/kind-traits.ts';
import { ownStart } from './intervals/starts.ts';

/** Everything that decides what one table lacks. */
export interface MissingInput {
  readonly schedule: Schedule;
  readonly kind: ModelKind['kind'];
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
function wantedStart(input: MissingInput): number {
  const { schedule, executionTime, startFallback, isContinuing = false } = input;
  const first = firstFilled(input);
  const start =
    ownStart(schedule, executionTime) ??
    floorToUnit(schedule.unit, Math.min(startFallback, first ?? startFallback));
  return isContinuing && first !== undefined ? Math.max(start, floorToUnit(schedule.unit, first)) : start;
}

/**
 * Time that a table filled by intervals will still lack once `missing` is filled, from `--start` to the end of its life;
 * what reads it must leave that out (`blocked`), or rows that come later would never reach it. Tables that are made
 * whole lack nothing.
 */
export function lackingAfter(input: MissingInput, missing: RangeSet): RangeSet {
  if (!isIncremental(input.kind)) return [];
  const life = { start: startBound(input), end: scheduleEnd(input.schedule, input.executionTime) };
  return life.start < life.end ? subtractRanges([life], unionRanges(input.filled, missing)) : [];
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
  // Older time that was never filled cannot be slipped in below newer rows.
  const fresh = isOrdered(kind) && lastDone !== undefined ? from(lacking, lastDone.end) : lacking;
  const held = heldBack(input, unionRanges(fresh, again));
  const lookback = isRepeatable(kind) ? schedule.lookback : 0;
  return unionRanges(
    withLookback(subtractRanges(fresh, held), { unit, lookback, startBound: startBound(input) }),
    subtractRanges(again, held),
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

/** Units that must wait; where order matters, everything behind the first of them, too. */
function heldBack({ schedule, kind, blocked = [] }: MissingInput, candidates: RangeSet): RangeSet {
  const held = expandToUnits(intersectRanges(candidates, blocked), schedule.unit);
  const first = held[0];
  return isOrdered(kind) && first !== undefined
    ? [{ start: first.start, end: Number.POSITIVE_INFINITY }]
    : held;
}

function isBlocked({ blocked = [] }: MissingInput, range: TimeRange): boolean {
  return intersectRanges([range], blocked).length > 0;
}

function firstFilled({ filled, restated = [] }: MissingInput): number | undefined {
  const starts = [filled[0], restated[0]].flatMap((range) => range?.start ?? []);
  return starts.length === 0 ? undefined : Math.min(...starts);
}

function from(set: RangeSet, start: number): RangeSet {
  return clipRanges(set, { start, end: Number.POSITIVE_INFINITY });
}

function before(set: RangeSet, end: number): RangeSet {
  return clipRanges(set, { start: Number.NEGATIVE_INFINITY, end });
}

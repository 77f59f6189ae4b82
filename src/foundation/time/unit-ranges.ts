/*
 * Range sets on the grid of an interval unit. What was *done* is shrunk inward (a half-filled cell is not done), what
 * must be *redone* is expanded outward; batches are cut lazily, so five years of five-minute cells cost one range.
 *
 *   cells     |────|────|────|────|
 *   range        [────────────)
 *   shrunk         [────|────)              floor/ceil act on one instant, these two on sets
 *   expanded  [────|────|────|────)
 */
import {
  addUnits,
  ceilToUnit,
  floorToUnit,
  type IntervalUnit,
  unitIndex,
  unitStart,
} from './interval-unit.ts';
import { normalizeRanges, type RangeSet, type TimeRange } from './ranges.ts';

/** Keeps only whole cells. */
export function shrinkToUnits(set: RangeSet, unit: IntervalUnit): RangeSet {
  return normalizeRanges(
    set.map(({ start, end }) => ({ start: ceilToUnit(unit, start), end: floorToUnit(unit, end) })),
  );
}

/** Adds the rest of every cell that is touched. */
export function expandToUnits(set: RangeSet, unit: IntervalUnit): RangeSet {
  return normalizeRanges(
    set.map(({ start, end }) => ({ start: floorToUnit(unit, start), end: ceilToUnit(unit, end) })),
  );
}

/** How many cells the set touches; a cell that two ranges share counts once. */
export function countUnits(set: RangeSet, unit: IntervalUnit): number {
  let count = 0;
  let counted = Number.NEGATIVE_INFINITY;
  for (const { start, end } of set) {
    const first = Math.max(unitIndex(unit, start), counted + 1);
    const last = unitIndex(unit, end - 1);
    if (last >= first) count += last - first + 1;
    counted = Math.max(counted, last);
  }
  return count;
}

/** Lazily cuts every range into pieces of at most `unitsMax` cells on the grid; the pieces of a range are gapless and in order. */
export function* batchesOfUnits(
  set: RangeSet,
  unit: IntervalUnit,
  unitsMax: number,
): Generator<TimeRange, void, undefined> {
  if (!Number.isInteger(unitsMax) || unitsMax < 1) throw new RangeError(`a batch of ${unitsMax} units`);
  for (const { start, end } of set) {
    let from = start;
    while (from < end) {
      const to = Math.min(end, unitStart(unit, unitIndex(unit, from) + unitsMax));
      yield { start: from, end: to };
      from = to;
    }
  }
}

/** The number of pieces `batchesOfUnits` would yield, without yielding them. */
export function countBatches(set: RangeSet, unit: IntervalUnit, unitsMax: number): number {
  let count = 0;
  for (const { start, end } of set) {
    count += Math.ceil((unitIndex(unit, end - 1) - unitIndex(unit, start) + 1) / unitsMax);
  }
  return count;
}

/**
 * Adds the `lookback` cells before each missing range, because late rows may have changed them; never before
 * `startBound`, and nothing at all when nothing is missing.
 */
export function withLookback(
  missing: RangeSet,
  options: { readonly unit: IntervalUnit; readonly lookback: number; readonly startBound: number },
): RangeSet {
  const { unit, lookback, startBound } = options;
  if (lookback <= 0) return missing;
  return normalizeRanges(
    missing.map(({ start, end }) => ({
      // A range that itself begins before the bound keeps what it has: lookback adds, it never removes.
      start: Math.min(start, Math.max(startBound, addUnits(unit, start, -lookback))),
      end,
    })),
  );
}

/*
 * Sets of time as lists of half-open ranges. A *range set* is sorted, and its ranges are neither empty nor touching:
 *
 *   [────)   [──)          [───────)        never  [──)[──)   never  [)
 *
 * Every function takes range sets, returns range sets, and walks each list once: cost depends on the number of
 * ranges, never on how much time they cover.
 */

/** A half-open span `[start, end)` of epoch milliseconds UTC. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** Sorted, without empty ranges, with touching and overlapping ones merged. */
export type RangeSet = readonly TimeRange[];

/** Makes a range set of ranges in any order; empty and inverted ones vanish. */
export function normalizeRanges(ranges: readonly TimeRange[]): RangeSet {
  const sorted = ranges.filter((range) => range.start < range.end).sort((a, b) => a.start - b.start);
  const merged: TimeRange[] = [];
  for (const range of sorted) appendMerging(merged, range);
  return merged;
}

/** Time in at least one of the two sets. */
export function unionRanges(left: RangeSet, right: RangeSet): RangeSet {
  const merged: TimeRange[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const a = left[i];
    const b = right[j];
    if (b === undefined || (a !== undefined && a.start <= b.start)) {
      appendMerging(merged, a!);
      i++;
    } else {
      appendMerging(merged, b);
      j++;
    }
  }
  return merged;
}

/** Time in both sets. */
export function intersectRanges(left: RangeSet, right: RangeSet): RangeSet {
  const common: TimeRange[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const a = left[i]!;
    const b = right[j]!;
    const start = Math.max(a.start, b.start);
    const end = Math.min(a.end, b.end);
    if (start < end) common.push({ start, end });
    if (a.end <= b.end) i++;
    else j++;
  }
  return common;
}

/** Time in `left` that is not in `right`; with what is wanted and what is there, this is what is missing. */
export function subtractRanges(left: RangeSet, right: RangeSet): RangeSet {
  const rest: TimeRange[] = [];
  let j = 0;
  for (const { start, end } of left) {
    let from = start;
    while (j < right.length && right[j]!.end <= from) j++;
    let k = j;
    while (k < right.length && right[k]!.start < end) {
      const hole = right[k]!;
      if (from < hole.start) rest.push({ start: from, end: hole.start });
      from = Math.max(from, hole.end);
      k++;
    }
    if (from < end) rest.push({ start: from, end });
    // The last hole may reach into the next range, so it is looked at again.
    j = Math.max(j, k - 1);
  }
  return rest;
}

/** True when every instant of `range` is in the set; an empty range always is. */
export function containsRange(set: RangeSet, range: TimeRange): boolean {
  if (range.start >= range.end) return true;
  const found = rangeAt(set, range.start);
  return found !== undefined && found.end >= range.end;
}

/** True when the instant is in the set; found by halving. */
export function containsTime(set: RangeSet, at: number): boolean {
  return rangeAt(set, at) !== undefined;
}

/** The sum of the lengths in milliseconds. */
export function totalLength(set: RangeSet): number {
  let sum = 0;
  for (const range of set) sum += range.end - range.start;
  return sum;
}

/** From the first start to the last end, holes included; `undefined` for the empty set. */
export function hullOfRanges(set: RangeSet): TimeRange | undefined {
  const first = set[0];
  return first === undefined ? undefined : { start: first.start, end: set[set.length - 1]!.end };
}

/** The part of the set inside one range. */
export function clipRanges(set: RangeSet, bounds: TimeRange): RangeSet {
  return bounds.start < bounds.end ? intersectRanges(set, [bounds]) : [];
}

function rangeAt(set: RangeSet, at: number): TimeRange | undefined {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (set[middle]!.end <= at) low = middle + 1;
    else high = middle;
  }
  const range = set[low];
  return range !== undefined && range.start <= at ? range : undefined;
}

function appendMerging(merged: TimeRange[], range: TimeRange): void {
  const last = merged[merged.length - 1];
  if (last === undefined || last.end < range.start) merged.push(range);
  else if (last.end < range.end) merged[merged.length - 1] = { start: last.start, end: range.end };
}

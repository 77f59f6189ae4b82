/*
 * A set of times: half-open stretches in order, none of which touches another. What conditions on one time leave of it:
 *
 *   in January, or from March on      [1 Jan ─── 1 Feb)      [1 Mar ─────────▶
 */
import type { TimeBounds, TimeSet } from '../logical-query.ts';

export const ALL_TIMES: TimeSet = [{}];
export const NO_TIME: TimeSet = [];

type Stretch = readonly [start: number, end: number];

const ends = ({ start, end }: TimeBounds): Stretch => [
  start ?? Number.NEGATIVE_INFINITY,
  end ?? Number.POSITIVE_INFINITY,
];

const bounds = ([start, end]: Stretch): TimeBounds => ({
  ...(Number.isFinite(start) ? { start } : {}),
  ...(Number.isFinite(end) ? { end } : {}),
});

/** The set of all that is in one of these stretches, which may overlap or be empty. */
export function timeSet(stretches: readonly TimeBounds[]): TimeSet {
  const sorted = stretches
    .map(ends)
    .filter(([start, end]) => start < end)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const merged: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged.map(bounds);
}

export function union(sets: readonly TimeSet[]): TimeSet {
  return timeSet(sets.flat());
}

export function intersection(sets: readonly TimeSet[]): TimeSet {
  return complement(union(sets.map(complement)));
}

/** Everything else. */
export function complement(set: TimeSet): TimeSet {
  const found: TimeBounds[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const [start, end] of set.map(ends)) {
    if (from < start) found.push(bounds([from, start]));
    from = end;
  }
  return from < Number.POSITIVE_INFINITY ? [...found, bounds([from, Number.POSITIVE_INFINITY])] : found;
}

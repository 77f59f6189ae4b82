import { DAY_MS } from '../foundation/time/civil.ts';
import { isoInstantShort } from '../foundation/time/iso.ts';
import type { RangeSet } from '../foundation/time/ranges.ts';

/** A range this long is not time but a whole: a view or a seed. */
export const CENTURY_MS = 200 * 365 * DAY_MS;

/** Pairs of ISO times, half-open; empty for what has no time. */
export function intervalPairs(ranges: RangeSet): readonly (readonly [string, string])[] {
  return ranges
    .filter(({ start, end }) => end - start <= CENTURY_MS)
    .map(({ start, end }) => [isoInstantShort(start), isoInstantShort(end)]);
}

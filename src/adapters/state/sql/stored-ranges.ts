import type { RangeSet } from '../../../foundation/time/ranges.ts';

/** A range set as one short text: `[start,end,start,end,…]`. */
export function storedRanges(ranges: RangeSet): string {
  const flat: number[] = [];
  for (const { start, end } of ranges) flat.push(start, end);
  return JSON.stringify(flat);
}

/** Back from the flat list. */
export function rangesOf(flat: readonly number[]): RangeSet {
  const ranges: { readonly start: number; readonly end: number }[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) ranges.push({ start: flat[i]!, end: flat[i + 1]! });
  return ranges;
}

export function parseRanges(text: string): RangeSet {
  return rangesOf(JSON.parse(text) as number[]);
}

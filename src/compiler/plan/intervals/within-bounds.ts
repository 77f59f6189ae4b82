import { hullOfRanges } from '../../../foundation/time/ranges.ts';
import type { Bounds, TableToFill } from './due-intervals.ts';

/**
 * `--start` and `--end` over what a table has. No range makes less of what is there: a table is not made whole for a part, nor
 * gets a gap that what reads it would not see. One that reads its own past begins at its beginning.
 */
export function withinBounds(
  { start: begin, end }: { readonly start?: number | undefined; readonly end?: number | undefined },
  { snapshot: { kind, readsItself }, had }: TableToFill,
): Bounds {
  const hull = hullOfRanges(had);
  const latest = kind === 'full' ? hull?.start : hull?.end;
  const start =
    hull === undefined && readsItself === true
      ? undefined
      : begin === undefined || latest === undefined
        ? begin
        : Math.min(begin, latest);
  const last = end === undefined || hull === undefined ? end : Math.max(end, hull.end);
  return { ...(start === undefined ? {} : { start }), ...(last === undefined ? {} : { end: last }) };
}

import { tableKey } from '../../domain/relation.ts';
import { type RangeSet, unionRanges } from '../../foundation/time/ranges.ts';
import type { PlanInput } from './plan-input.ts';

/** Filled intervals with those that wait to be filled again: what may be asked for once more. */
export function withPending({ intervals, pending }: PlanInput): ReadonlyMap<string, RangeSet> {
  if (pending.length === 0) return intervals;
  const all = new Map(intervals);
  for (const { table, ranges } of pending) {
    const key = tableKey(table);
    all.set(key, unionRanges(all.get(key) ?? [], ranges));
  }
  return all;
}

import type { EnvironmentEntry } from '../../../domain/environment.ts';
import type { BackfillMember } from '../../../domain/plan.ts';
import { isWritten, type Snapshot } from '../../../domain/snapshot.ts';
import {
  intersectRanges,
  type RangeSet,
  subtractRanges,
  unionRanges,
} from '../../../foundation/time/ranges.ts';
import { isIncremental, isParallel, refillOf } from './kind-traits.ts';

/** How one model is written: which table, which time, how many units a transaction and how many transactions at once. */
export function backfillMember(
  { snapshot, entry }: { readonly snapshot: Snapshot; readonly entry: EnvironmentEntry },
  ranges: RangeSet,
  context: {
    readonly filled: RangeSet;
    readonly restated: RangeSet;
    /** Batches that the run lets run side by side. */
    readonly concurrency: number;
    readonly isEmpty: boolean;
  },
): BackfillMember {
  const { model, fingerprint, kind, schedule } = snapshot;
  const { version } = entry;
  if (version === undefined) throw new Error(`${model} is to be written but has no version`);
  const refills = refilled(kind, ranges, context);
  const isAnew = beginsAnew(snapshot, ranges, context);
  // Later intervals that are made again must not be seen, or left by a crash, as they were before.
  const isTogether = isAnew || (refillOf(snapshot) === 'onward' && refills.length > 0);
  // Each interval sees the one before, however many a user would write at once.
  const batchSize = snapshot.readsItself === true ? 1 : schedule.batchSize;
  return {
    model,
    fingerprint,
    table: { model, version },
    ranges,
    unit: schedule.unit,
    ...(batchSize === undefined || !isIncremental(kind) ? {} : { batchSize }),
    batchConcurrency: isParallel(snapshot)
      ? Math.max(1, Math.min(schedule.batchConcurrency, context.concurrency))
      : 1,
    ...((context.isEmpty && isWritten(kind)) || ranges.length === 0 ? { isEmpty: true } : {}),
    ...(refills.length === 0 ? {} : { refills, isRestatement: true }),
    ...(isAnew ? { isAnew: true } : {}),
    ...(isTogether ? { isTogether: true } : {}),
    ...(refillOf(snapshot) === 'onward' ? { isOnward: true } : {}),
  };
}

/** What is rebuilt whole replaces rows anyway: only a restatement fills it again on purpose. */
function refilled(
  kind: Snapshot['kind'],
  ranges: RangeSet,
  { filled, restated }: { readonly filled: RangeSet; readonly restated: RangeSet },
): RangeSet {
  if (isIncremental(kind)) return intersectRanges(ranges, unionRanges(filled, restated));
  return restated.length > 0 ? ranges : [];
}

/** Rows that do not say where they came from are never filled again beside others: all of them, from an empty table. */
function beginsAnew(
  snapshot: Snapshot,
  ranges: RangeSet,
  { filled, restated }: { readonly filled: RangeSet; readonly restated: RangeSet },
): boolean {
  if (snapshot.kind === 'full') return snapshot.readsItself === true && restated.length > 0;
  if (!isIncremental(snapshot.kind) || refillOf(snapshot) !== 'whole') return false;
  const had = unionRanges(filled, restated);
  return had.length > 0 && ranges.length > 0 && subtractRanges(had, ranges).length === 0;
}

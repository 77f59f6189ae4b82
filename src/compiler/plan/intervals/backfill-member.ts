import type { EnvironmentEntry } from '../../../domain/environment.ts';
import type { BackfillMember } from '../../../domain/plan.ts';
import { isWritten, type Snapshot } from '../../../domain/snapshot.ts';
import { intersectRanges, type RangeSet, unionRanges } from '../../../foundation/time/ranges.ts';
import { isIncremental, isParallel } from './kind-traits.ts';

/** How one model is written: which table, which time, how many units a transaction and how many transactions at once. */
export function backfillMember(
  { snapshot, entry }: { readonly snapshot: Snapshot; readonly entry: EnvironmentEntry },
  ranges: RangeSet,
  around: {
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
  const { batchSize } = schedule;
  const refills = refilled(kind, ranges, around);
  return {
    model,
    fingerprint,
    table: { model, version },
    ranges,
    unit: schedule.unit,
    ...(batchSize === undefined || !isIncremental(kind) ? {} : { batchSize }),
    batchConcurrency: isParallel(kind)
      ? Math.max(1, Math.min(schedule.batchConcurrency, around.concurrency))
      : 1,
    ...((around.isEmpty && isWritten(kind)) || ranges.length === 0 ? { isEmpty: true } : {}),
    ...(refills.length === 0 ? {} : { refills, isRestatement: true }),
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

import type { Schedule } from '../../../domain/snapshot.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../../foundation/time/ranges.ts';
import { shrinkToUnits } from '../../../foundation/time/unit-ranges.ts';

/** Time that the environment shows now and would lack with the new table, in whole units: what `--no-gaps` refuses. */
export function dataGaps(
  shown: { readonly schedule: Pick<Schedule, 'unit'>; readonly filled: RangeSet },
  next: { readonly filled: RangeSet; readonly missing: RangeSet },
): RangeSet {
  return subtractRanges(
    shrinkToUnits(shown.filled, shown.schedule.unit),
    unionRanges(next.filled, next.missing),
  );
}

/*
 * What of a planned range is still to write once the table's lease is held and its ledger was read again. Others may
 * have filled it since the plan was made (another environment that shares the table, the part of this run before a
 * crash), and a restatement asks for time that is filled to be filled once more:
 *
 *   effective = filled − (pending restatement − filled since it was asked for)
 *   left      = planned − effective            nothing left: another run did it
 *
 * What is filled again on purpose (lookback, automatic restatement) goes with what is left; alone it is done only when
 * nothing else was planned, because then no other process can have done it. A table that is rebuilt is made of all of it
 * or not at all; of a model over its own past, everything behind what is left is written again.
 */

import type { ModelKind } from '../../domain/model-kind.ts';
import type { BackfillMember } from '../../domain/plan.ts';
import {
  hullOfRanges,
  intersectRanges,
  type RangeSet,
  subtractRanges,
  unionRanges,
} from '../../foundation/time/ranges.ts';
import { expandToUnits, withLookback } from '../../foundation/time/unit-ranges.ts';

export interface RemainingInput {
  readonly member: BackfillMember;
  readonly kind: ModelKind;
  readonly ledger: { readonly filled: RangeSet; readonly filledSince: RangeSet };
  /** Time of this table that waits to be filled again. */
  readonly pending: RangeSet;
  /** The run's own plan recorded the restatement: when it is no longer pending, it is done. */
  readonly isRecordedRestatement: boolean;
}

export function remainingRanges(input: RemainingInput): RangeSet {
  const { member, kind, ledger, pending, isRecordedRestatement } = input;
  const { ranges, refills = [] } = member;
  const effective = subtractRanges(ledger.filled, subtractRanges(pending, ledger.filledSince));
  const left = subtractRanges(ranges, effective);
  if (left.length === 0) {
    const isOnlyRefilled = subtractRanges(ranges, refills).length === 0;
    return isOnlyRefilled && !isRecordedRestatement ? refills : [];
  }
  if (isRebuilt(kind)) {
    const whole = hullOfRanges(ranges);
    return whole === undefined ? [] : [whole];
  }
  if (member.isAnew === true)
    // Others may have rebuilt it since: then only what is newer than all of it is left.
    return isBelow(left, effective) ? unionRanges(ranges, ledger.filled) : left;
  if (member.isOnward === true) {
    const last = Math.max(ranges.at(-1)!.end, ledger.filled.at(-1)?.end ?? Number.NEGATIVE_INFINITY);
    return [{ start: hullOfRanges(unionRanges(left, refills))!.start, end: last }];
  }
  if (isAdding(kind)) return left;
  if (!isRecordedRestatement) return unionRanges(left, refills);
  const lookback = 'lookback' in kind ? kind.lookback : 0;
  const startBound = ranges[0]?.start ?? 0;
  // A running unit that is filled in part is written again from its beginning.
  const units = expandToUnits(left, member.unit);
  return intersectRanges(ranges, withLookback(units, { unit: member.unit, lookback, startBound }));
}

/** Whether something lies before the end of what is filled. */
function isBelow(left: RangeSet, filled: RangeSet): boolean {
  return left[0]!.start < (filled.at(-1)?.end ?? Number.POSITIVE_INFINITY);
}

/** Kinds whose every write rebuilds the whole table: they have one batch. */
export function isRebuilt(kind: ModelKind): boolean {
  return kind.kind === 'full' || kind.kind === 'view' || kind.kind === 'seed';
}

/** Kinds that add to what their table holds: writing an interval twice would double it. */
export function isAdding(kind: ModelKind): boolean {
  switch (kind.kind) {
    case 'incremental-unmanaged':
      return !kind.insertOverwrite;
    case 'scd-type-2-by-time':
    case 'scd-type-2-by-column':
      return true;
    default:
      return false;
  }
}

import type { Snapshot } from '../../../domain/snapshot.ts';
import { floorTick } from '../../../foundation/time/cron.ts';
import { addUnits, floorToUnit } from '../../../foundation/time/interval-unit.ts';
import { clipRanges, type RangeSet } from '../../../foundation/time/ranges.ts';
import { checkedCron, dueEnd } from '../due.ts';
import { isRepeatable } from './kind-traits.ts';

/**
 * The last intervals that `auto_restatement_cron` makes due again: when it ticked after `since`, the execution time of
 * the last run that succeeded. A run that fails or is killed does not move `since`, so the next one does it again.
 */
export function autoRestatement(
  { kind, schedule }: Pick<Snapshot, 'kind' | 'schedule'>,
  filled: RangeSet,
  time: { readonly executionTime: number; readonly since: number | undefined },
): RangeSet {
  const { autoRestatementCron, autoRestatementIntervals, cronTz, unit, disableRestatement } = schedule;
  const { executionTime, since } = time;
  if (autoRestatementCron === undefined || disableRestatement || since === undefined) return [];
  if (!isRepeatable(kind)) return [];
  if (floorTick(checkedCron(autoRestatementCron, cronTz), executionTime) <= since) return [];
  if (autoRestatementIntervals === undefined) return filled;
  const end = dueEnd(schedule, kind, { executionTime });
  // A running unit is filled again anyway and is not one of the last N.
  const start = addUnits(unit, floorToUnit(unit, end), -autoRestatementIntervals);
  return clipRanges(filled, { start, end });
}

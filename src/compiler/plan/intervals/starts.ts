/*
 * Where each model's time begins. Its own `start` (relative ones count from the execution time), else the earliest of
 * its parents', else one cron period before now:
 *
 *   a (start 2020) ──▶ b (none: 2020) ──▶ c (start 2023: 2023)          d (none, no parents: yesterday, when daily)
 */
import type { Schedule, Snapshot } from '../../../domain/snapshot.ts';
import { orderByDependencies } from '../../../foundation/graph.ts';
import { floorTick, previousTick } from '../../../foundation/time/cron.ts';
import { addUnits, floorToUnit } from '../../../foundation/time/interval-unit.ts';
import { checkedTime, cronOf } from '../due.ts';

/** What is asked of a model to know its start. */
export type Startable = Pick<Snapshot, 'model' | 'parents' | 'schedule'>;

/** The start of every model, by name; a model without one of its own has the `startFallback` of `missingIntervals` here. */
export function startsOf(models: readonly Startable[], executionTime: number): ReadonlyMap<string, number> {
  const byName = new Map(models.map((model) => [model.model, model]));
  const parents = new Map(models.map((model) => [model.model, model.parents]));
  const starts = new Map<string, number>();
  for (const name of orderByDependencies(parents).order) {
    const { schedule, parents: above } = byName.get(name)!;
    starts.set(name, startOf(schedule, above, { starts, executionTime }));
  }
  return starts;
}

/** A model's own start on its grid, outward; undefined when it names none. */
export function ownStart({ start, unit }: Schedule, executionTime: number): number | undefined {
  return start === undefined ? undefined : floorToUnit(unit, checkedTime(start, executionTime).at);
}

function startOf(
  schedule: Schedule,
  parents: readonly string[],
  known: { readonly starts: ReadonlyMap<string, number>; readonly executionTime: number },
): number {
  const own = ownStart(schedule, known.executionTime);
  if (own !== undefined) return own;
  const found = parents.flatMap((parent) => known.starts.get(parent) ?? []);
  return found.length > 0 ? Math.min(...found) : lastPeriodStart(schedule, known.executionTime);
}

/** The last cron period that is over, on the grid: at least one unit. */
function lastPeriodStart(schedule: Schedule, executionTime: number): number {
  const { unit } = schedule;
  const cron = cronOf(schedule);
  const end = floorTick(cron, executionTime);
  return Math.min(floorToUnit(unit, previousTick(cron, end)), addUnits(unit, end, -1));
}

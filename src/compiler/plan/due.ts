/*
 * Until when a model is due. A unit [s, e) is due once a tick of the cron has come at or after e, so everything up to
 * the last tick is, on the grid of the unit. The grid is UTC; `cron_tz` only moves the ticks:
 *
 *   units  ──|─────|─────|─────|──          @daily in Berlin ticks at 22:00 or 23:00 UTC,
 *   ticks  ────┴─────┴─────┴─ now           so a UTC day is due the evening after it ended
 *   due    ────────────────)
 */
import type { ModelKind } from '../../domain/model-kind.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import { type Cron, floorTick, nextTick, parseCron } from '../../foundation/time/cron.ts';
import { ceilToUnit, floorToUnit } from '../../foundation/time/interval-unit.ts';
import { exclusiveEnd, type ParsedTime, parseTime } from '../../foundation/time/relative-date.ts';
import { isAppending, isHistory } from './intervals/kind-traits.ts';

/** The exclusive end of what is due now; with partial units allowed it is the execution time itself. */
export function dueEnd(
  schedule: Schedule,
  kind: ModelKind['kind'],
  at: { readonly executionTime: number; readonly ignoreCron?: boolean },
): number {
  const { executionTime, ignoreCron = false } = at;
  const until = takesPartials(schedule, kind)
    ? executionTime
    : floorToUnit(schedule.unit, ignoreCron ? executionTime : floorTick(cronOf(schedule), executionTime));
  return Math.min(until, scheduleEnd(schedule, executionTime));
}

/** Whether a unit may be filled in part. Kinds that add to what is there would get its rows again and again. */
export function takesPartials({ allowPartials }: Schedule, kind: ModelKind['kind']): boolean {
  return allowPartials && !isAppending(kind) && !isHistory(kind);
}

/** The end of a model's life, outward to whole units; infinite when it has none. */
export function scheduleEnd({ end, unit }: Schedule, executionTime: number): number {
  return end === undefined
    ? Number.POSITIVE_INFINITY
    : ceilToUnit(unit, exclusiveEnd(checkedTime(end, executionTime)));
}

/** The next instant at which the schedule may make something due: what a scheduler sleeps until. */
export function nextDue(schedule: Schedule, at: number): number {
  const next = nextTick(cronOf(schedule), at);
  const { autoRestatementCron, cronTz } = schedule;
  if (autoRestatementCron === undefined) return next;
  return Math.min(next, nextTick(checkedCron(autoRestatementCron, cronTz), at));
}

/** The cron of a schedule; loading has proven that it can be read. */
export function cronOf({ cron, cronTz }: Schedule): Cron {
  return checkedCron(cron, cronTz);
}

/** A cron text that was checked when the project was loaded. */
export function checkedCron(text: string, zone: string): Cron {
  const cron = parseCron(text, zone);
  if (cron.kind === 'problem') throw new Error(`a schedule that loading let through: ${cron.message}`);
  return cron;
}

/** A point in time that was checked when the project was loaded. */
export function checkedTime(text: string, executionTime: number): ParsedTime {
  const time = parseTime(text, executionTime);
  if (time.kind === 'problem') throw new Error(`a time that loading let through: ${time.message}`);
  return time;
}

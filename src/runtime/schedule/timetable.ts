import { nextDue } from './due-times.ts';
import type { AppliedSchedules } from './read-schedules.ts';
import type { DueEnvironment } from './scheduler-event.ts';

/** What is known of the runs of each environment, and from that when the next one is due. */
export interface Timetable {
  /** Environments that are due now, prod first, then whichever waits longest. */
  due(schedules: AppliedSchedules, now: number): readonly PendingRun[];
  /** When each environment that is not due now will be, earliest first. */
  next(schedules: AppliedSchedules, now: number): readonly DueEnvironment[];
  /** Everything up to the execution time is in the hands of this run. */
  started(environment: string, executionTime: number): void;
  settled(environment: string): void;
  /** Nothing failed, but it is to be tried again before its next tick. */
  retryAt(environment: string, at: number): void;
  /** After a failure: soon, and each time later; answers with when. */
  retryLater(environment: string, now: number): number;
  /** Nothing is known any more: every environment is due once. */
  forgetAll(): void;
}

/** An environment whose run should begin. */
export interface PendingRun {
  readonly environment: string;
  readonly at: number;
  /** The tick that made it due. */
  readonly dueSince?: number;
}

interface Entry {
  handledUntil: number;
  retryAt?: number;
  failures: number;
}

const FIRST_RETRY_MS = 30_000;
const RETRY_MAX_MS = 15 * 60_000;

export function createTimetable(delayOf: (environment: string) => number): Timetable {
  const entries = new Map<string, Entry>();

  const nextOf = (
    environment: string,
    schedules: AppliedSchedules,
    now: number,
  ): (DueEnvironment & { readonly dueSince?: number }) | undefined => {
    const crons = schedules.get(environment)?.crons ?? [];
    const entry = entries.get(environment);
    const tick = nextDue(crons, entry?.handledUntil ?? now);
    if (tick === undefined) return undefined;
    if (entry === undefined) return { environment, at: now, models: [] };
    const at = tick.at + delayOf(environment);
    if (entry.retryAt !== undefined && entry.retryAt < at)
      return { environment, at: entry.retryAt, models: [] };
    return { environment, at, models: tick.models, dueSince: tick.at };
  };
  const all = (
    schedules: AppliedSchedules,
    now: number,
  ): (DueEnvironment & { readonly dueSince?: number })[] =>
    [...schedules.keys()].flatMap((environment) => nextOf(environment, schedules, now) ?? []);
  // What was forgotten while its run went on is due again anyway.
  const change = (environment: string, entry: Partial<Entry>): void => {
    const before = entries.get(environment);
    if (before !== undefined) entries.set(environment, { ...before, ...entry });
  };

  return {
    due: (schedules, now) =>
      all(schedules, now)
        .filter(({ at }) => at <= now)
        .sort((a, b) => Number(b.environment === 'prod') - Number(a.environment === 'prod') || inOrder(a, b))
        .map(({ models: _models, ...pending }) => pending),
    next: (schedules, now) =>
      all(schedules, now)
        .filter(({ at }) => at > now)
        .sort(inOrder)
        .map(({ environment, at, models }) => ({ environment, at, models })),
    started: (environment, executionTime) => {
      const failures = entries.get(environment)?.failures ?? 0;
      entries.set(environment, { handledUntil: executionTime, failures });
    },
    settled: (environment) => change(environment, { failures: 0 }),
    retryAt: (environment, at) => change(environment, { failures: 0, retryAt: at }),
    retryLater: (environment, now) => {
      const failures = (entries.get(environment)?.failures ?? 0) + 1;
      const at = now + Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), RETRY_MAX_MS);
      change(environment, { failures, retryAt: at });
      return at;
    },
    forgetAll: () => entries.clear(),
  };
}

function inOrder(a: DueEnvironment, b: DueEnvironment): number {
  return a.at - b.at || (a.environment < b.environment ? -1 : 1);
}

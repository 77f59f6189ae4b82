/*
 * Keeps environments up to date. One process leads, by a lease; the others wait for it to fall silent:
 *
 *   follow ──lease free──▶ lead: every two seconds extend the lease, start what is due, sleep
 *                           ├─ new leader, or the machine slept: one run per environment fills all that was missed
 *                           ├─ a tick during a run of the same environment: one more run after it
 *                           ├─ a run that failed: next tick; for a fault of the world: soon, less and less often
 *                           └─ stop: nothing new begins, the signal goes to the runs, the lease is released
 *
 * The clock on the wall is the execution time of the runs. What is due inside a run is decided by the run.
 */
import type { Clock } from '../../domain/clock.ts';
import { HEARTBEAT_MS } from '../../domain/lease.ts';
import type { Run } from '../../domain/run.ts';
import type { JournalStore, SnapshotReader } from '../../domain/state-store.ts';
import { isFailedByWorld, isWorldsFault } from '../../domain/worlds-fault.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { eventQueue } from '../execute/event-queue.ts';
import { type AppliedSchedules, readSchedules } from './read-schedules.ts';
import type { SchedulerEvent } from './scheduler-event.ts';
import { createTimetable, type PendingRun } from './timetable.ts';

/** What a scheduled run brought: without `run` nothing was due. `waiting` names models whose signals said "not yet". */
export interface ScheduledRun {
  readonly run?: Run;
  readonly waiting?: readonly string[];
}

/** What the scheduler works with. */
export interface SchedulerPorts {
  readonly snapshots: SnapshotReader;
  readonly journal: Pick<JournalStore, 'takeLease' | 'releaseLease'>;
  readonly clock: Clock;
  /** Fills what is due at that time. Throws what is wrong with the world; a run that failed is an answer. */
  run(environment: string, executionTime: number, signal: AbortSignal): Promise<ScheduledRun>;
}

export interface SchedulerOptions {
  /** Unique for this process. */
  readonly holder: string;
  /** The worker in words. */
  readonly who: string;
  /** Stops the scheduler; it is handed to the runs as well. */
  readonly signal: AbortSignal;
  /** Names of environments (default `prod`), or all that have not expired. They need not exist yet. */
  readonly environments?: readonly string[] | 'all';
  /** Environments that are run side by side. */
  readonly runsAtOnce?: number;
  /** How often the lead is extended, or asked for; well below the life of a lease. */
  readonly heartbeatMs?: number;
  /** How soon plans that others apply are noticed. */
  readonly refreshMs?: number;
  /** How often a model is asked again whose signals said "not yet". */
  readonly signalsMs?: number;
  /** Ticks are delayed by up to this much, by the same amount each time: many projects need not begin at midnight sharp. */
  readonly jitterMs?: number;
  /** What makes projects differ: the id of the warehouse, for example. */
  readonly jitterSeed?: string;
}

const LEASE = 'scheduler';
const REFRESH_MS = 30_000;
const SIGNALS_MS = 60_000;
const RUNS_AT_ONCE = 2;

/** Ends when the signal is given and the runs have ended; leaving the loop has the same effect. */
export async function* schedule(
  ports: SchedulerPorts,
  options: SchedulerOptions,
): AsyncGenerator<SchedulerEvent, void, undefined> {
  const events = eventQueue<SchedulerEvent>();
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const working = lead(ports, { ...options, signal }, (event) => events.push(event)).finally(() =>
    events.end(),
  );
  // Its error is thrown below; until then it must not count as unhandled.
  working.catch(() => {});
  try {
    yield* events.items();
  } finally {
    left.abort();
    await working;
  }
}

type Tell = (event: SchedulerEvent) => void;

async function lead(ports: SchedulerPorts, options: SchedulerOptions, tell: Tell): Promise<void> {
  const { clock, journal } = ports;
  const { holder, who, signal, runsAtOnce = RUNS_AT_ONCE, heartbeatMs = HEARTBEAT_MS } = options;
  const timetable = createTimetable((environment) => delayOf(environment, options));
  const running = new Map<string, Promise<void>>();
  let schedules: AppliedSchedules | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let leaderToken: number | undefined;
  let followed: string | undefined;
  let reported = '';
  let refused: string | undefined;
  let wake = new AbortController();
  signal.addEventListener('abort', () => wake.abort(), { once: true });

  const start = ({ environment, dueSince }: PendingRun): void => {
    const executionTime = clock.now();
    tell({
      event: 'scheduler.run-started',
      environment,
      executionTime,
      ...(dueSince === undefined ? {} : { dueSince }),
    });
    timetable.started(environment, executionTime);
    const work = async (): Promise<void> => {
      try {
        const { run, waiting = [] } = await ports.run(environment, executionTime, signal);
        let retryAt: number | undefined;
        if (waiting.length > 0) {
          timetable.retryAt(environment, clock.now() + (options.signalsMs ?? SIGNALS_MS));
        } else if (run !== undefined && isFailedByWorld(run)) {
          retryAt = timetable.retryLater(environment, clock.now());
        } else timetable.settled(environment);
        tell({
          event: 'scheduler.run-finished',
          environment,
          ...(run === undefined ? {} : { run }),
          ...(retryAt === undefined ? {} : { retryAt }),
        });
      } catch (error) {
        const retryAt = isWorldsFault(error) ? timetable.retryLater(environment, clock.now()) : undefined;
        tell({
          event: 'scheduler.run-failed',
          environment,
          error,
          ...(retryAt === undefined ? {} : { retryAt }),
        });
      } finally {
        running.delete(environment);
        wake.abort();
      }
    };
    running.set(environment, Promise.resolve().then(work));
  };

  /** What state refuses for the moment is reported, not thrown, and once: it is tried again, or expires by itself. */
  const orTell = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      refused = undefined;
    } catch (error) {
      if (!isWorldsFault(error)) throw error;
      const { message } = error as Error;
      if (message !== refused) tell({ event: 'scheduler.state-failed', error });
      refused = message;
    }
  };

  const turn = async (): Promise<number> => {
    const now = clock.now();
    const answer = await journal.takeLease({ name: LEASE, holder, who, now });
    if (answer.kind === 'held') {
      if (leaderToken !== undefined) tell({ event: 'scheduler.lost-lead', leader: answer.by });
      else if (followed !== answer.by.holder) tell({ event: 'scheduler.following', leader: answer.by });
      leaderToken = undefined;
      followed = answer.by.holder;
      return Math.max(1, Math.min(heartbeatMs, answer.by.expiresAt - now));
    }
    const token = answer.leases[0]?.token ?? 0;
    if (token !== leaderToken) {
      leaderToken = token;
      followed = undefined;
      // Whatever was due while another worker led is found by one run each.
      timetable.forgetAll();
      readAt = Number.NEGATIVE_INFINITY;
      reported = '';
      tell({ event: 'scheduler.leading', token });
    }
    if (schedules === undefined || now - readAt >= (options.refreshMs ?? REFRESH_MS) || now < readAt) {
      schedules = await readSchedules(ports.snapshots, {
        environments: options.environments ?? ['prod'],
        now,
        ...(schedules === undefined ? {} : { before: schedules }),
      });
      readAt = now;
    }
    for (const due of timetable.due(schedules, now)) {
      if (signal.aborted || running.size >= runsAtOnce) break;
      if (!running.has(due.environment)) start(due);
    }
    const next = timetable.next(schedules, now);
    const text = JSON.stringify(next);
    if (text !== reported) tell({ event: 'scheduler.next-due', environments: next });
    reported = text;
    const first = next.find(({ environment }) => !running.has(environment));
    const untilNext = running.size >= runsAtOnce || first === undefined ? heartbeatMs : first.at - now;
    return Math.max(1, Math.min(heartbeatMs, untilNext));
  };

  try {
    while (!signal.aborted) {
      let pauseMs = heartbeatMs;
      await orTell(async () => {
        pauseMs = await turn();
      });
      if (!signal.aborted) await clock.sleep(pauseMs, wake.signal);
      if (wake.signal.aborted) wake = new AbortController();
    }
  } finally {
    await finishRuns(running, clock, () =>
      orTell(() => journal.takeLease({ name: LEASE, holder, who, now: clock.now() })),
    );
    await orTell(() => journal.releaseLease(LEASE, holder));
    tell({ event: 'scheduler.stopped' });
  }
}

/** Runs that are still going keep the lead, so that a successor does not meet their environments busy. */
async function finishRuns(
  running: ReadonlyMap<string, Promise<void>>,
  clock: Clock,
  extend: () => Promise<unknown>,
): Promise<void> {
  while (running.size > 0) {
    const ended = new AbortController();
    const all = Promise.all(running.values()).then(() => ended.abort());
    await Promise.race([all, clock.sleep(HEARTBEAT_MS, ended.signal)]);
    if (running.size > 0) await extend();
  }
}

function delayOf(environment: string, { jitterMs = 0, jitterSeed = '' }: SchedulerOptions): number {
  let mixed = 0;
  for (const letter of hash128(jitterSeed, environment)) mixed = (mixed * 31 + letter.charCodeAt(0)) >>> 0;
  return jitterMs <= 0 ? 0 : mixed % jitterMs;
}

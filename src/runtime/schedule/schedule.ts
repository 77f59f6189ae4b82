/*
 * Keeps environments up to date. One process leads, by a lease; the others wait for it to fall silent:
 *
 *   follow ──lease free──▶ lead: every two seconds extend the lease, start what is due, sleep
 *                           ├─ new leader, or the machine slept: one run per environment fills all that was missed
 *                           ├─ a tick during a run of the same environment: one more run after it
 *                           ├─ a run that failed: next tick; for a transient failure: soon, less and less often
 *                           └─ stop: nothing new begins, the signal goes to the runs, the lease is released
 *
 * The clock on the wall is the execution time of the runs. What is due inside a run is decided by the run.
 */
import type { Clock } from '../../domain/clock.ts';
import { HEARTBEAT_MS, type Lease, type LeaseAnswer } from '../../domain/lease.ts';
import type { Run } from '../../domain/run.ts';
import type { JournalStore, SnapshotReader } from '../../domain/state-store.ts';
import { failedTransiently, isTransient } from '../../domain/transient-failure.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { eventQueue } from '../execute/event-queue.ts';
import { type AppliedSchedules, readSchedules } from './read-schedules.ts';
import type { SchedulerEvent } from './scheduler-event.ts';
import { createTimetable, type PendingRun, type Timetable } from './timetable.ts';

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
  const scheduler = new Scheduler(ports, { ...options, signal }, (event) => events.push(event));
  const working = scheduler.lead().finally(() => events.end());
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

/** One process that leads, or waits to lead. */
class Scheduler {
  readonly #ports: SchedulerPorts;
  readonly #options: SchedulerOptions;
  readonly #tell: Tell;
  readonly #timetable: Timetable;
  readonly #running = new Map<string, Promise<void>>();
  readonly #heartbeatMs: number;
  readonly #runsAtOnce: number;
  #schedules: AppliedSchedules | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #leaderToken: number | undefined;
  #followed: string | undefined;
  #reported = '';
  #refused: string | undefined;
  #wake = new AbortController();

  constructor(ports: SchedulerPorts, options: SchedulerOptions, tell: Tell) {
    this.#ports = ports;
    this.#options = options;
    this.#tell = tell;
    this.#timetable = createTimetable((environment) => delayOf(environment, options));
    this.#heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.#runsAtOnce = options.runsAtOnce ?? RUNS_AT_ONCE;
    options.signal.addEventListener('abort', () => this.#wake.abort(), { once: true });
  }

  /** Until the signal is given and the runs have ended. */
  async lead(): Promise<void> {
    const { clock, journal } = this.#ports;
    const { signal, holder } = this.#options;
    try {
      while (!signal.aborted) {
        let pauseMs = this.#heartbeatMs;
        await this.#orTell(async () => {
          pauseMs = await this.#turn();
        });
        if (!signal.aborted) await clock.sleep(pauseMs, this.#wake.signal);
        if (this.#wake.signal.aborted) this.#wake = new AbortController();
      }
    } finally {
      await finishRuns(this.#running, clock, () => this.#orTell(() => this.#takeLease(clock.now())));
      await this.#orTell(() => journal.releaseLease(LEASE, holder));
      this.#tell({ event: 'scheduler.stopped' });
    }
  }

  /** Extends the lease and starts what is due, or follows; answers with how long to sleep. */
  async #turn(): Promise<number> {
    const now = this.#ports.clock.now();
    const answer = await this.#takeLease(now);
    if (answer.kind === 'held') {
      this.#follow(answer.by);
      return Math.max(1, Math.min(this.#heartbeatMs, answer.by.expiresAt - now));
    }
    this.#leadWith(answer.leases[0]?.token ?? 0);
    const schedules = await this.#currentSchedules(now);
    for (const due of this.#timetable.due(schedules, now)) {
      if (this.#options.signal.aborted || this.#running.size >= this.#runsAtOnce) break;
      if (!this.#running.has(due.environment)) this.#start(due);
    }
    const next = this.#timetable.next(schedules, now);
    const text = JSON.stringify(next);
    if (text !== this.#reported) this.#tell({ event: 'scheduler.next-due', environments: next });
    this.#reported = text;
    const first = next.find(({ environment }) => !this.#running.has(environment));
    const isFull = this.#running.size >= this.#runsAtOnce;
    const untilNext = isFull || first === undefined ? this.#heartbeatMs : first.at - now;
    return Math.max(1, Math.min(this.#heartbeatMs, untilNext));
  }

  #takeLease(now: number): Promise<LeaseAnswer> {
    const { holder, who } = this.#options;
    return this.#ports.journal.takeLease({ name: LEASE, holder, who, now });
  }

  #follow(leader: Lease): void {
    if (this.#leaderToken !== undefined) this.#tell({ event: 'scheduler.lost-lead', leader });
    else if (this.#followed !== leader.holder) this.#tell({ event: 'scheduler.following', leader });
    this.#leaderToken = undefined;
    this.#followed = leader.holder;
  }

  #leadWith(token: number): void {
    if (token === this.#leaderToken) return;
    this.#leaderToken = token;
    this.#followed = undefined;
    // Whatever was due while another worker led is found by one run each.
    this.#timetable.forgetAll();
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#reported = '';
    this.#tell({ event: 'scheduler.leading', token });
  }

  async #currentSchedules(now: number): Promise<AppliedSchedules> {
    const before = this.#schedules;
    const { refreshMs = REFRESH_MS, environments = ['prod'] } = this.#options;
    if (before !== undefined && now - this.#readAt < refreshMs && now >= this.#readAt) return before;
    this.#schedules = await readSchedules(this.#ports.snapshots, {
      environments,
      now,
      ...(before === undefined ? {} : { before }),
    });
    this.#readAt = now;
    return this.#schedules;
  }

  #start({ environment, dueSince }: PendingRun): void {
    const executionTime = this.#ports.clock.now();
    this.#tell({
      event: 'scheduler.run-started',
      environment,
      executionTime,
      ...(dueSince === undefined ? {} : { dueSince }),
    });
    this.#timetable.started(environment, executionTime);
    this.#running.set(
      environment,
      Promise.resolve().then(() => this.#run(environment, executionTime)),
    );
  }

  async #run(environment: string, executionTime: number): Promise<void> {
    const { clock } = this.#ports;
    const { signal, signalsMs = SIGNALS_MS } = this.#options;
    try {
      const { run, waiting = [] } = await this.#ports.run(environment, executionTime, signal);
      let retryAt: number | undefined;
      if (waiting.length > 0) {
        this.#timetable.retryAt(environment, clock.now() + signalsMs);
      } else if (run !== undefined && failedTransiently(run)) {
        retryAt = this.#timetable.retryLater(environment, clock.now());
      } else this.#timetable.settled(environment);
      this.#tell({
        event: 'scheduler.run-finished',
        environment,
        ...(run === undefined ? {} : { run }),
        ...(retryAt === undefined ? {} : { retryAt }),
      });
    } catch (error) {
      const retryAt = isTransient(error) ? this.#timetable.retryLater(environment, clock.now()) : undefined;
      this.#tell({
        event: 'scheduler.run-failed',
        environment,
        error,
        ...(retryAt === undefined ? {} : { retryAt }),
      });
    } finally {
      this.#running.delete(environment);
      this.#wake.abort();
    }
  }

  /** What state refuses for the moment is reported, not thrown, and once: it is tried again, or expires by itself. */
  async #orTell(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#refused = undefined;
    } catch (error) {
      if (!isTransient(error)) throw error;
      const { message } = error as Error;
      if (message !== this.#refused) this.#tell({ event: 'scheduler.state-failed', error });
      this.#refused = message;
    }
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

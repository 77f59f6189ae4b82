/*
 * Where statements of one product are accepted, wait, are executed and are waited for, in one process.
 *
 *   submit ──▶ engine: versions of the data ──▶ store decides: kept answer · work under way · new work ──▶ a free place? ──▶ run
 *                                                                                                   └────▶ fair queue ──▶ run
 *   run ──▶ engine ──▶ result ──▶ store.finish: every statement that waits for it ends ──▶ news
 *
 * The store is the truth, this is its hands: whatever is in memory here is found in the store by the next process.
 */
import type { Clock } from '../../domain/clock.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { HEARTBEAT_MS } from '../../domain/lease.ts';
import type { StatementStore, SubmitOutcome } from '../../domain/state-store.ts';
import {
  type Execution,
  type ExecutionEnd,
  isTerminal,
  type NewStatement,
  type Statement,
} from '../../domain/statement.ts';
import type { StatementFigures } from '../../domain/statement-figures.ts';
import { executeWork, statementErrorOf, type WorkPorts } from './execute-work.ts';
import { FairQueue } from './fair-queue.ts';
import { type AskedRequest, shareableRequest } from './shareable-request.ts';
import { type News, StatementNews } from './statement-news.ts';
import { StatementTally } from './statement-tally.ts';
import { sweepResults } from './sweep-results.ts';

export interface DeskPorts extends WorkPorts {
  readonly statements: StatementStore;
  readonly clock: Clock;
  /** Names this process among all that ever worked on the store. */
  readonly worker: string;
  /** Takes secrets out of what is stored. */
  readonly hide?: (text: string) => string;
}

interface Running {
  readonly work: Execution;
  readonly controller: AbortController;
  /** When it was told to stop. */
  stoppedAt?: number;
}

const ATTEMPTS_MAX = 2;
/** What loses its engine this soon after another was stopped is not to blame. */
const BLAME_MS = 5_000;
const INNOCENT_REPEATS_MAX = 3;
/** An engine that takes longer to stop had to be killed. */
const OBEYED_MS = 1_900;
/** Changes by other processes are noticed this late. */
const LOOK_MS = 1_000;
const SWEEP_MS = 60_000;

export class StatementDesk {
  readonly #ports: DeskPorts;
  readonly #queue = new FairQueue<Execution>();
  readonly #running = new Map<string, Running>();
  readonly #news = new StatementNews();
  readonly #tally = new StatementTally();
  readonly #innocent = new Map<string, number>();
  readonly #ending = new AbortController();
  readonly #waiting = new Set<AbortController>();
  #loops: readonly Promise<void>[] = [];
  /** Places that are taken, also by work that is about to begin. */
  #taken = 0;
  /** Places in the queue that are promised. */
  #promised = 0;
  #isClosing = false;
  #closeBy = Number.POSITIVE_INFINITY;
  #closed: Promise<void> | undefined;
  #lastStop = Number.NEGATIVE_INFINITY;
  #problem: unknown;

  constructor(ports: DeskPorts) {
    this.#ports = ports;
  }

  /** Takes over what others left, and goes on doing so. */
  async open(): Promise<void> {
    await this.#beat();
    this.#loops = [
      this.#repeat(HEARTBEAT_MS, () => this.#beat()),
      this.#repeat(SWEEP_MS, () => this.sweep()),
    ];
    await this.sweep();
  }

  get figures(): StatementFigures {
    return {
      running: this.#running.size,
      queued: this.#queue.size,
      counts: this.#tally.counts,
      problem: this.#problem,
    };
  }

  /** Something is begun, executed, or not yet stored. */
  get #isBusy(): boolean {
    return this.#taken > 0 || this.#running.size > 0;
  }

  /** Throws `statement.closing`; everything else is for the caller to judge. */
  async submit(statement: NewStatement, asked: AskedRequest): Promise<SubmitOutcome> {
    const { statements, limits, worker, engine } = this.#ports;
    const request = this.#isClosing ? undefined : await shareableRequest(engine, asked);
    if (request === undefined || this.#isClosing)
      throw failure('statement.closing', {}, { isRetryable: true });
    const isFree = this.#taken < limits.runningMax && this.#queue.size === 0;
    const hasRoom = this.#queue.size + this.#promised < limits.queuedMax;
    const room = isFree ? 'start' : hasRoom ? 'queue' : 'none';
    if (isFree) this.#taken++;
    else if (hasRoom) this.#promised++;
    let outcome: SubmitOutcome | undefined;
    try {
      outcome = await statements.submit(statement, { ...request, worker, room, keptMs: limits.keptMs });
    } finally {
      if (room === 'queue') this.#promised--;
      if (outcome?.kind === 'accepted') this.#tally.count(outcome.statement);
      const work = outcome?.kind === 'accepted' ? outcome.work : undefined;
      if (work !== undefined && isFree) void this.#run(work);
      else if (work !== undefined) this.#queue.push(work);
      else if (isFree) this.#taken--;
      this.#pump();
    }
    return outcome;
  }

  /**
   * The statement once it has ended or, with `sinceVersion`, changed; as it is when the time is over. Undefined when there is none.
   * `first` is done while it is already listened for, in the place of a first look into the store: that is how a submission is waited for.
   */
  async wait(
    id: string,
    {
      waitMs = 0,
      sinceVersion,
      first,
    }: {
      readonly waitMs?: number;
      readonly sinceVersion?: number;
      readonly first?: () => Promise<Statement | undefined>;
    },
  ): Promise<News | undefined> {
    const { statements, clock } = this.#ports;
    const isNews = ({ status, version }: Statement): boolean =>
      isTerminal(status) || (sinceVersion !== undefined && version !== sinceVersion);
    const done = new AbortController();
    this.#waiting.add(done);
    let heard: News | undefined;
    const hear = (news: News): void => {
      if (!isNews(news.statement)) return;
      heard = news;
      done.abort('heard');
    };
    const stopListening = this.#news.listen(id, { hear, wantsAll: sinceVersion !== undefined });
    try {
      const deadline = clock.now() + waitMs;
      for (let isFirst = true; ; isFirst = false) {
        const statement = await (isFirst && first !== undefined ? first() : statements.statement(id));
        if (heard !== undefined) return heard;
        const left = deadline - clock.now();
        if (statement === undefined || isNews(statement) || left <= 0 || this.#isClosing)
          return statement === undefined ? undefined : { statement };
        await clock.sleep(Math.min(left, LOOK_MS), done.signal);
        if (heard !== undefined) return heard;
      }
    } finally {
      stopListening();
      this.#waiting.delete(done);
    }
  }

  /** Undefined when there is no such statement. */
  async cancel(id: string): Promise<Statement | undefined> {
    const { statements, clock, limits } = this.#ports;
    const cancelled = await statements.cancel(id, { now: clock.now(), keptMs: limits.keptMs });
    if (cancelled === undefined) return undefined;
    if (cancelled.stopped !== undefined) this.#stop(cancelled.stopped);
    if (cancelled.isChanged) this.#tally.count(cancelled.statement);
    this.#news.tell({ statement: cancelled.statement });
    return cancelled.statement;
  }

  /** Results that expired, and files that nobody knows. */
  async sweep(): Promise<void> {
    const { statements, results, clock, limits } = this.#ports;
    await sweepResults({ statements, results, now: clock.now(), keptMs: limits.keptMs });
  }

  /** What still runs after `drainMs` waits for the next process, like all that is queued. Called again with less it ends sooner. */
  close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    this.#closeBy = Math.min(this.#closeBy, this.#ports.clock.now() + drainMs);
    this.#closed ??= this.#leave();
    return this.#closed;
  }

  async #leave(): Promise<void> {
    const { statements, worker, clock } = this.#ports;
    while (this.#isBusy && clock.now() < this.#closeBy) await clock.sleep(20);
    this.#ending.abort();
    for (const waiting of this.#waiting) waiting.abort('closing');
    const left = [...this.#running.values()];
    for (const { work } of left) await statements.retry(work, { worker, isCounted: false });
    for (const { work } of left) this.#stop(work.id);
    while (this.#isBusy) await clock.sleep(5);
    await Promise.all(this.#loops);
    await statements.leave(worker);
  }

  /** Queued work waits no more, running work is interrupted; the store knows already. */
  #stop(executionId: string): void {
    this.#queue.remove(executionId);
    const running = this.#running.get(executionId);
    if (running === undefined || running.stoppedAt !== undefined) return;
    running.stoppedAt = performance.now();
    this.#lastStop = running.stoppedAt;
    running.controller.abort();
  }

  #pump(): void {
    while (!this.#isClosing && this.#taken < this.#ports.limits.runningMax) {
      const work = this.#queue.shift();
      if (work === undefined) return;
      this.#taken++;
      void this.#begin(work);
    }
  }

  async #begin(work: Execution): Promise<void> {
    const { statements, worker, clock } = this.#ports;
    const now = clock.now();
    let started: readonly string[] = [];
    try {
      started = await statements.start(work, worker, now);
    } catch (error) {
      // The store is out of reach for a moment: it waits again.
      this.#problem = error;
      this.#queue.push(work);
    }
    for (const id of started) if (this.#news.isFollowed(id)) void this.#tellChange(id);
    if (started.length > 0) return this.#run({ ...work, startedAt: work.startedAt ?? now });
    this.#taken--;
    if (this.#problem === undefined) this.#pump();
  }

  async #tellChange(id: string): Promise<void> {
    // Whoever waits looks for itself before long.
    const statement = await this.#ports.statements.statement(id).catch(() => undefined);
    if (statement !== undefined) this.#news.tell({ statement });
  }

  /** Executes work that has a place and is in progress in the store. */
  async #run(work: Execution): Promise<void> {
    const running: Running = { work, controller: new AbortController() };
    this.#running.set(work.id, running);
    const { clock } = this.#ports;
    const { timeoutMs } = work.task;
    // A clock that was set back must not lengthen the time.
    const usedMs = Math.max(0, clock.now() - (work.startedAt ?? clock.now()));
    const how = { signal: running.controller.signal, leftMs: timeoutMs - usedMs };
    const end = await executeWork(this.#ports, work, how).then(
      (done) => () => this.#finish(running, { kind: 'success', ...done }),
      (error: unknown) => () => this.#fail(running, error),
    );
    // The engine is free again: this end and the next beginning go to the store together, in one commit.
    const stored = end();
    this.#taken--;
    this.#pump();
    try {
      await stored;
    } catch (problem) {
      this.#problem = problem;
    } finally {
      this.#running.delete(work.id);
      this.#pump();
    }
  }

  async #finish({ work, stoppedAt }: Running, end: ExecutionEnd): Promise<void> {
    const { statements, worker, clock, limits, results } = this.#ports;
    const isKept = end.kind === 'success' && end.result.place.kind === 'file' ? end.result.place : undefined;
    // A store that is out of reach comes back, or this process ends and the next one does it again.
    for (let isStored = false; !isStored && stoppedAt === undefined; ) {
      try {
        const request = { worker, end, now: clock.now(), keptMs: limits.keptMs };
        const ended = await statements.finish(work, request);
        isStored = true;
        this.#innocent.delete(work.id);
        for (const statement of ended) {
          this.#tally.count(statement);
          this.#news.tell({ statement, ...(end.kind === 'success' ? { result: end.result } : {}) });
        }
        if (ended.length > 0) return;
      } catch (error) {
        this.#problem = error;
        if (this.#isClosing) return;
        await clock.sleep(LOOK_MS, this.#ending.signal);
      }
    }
    if (isKept !== undefined) await results.remove([isKept.name]);
  }

  /** Work that was stopped has been ended in the store by whoever stopped it. */
  async #fail(running: Running, error: unknown): Promise<void> {
    const { clock, limits, hide } = this.#ports;
    const { work } = running;
    const refuseUntil = clock.now() + limits.refusedMs;
    if (running.stoppedAt !== undefined) {
      if (performance.now() - running.stoppedAt >= OBEYED_MS && !this.#isClosing)
        await this.#refuse(work.fingerprint, refuseUntil);
      return;
    }
    const code = error instanceof Failure ? error.code : undefined;
    // The engine may have had to die for it.
    if (code === 'engine.timed-out' || code === 'engine.out-of-memory') this.#lastStop = performance.now();
    if (await this.#tryAgain(work, error)) return;
    const told =
      code === 'engine.lost'
        ? failure(
            'statement.out-of-resources',
            { detail: 'the engine was lost twice while it ran' },
            { cause: error },
          )
        : error;
    const isToBlame =
      code === 'engine.lost' || (code === 'engine.out-of-memory' && !(error as Failure).isRetryable);
    await this.#finish(running, {
      kind: 'failed',
      error: statementErrorOf(told, {
        timeoutMs: work.task.timeoutMs,
        ...(hide === undefined ? {} : { hide }),
      }),
      ...(isToBlame ? { refuseUntil } : {}),
    });
  }

  /** Reads may be done twice: once more when the engine was lost, or when another statement may have eaten its memory. */
  async #tryAgain(work: Execution, error: unknown): Promise<boolean> {
    if (!(error instanceof Failure) || this.#isClosing) return false;
    const isLost = error.code === 'engine.lost';
    if (!isLost && !(error.code === 'engine.out-of-memory' && error.isRetryable)) return false;
    // Those who failed at the same moment say first whether it was for them.
    if (isLost) await this.#ports.clock.sleep(1);
    const repeats = this.#innocent.get(work.id) ?? 0;
    const isInnocent =
      isLost && performance.now() - this.#lastStop < BLAME_MS && repeats < INNOCENT_REPEATS_MAX;
    if (!isInnocent && work.attempt >= ATTEMPTS_MAX) return false;
    const { statements, worker } = this.#ports;
    try {
      if (!(await statements.retry(work, { worker, isCounted: !isInnocent }))) return true;
    } catch (problem) {
      // Then it fails: that is repeated until the store has it.
      this.#problem = problem;
      return false;
    }
    if (isInnocent) this.#innocent.set(work.id, repeats + 1);
    this.#queue.push(isInnocent ? work : { ...work, attempt: work.attempt + 1 });
    return true;
  }

  async #refuse(fingerprint: string, until: number): Promise<void> {
    try {
      await this.#ports.statements.refuse(fingerprint, until);
    } catch (error) {
      this.#problem = error;
    }
  }

  async #beat(): Promise<void> {
    const { statements, worker, clock, limits } = this.#ports;
    const { taken, lost } = await statements.beat(worker, {
      running: [...this.#running.keys()],
      now: clock.now(),
      keptMs: limits.keptMs,
      refusedMs: limits.refusedMs,
    });
    this.#problem = undefined;
    for (const id of lost) this.#stop(id);
    for (const work of taken) this.#queue.push(work);
    this.#pump();
  }

  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { clock } = this.#ports;
    while (!this.#ending.signal.aborted) {
      await clock.sleep(everyMs, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        // Told by `figures`; the next time may be better.
        this.#problem = error;
      }
    }
  }
}

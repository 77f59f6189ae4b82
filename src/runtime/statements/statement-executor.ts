/*
 * Where statements of one product are accepted, wait, are executed and are waited for, in one process.
 *
 *   submit ──▶ engine: versions of the data ──▶ store decides: kept answer · work under way · new work ──▶ a free slot?  ──▶ run
 *                                                                                                   └────▶ its turn ──▶ run
 *   run ──▶ engine ──▶ result ──▶ store.finish: every statement that waits for it ends ──▶ updates
 *
 * The store is the truth, this is its hands: whatever is in memory here is found in the store by the next process.
 */
import type { Clock } from '../../domain/clock.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { HEARTBEAT_MS } from '../../domain/lease.ts';
import type { StatementStore, SubmitOutcome } from '../../domain/state-store.ts';
import type { Execution, ExecutionEnd, NewStatement, Statement } from '../../domain/statement.ts';
import type { StatementFigures } from '../../domain/statement-figures.ts';
import { executeWork, statementErrorOf, type WorkPorts } from './execute-work.ts';
import type { ExecutionSlot } from './execution-slots.ts';
import { verdictOf } from './failure-verdict.ts';
import { ResultRoom } from './result-room.ts';
import { shareableRequest, type UnversionedRequest } from './shareable-request.ts';
import { StatementTally } from './statement-tally.ts';
import { StatementUpdates } from './statement-updates.ts';
import { StatementWaiters } from './statement-waiters.ts';
import { personOf, type Suspects } from './suspects.ts';
import { sweepResults } from './sweep-results.ts';
import { Turns } from './turns.ts';

export interface ExecutorPorts extends WorkPorts {
  readonly statements: StatementStore;
  readonly clock: Clock;
  /** Names this process among all that ever worked on the store. */
  readonly worker: string;
  /** Takes secrets out of what is stored. */
  readonly hide?: (text: string) => string;
}

interface Running {
  readonly work: Execution;
  readonly slot: ExecutionSlot;
  readonly controller: AbortController;
  /** When it was asked to stop. */
  stoppedAt?: number;
  /** When it was asked to make room for others. */
  gaveWayAt?: number;
}

/** A statement that loses its engine this soon after another was stopped is not blamed. */
const BLAME_MS = 5_000;
const INNOCENT_REPEATS_MAX = 3;
/** An engine that takes longer to stop had to be killed. */
const OBEYED_MS = 1_900;
/** Changes by other processes are noticed this late. */
const LOOK_MS = 1_000;
const SWEEP_MS = 60_000;
/** So late it is seen that work takes long, or that it was alone for long enough. */
const TURN_MS = 100;

export class StatementExecutor {
  readonly #ports: ExecutorPorts;
  readonly #turns: Turns;
  readonly #running = new Map<string, Running>();
  readonly #updates = new StatementUpdates();
  readonly #tally = new StatementTally();
  readonly #innocent = new Map<string, number>();
  readonly #ending = new AbortController();
  readonly #room: ResultRoom;
  readonly #waiters: StatementWaiters;
  #loops: readonly Promise<void>[] = [];
  #isClosing = false;
  #closeBy = Number.POSITIVE_INFINITY;
  #closed: Promise<void> | undefined;
  #lastStop = Number.NEGATIVE_INFINITY;
  #problem: unknown;

  constructor(ports: ExecutorPorts) {
    this.#ports = ports;
    this.#turns = new Turns(ports.limits);
    this.#room = new ResultRoom(ports);
    this.#waiters = new StatementWaiters(ports, this.#updates);
  }

  /** Takes over what others left, and goes on doing so. */
  async open(): Promise<void> {
    await this.#beat();
    this.#loops = [
      this.#repeat(HEARTBEAT_MS, () => this.#beat()),
      this.#repeat(SWEEP_MS, () => this.sweep()),
      this.#repeat(TURN_MS, async () => this.#pump()),
    ];
    await this.sweep();
  }

  get figures(): StatementFigures {
    return {
      running: this.#running.size,
      queued: this.#turns.queued,
      counts: this.#tally.counts,
      problem: this.#problem,
    };
  }

  get suspects(): Suspects {
    return this.#turns.suspects;
  }

  /** Something is begun, executed, or not yet stored. */
  get #isBusy(): boolean {
    return this.#turns.taken > 0 || this.#running.size > 0;
  }

  /** Throws `statement.closing`; the caller handles everything else. */
  async submit(statement: NewStatement, asked: UnversionedRequest): Promise<SubmitOutcome> {
    const { statements, limits, worker, engine } = this.#ports;
    const request = this.#isClosing ? undefined : await shareableRequest(engine, asked);
    if (request === undefined || this.#isClosing)
      throw failure('statement.closing', {}, { isRetryable: true });
    const until = this.#turns.suspects.suspendedUntil(personOf(statement), this.#ports.clock.now());
    if (until !== undefined) return { kind: 'suspended', until };
    const slot = this.#turns.freeSlot(statement);
    const isPromised = slot === undefined && this.#turns.promise(statement);
    const room = slot !== undefined ? 'start' : isPromised ? 'queue' : 'none';
    let outcome: SubmitOutcome | undefined;
    try {
      outcome = await statements.submit(statement, { ...request, worker, room, keptMs: limits.keptMs });
    } finally {
      if (isPromised) this.#turns.keep(statement);
      if (outcome?.kind === 'accepted') this.#tally.count(outcome.statement);
      const work = outcome?.kind === 'accepted' ? outcome.work : undefined;
      if (work !== undefined && slot !== undefined) void this.#run(work, slot);
      else if (work !== undefined) this.#turns.wait(work);
      else if (slot !== undefined) this.#turns.leave(slot);
      this.#pump();
    }
    return outcome;
  }

  /** See `StatementWaiters`, as for `listen`. */
  readonly wait: StatementWaiters['wait'] = (id, how) => this.#waiters.wait(id, how);
  readonly listen: StatementWaiters['listen'] = (id, how) => this.#waiters.listen(id, how);

  /** Undefined when there is no such statement. */
  async cancel(id: string): Promise<Statement | undefined> {
    const { statements, clock, limits } = this.#ports;
    const cancelled = await statements.cancel(id, { now: clock.now(), keptMs: limits.keptMs });
    if (cancelled === undefined) return undefined;
    if (cancelled.stopped !== undefined) this.#stop(cancelled.stopped);
    if (cancelled.isChanged) this.#tally.count(cancelled.statement);
    this.#updates.publish({ statement: cancelled.statement });
    return cancelled.statement;
  }

  /** Results that expired or are too many, and files that no statement has. */
  async sweep(): Promise<void> {
    const { statements, results, clock, limits } = this.#ports;
    await this.#room.look('');
    await sweepResults({ statements, results, now: clock.now(), keptMs: limits.keptMs });
  }

  /** What still runs after `drainMs` waits for the next process, like all that is queued. Called again with less it ends sooner. */
  close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    this.#waiters.close();
    this.#closeBy = Math.min(this.#closeBy, this.#ports.clock.now() + drainMs);
    this.#closed ??= this.#leave();
    return this.#closed;
  }

  async #leave(): Promise<void> {
    const { statements, worker, clock } = this.#ports;
    while (this.#isBusy && clock.now() < this.#closeBy) await clock.sleep(20);
    this.#ending.abort();
    this.#waiters.wake();
    const left = [...this.#running.values()];
    for (const { work } of left) await statements.retry(work, worker);
    for (const { work } of left) this.#stop(work.id);
    while (this.#isBusy) await clock.sleep(5);
    await Promise.all(this.#loops);
    await statements.leave(worker);
  }

  /** Queued work is removed, running work is interrupted; the store has it already. */
  #stop(executionId: string): void {
    this.#turns.forget(executionId);
    const running = this.#running.get(executionId);
    if (running === undefined || running.stoppedAt !== undefined) return;
    running.stoppedAt = performance.now();
    this.#lastStop = running.stoppedAt;
    running.controller.abort();
  }

  #pump(): void {
    while (!this.#isClosing) {
      const next = this.#turns.next();
      if (next === undefined) break;
      void this.#begin(next.work, next.slot);
    }
    if (this.#isClosing) return;
    const { mustClear, leaving } = this.#turns;
    for (const running of this.#running.values())
      if (mustClear || running.slot === leaving) this.#giveWay(running);
  }

  /** Work is interrupted and waits once more. */
  #giveWay(running: Running): void {
    if (running.gaveWayAt !== undefined || running.stoppedAt !== undefined) return;
    running.gaveWayAt = performance.now();
    running.slot.isGivingWay = true;
    running.controller.abort();
  }

  async #begin(work: Execution, slot: ExecutionSlot): Promise<void> {
    const { statements, worker, clock } = this.#ports;
    const now = clock.now();
    let started: readonly string[] | undefined;
    try {
      started = await statements.start(work, worker, now);
    } catch (error) {
      // The store is out of reach for a moment: it waits again.
      this.#problem = error;
    }
    for (const id of started ?? []) if (this.#updates.isFollowed(id)) void this.#publishChange(id);
    if (started !== undefined && started.length > 0)
      return this.#run({ ...work, startedAt: work.startedAt ?? now }, slot);
    this.#turns.leave(slot);
    this.#turns.forget(work.id);
    if (started === undefined) this.#turns.wait(work);
    if (this.#problem === undefined) this.#pump();
  }

  async #publishChange(id: string): Promise<void> {
    // Waiting callers poll as well.
    const statement = await this.#ports.statements.statement(id).catch(() => undefined);
    if (statement !== undefined) this.#updates.publish({ statement });
  }

  /** Executes work that has a slot and is in progress in the store. */
  async #run(work: Execution, slot: ExecutionSlot): Promise<void> {
    const running: Running = { work, slot, controller: new AbortController() };
    this.#running.set(work.id, running);
    const { clock } = this.#ports;
    // A clock that was set back must not lengthen the time.
    const usedMs = Math.max(0, clock.now() - (work.startedAt ?? clock.now()));
    const { signal } = running.controller;
    const how = { signal, leftMs: work.task.timeoutMs - usedMs, room: this.#room };
    const end = await executeWork(this.#ports, work, how).then(
      (done) => () => this.#finish(running, { kind: 'success', ...done }),
      (error: unknown) => () => this.#fail(running, error),
    );
    // The engine is free again: this end and the next beginning go to the store together, in one commit.
    const stored = end();
    this.#turns.leave(slot);
    this.#pump();
    try {
      await stored;
    } catch (problem) {
      this.#problem = problem;
    } finally {
      this.#running.delete(work.id);
      this.#room.release(work);
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
        this.#turns.forget(work.id);
        for (const statement of ended) {
          this.#tally.count(statement);
          this.#updates.publish({ statement, ...(end.kind === 'success' ? { result: end.result } : {}) });
        }
        if (end.kind === 'success' && isKept === undefined && this.#room.add(work, end.result.bytes))
          await this.#room.look(work.principalId);
        if (ended.length > 0) return;
      } catch (error) {
        this.#problem = error;
        if (this.#isClosing) return;
        await clock.sleep(LOOK_MS, this.#ending.signal);
      }
    }
    if (isKept !== undefined) await results.remove([isKept.name]);
  }

  /** Work that was stopped has been ended in the store by the caller that stopped it. */
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
    if (await this.#tryAgain(running, error)) return;
    const { visibleError: reported, isDown, isToBlame } = verdictOf(error);
    if (isDown) this.#turns.suspects.blame(work, clock.now());
    await this.#finish(running, {
      kind: 'failed',
      error: statementErrorOf(reported, {
        timeoutMs: work.task.timeoutMs,
        ...(hide === undefined ? {} : { hide }),
      }),
      ...(isToBlame ? { refuseUntil } : {}),
    });
  }

  /** Reads may be done twice: what made room, what may have lost its engine through another, and what lacked memory beside others. */
  async #tryAgain(running: Running, error: unknown): Promise<boolean> {
    const { work, slot, gaveWayAt } = running;
    if (!(error instanceof Failure) || this.#isClosing) return false;
    const isLost = error.code === 'engine.lost';
    if (gaveWayAt !== undefined && (isLost || error.code === 'engine.cancelled')) {
      const isUnstoppable = performance.now() - gaveWayAt >= OBEYED_MS;
      // The engine had to die for it.
      if (isUnstoppable) this.#lastStop = performance.now();
      return this.#retry(work, () => this.#turns.waitAgain(work, slot, isUnstoppable));
    }
    if (error.code === 'engine.out-of-memory') {
      const lack = { ranMs: performance.now() - slot.since, ranConcurrently: error.isRetryable };
      const how = this.#turns.suspects.afterLack(work, lack);
      const waiting = how === 'alone' ? this.#turns.suspects : this.#turns;
      return how !== undefined && this.#retry(work, () => waiting.wait(work));
    }
    return isLost && this.#turns.decide(() => this.#tryLost(running));
  }

  async #tryLost({ work, slot }: Running): Promise<boolean> {
    const ranMs = performance.now() - slot.since;
    // Those who failed at the same moment say first whether it was for them.
    await this.#ports.clock.sleep(1);
    const repeats = this.#innocent.get(work.id) ?? 0;
    if (performance.now() - this.#lastStop < BLAME_MS && repeats < INNOCENT_REPEATS_MAX) {
      this.#innocent.set(work.id, repeats + 1);
      return this.#retry(work, () => this.#turns.wait(work));
    }
    const wasAlone = !slot.ranConcurrently;
    if (this.#turns.suspects.isToBlame(work.id, { ranMs, wasAlone })) return false;
    return this.#retry(work, () => this.#turns.suspects.wait(work));
  }

  /** It waits once more, in the store and then here. */
  async #retry(work: Execution, wait: () => void): Promise<boolean> {
    const { statements, worker } = this.#ports;
    try {
      if (await statements.retry(work, worker)) wait();
      return true;
    } catch (problem) {
      // Then it fails: that is repeated until the store has it.
      this.#problem = problem;
      return false;
    }
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
    for (const work of taken) this.#turns.wait(work);
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

/*
 * Where operations are run. Starting a thread takes longer (60 ms were seen) than a whole plan without changes needs
 * of the state, so a store begins on the caller's thread and moves:
 *
 *   open ─▶ own thread ──first run begins──▶ thread is starting, own thread goes on ──ready──▶ thread
 */
import { Worker } from 'node:worker_threads';
import { type DiagnosticCode, diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Failure } from '../../../domain/failure.ts';
import { workerUrl } from '../../../foundation/worker-url.ts';
import { type DatabaseOptions, openDatabase, type StateDatabase } from './database.ts';
import { createExecutor, type Executor, LOCKED_AFTER_MS, whenFree } from './executor.ts';
import type { OperationArguments, OperationName, OperationResult } from './operations.ts';
import { StateProblem } from './state-problem.ts';
import type { StateReply, StateRequest, StateThreadData } from './state-thread-protocol.ts';

export interface ConnectionOptions extends DatabaseOptions {
  /** When the thread is started: with the first run (default), at once (servers), or never (tools). */
  readonly thread?: 'at-first-run' | 'at-once' | 'never';
  readonly lockedAfterMs?: number;
}

/** The operations of one store, wherever they run; refusals are thrown as failures with the catalog's words. */
export interface StateConnection {
  ask<Name extends OperationName>(
    name: Name,
    ...given: OperationArguments<Name>
  ): Promise<OperationResult<Name>>;
  /** A promise of work is coming: the thread is started. */
  expectWork(): void;
  close(): Promise<void>;
}

interface Thread {
  ask(name: OperationName, given: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function connectState(options: ConnectionOptions): Promise<StateConnection> {
  const lockedAfterMs = options.lockedAfterMs ?? LOCKED_AFTER_MS;
  // On this thread nobody sleeps inside SQLite: waiting happens between attempts.
  const own: DatabaseOptions = { ...options, busyTimeoutMs: 0 };
  let local: StateDatabase | undefined = await asFailure(
    whenFree(options.file, lockedAfterMs, () => openDatabase(own)),
  );
  const executor: Executor = createExecutor(local, lockedAfterMs);
  let starting: Promise<Thread> | undefined;
  let thread: Thread | undefined;

  const expectWork = (): void => {
    if (starting !== undefined || options.thread === 'never') return;
    starting = startThread({ database: threadOptions(options), lockedAfterMs });
    starting
      .then(async (ready) => {
        await executor.idle();
        thread = ready;
        local?.close();
        local = undefined;
      })
      // The own thread goes on; `close` tells what was wrong.
      .catch(() => {});
  };
  if (options.thread === 'at-once') expectWork();

  return {
    expectWork,
    ask: (name, ...given) =>
      asFailure(thread === undefined ? executor.ask(name, given) : thread.ask(name, given)) as Promise<never>,
    close: async () => {
      await executor.idle();
      const started = await starting;
      local?.close();
      local = undefined;
      if (started !== undefined) await asFailure(started.close());
    },
  };
}

function threadOptions({ file, synchronous }: ConnectionOptions): DatabaseOptions {
  return { file, ...(synchronous === undefined ? {} : { synchronous }) };
}

async function asFailure<Result>(promise: Promise<Result>): Promise<Result> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof StateProblem ? failureOf(error) : error;
  }
}

function failureOf(problem: StateProblem): Failure {
  // The parameters were checked where the problem was made; their type is lost on the way between threads.
  const make = diagnostic as (
    code: DiagnosticCode,
    parameters: StateProblem['parameters'],
  ) => Failure['diagnostic'];
  return new Failure(make(problem.code as DiagnosticCode, problem.parameters), {
    cause: problem.cause,
    isRetryable: problem.code === 'state.locked',
  });
}

async function startThread(data: StateThreadData): Promise<Thread> {
  const worker = new Worker(workerUrl('adapters/state/sqlite/sqlite-state-worker'), { workerData: data });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let lastId = 0;
  let lost: Error | undefined;
  worker.unref();

  const send = (make: (id: number) => StateRequest): Promise<unknown> => {
    if (lost !== undefined) return Promise.reject(lost);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      // Only unanswered questions keep the process alive.
      if (waiting.size === 0) worker.ref();
      waiting.set(id, { resolve, reject });
      worker.postMessage(make(id));
    });
  };
  const settle = (reply: Exclude<StateReply, { kind: 'ready' }>): void => {
    const question = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) worker.unref();
    if (reply.kind === 'answer') question?.resolve(reply.value);
    else if (reply.kind === 'bug') question?.reject(reply.error);
    else question?.reject(new StateProblem(reply.code, reply.parameters));
  };

  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      lost = error;
      for (const question of waiting.values()) question.reject(error);
      waiting.clear();
      reject(error);
    };
    worker.on('message', (reply: StateReply) => (reply.kind === 'ready' ? resolve() : settle(reply)));
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the thread of the state store has ended')));
  });
  return {
    ask: (name, given) => send((id) => ({ kind: 'ask', id, name, given })),
    close: async () => {
      await send((id) => ({ kind: 'close', id }));
      await worker.terminate();
    },
  };
}

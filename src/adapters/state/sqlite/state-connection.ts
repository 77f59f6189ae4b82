/*
 * Where operations are run. Starting a thread takes longer (60 ms were seen) than a whole plan without changes needs
 * of the state, so a store begins on the caller's thread and moves:
 *
 *   open ─▶ own thread ──first run begins──▶ thread is starting, own thread goes on ──ready──▶ thread
 */

import { asFailure } from '../sql/as-failure.ts';
import type { StateOperations } from '../sql/operations.ts';
import { type DatabaseOptions, openDatabase, type StateDatabase } from './database.ts';
import { createExecutor, type Executor, LOCKED_AFTER_MS, whenFree } from './executor.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { type StateThread, startStateThread } from './state-thread.ts';

export interface ConnectionOptions extends DatabaseOptions {
  /** When the thread is started: with the first run (default), at once and waited for (servers), or never (tools). */
  readonly thread?: 'at-first-run' | 'at-once' | 'never';
  readonly lockedAfterMs?: number;
}

/** The operations of one store, on whatever thread they run. */
export interface StateConnection extends StateOperations {
  close(): Promise<void>;
}

export async function connectState(options: ConnectionOptions): Promise<StateConnection> {
  const lockedAfterMs = options.lockedAfterMs ?? LOCKED_AFTER_MS;
  // No call sleeps inside SQLite on this thread: waiting happens between attempts.
  const own: DatabaseOptions = { ...options, busyTimeoutMs: 0 };
  let local: StateDatabase | undefined = await asFailure(
    whenFree(options.file, lockedAfterMs, () => openDatabase(own)),
  );
  const executor: Executor = createExecutor(local, lockedAfterMs);
  let starting: StateThread | undefined;
  let thread: StateThread | undefined;
  let startProblem: unknown;
  const reader = new SqliteReader(options.file);

  const moveToThread = async (): Promise<void> => {
    if (starting !== undefined) return;
    const started = startStateThread({ database: threadOptions(options), lockedAfterMs });
    starting = started;
    try {
      await started.ready;
      while (!executor.isIdle()) await executor.idle();
      if (local === undefined) return;
      thread = started;
      local.close();
      local = undefined;
    } catch (error) {
      // The own thread goes on; `close` tells what was wrong.
      startProblem = error;
    }
  };
  if (options.thread === 'at-once') await moveToThread();

  return {
    expectWork: () => {
      if (options.thread !== 'never') void moveToThread();
    },
    ask: (name, ...given) => {
      if (thread === undefined) return asFailure(executor.ask(name, given)) as Promise<never>;
      const known = reader.answer(name, given);
      if (known !== undefined) return Promise.resolve(known.value as never);
      return asFailure(thread.ask(name, given)) as Promise<never>;
    },
    close: async () => {
      reader.close();
      while (!executor.isIdle()) await executor.idle();
      local?.close();
      local = undefined;
      if (startProblem !== undefined) throw startProblem;
      if (thread !== undefined) await asFailure(thread.close());
      else await starting?.abandon();
    },
  };
}

function threadOptions({ file, synchronous }: ConnectionOptions): DatabaseOptions {
  return { file, ...(synchronous === undefined ? {} : { synchronous }) };
}

import type { Reading, ReadOptions } from '../../../domain/engine.ts';
import { type Failure, failure } from '../../../domain/failure.ts';
import { tableKey } from '../../../domain/relation.ts';
import type { KeeperClient } from './keeper-client.ts';
import type { LineQueue } from './line-queue.ts';

/**
 * Asks a keeper for an answer in lines, and sees to its end: whole, stopped, or with the keeper killed because it did not obey. A stop
 * does not wait for a keeper that `join` is still starting; `until`, a time of `performance.now()`, counts that too.
 */
export async function duckdbReading(
  join: () => Promise<KeeperClient>,
  sql: string,
  {
    signal,
    timeoutMs = 0,
    isInspected = false,
    versionsOf,
    until,
    cancelMs,
  }: ReadOptions & { readonly until?: number; readonly cancelMs: number },
): Promise<Reading> {
  let stopped: Failure | undefined;
  let halt: (() => void) | undefined;
  const stop = (why: Failure): void => {
    if (stopped !== undefined) return;
    stopped = why;
    halt?.();
  };
  const abort = (): void => stop(failure('engine.cancelled', {}));
  const late = (): void =>
    stop(failure('engine.timed-out', { detail: `it ran longer than ${timeoutMs / 1000} s` }));
  const timer = until === undefined ? undefined : setTimeout(late, Math.max(0, until - performance.now()));
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const forget = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };

  const keeper = await joined(join, (wake) => {
    halt = wake;
  }).catch((error: unknown) => {
    forget();
    throw stopped ?? error;
  });
  if (keeper === undefined || stopped !== undefined) {
    forget();
    throw stopped ?? failure('engine.cancelled', {});
  }
  const session = keeper.takeSession();
  const queue = keeper.read(session, {
    sql,
    ...(isInspected ? { isInspected } : {}),
    ...(versionsOf === undefined ? {} : { versionsOf: versionsOf.map(tableKey) }),
  });
  let kill: NodeJS.Timeout | undefined;
  halt = () => {
    keeper.cancel(session);
    kill = setTimeout(() => keeper.kill(), cancelMs);
  };
  void queue.ended.then(() => {
    // A reader that leaves now leaves nothing behind: the session may be another's already.
    halt = undefined;
    clearTimeout(kill);
    forget();
    keeper.returnSession(session);
  });
  /** What we stopped failed for our reason, also when the keeper had to die for it. */
  const reason = (failed: Failure | undefined): Failure | undefined => {
    const isOurs = failed?.code === 'engine.cancelled' || failed?.code === 'engine.lost';
    return stopped !== undefined && isOurs ? stopped : failed;
  };

  const beginning = await queue.beginning;
  if (beginning === undefined)
    throw reason(queue.failure) ?? failure('engine.lost', { detail: 'it gave no answer' });
  const { columns, versions } = beginning;
  return {
    columns,
    ...(versions === undefined ? {} : { versions }),
    lines: linesOf(queue, { reason, leave: abort }),
  };
}

/** The keeper; undefined when it was woken before. */
function joined(
  join: () => Promise<KeeperClient>,
  whenWoken: (wake: () => void) => void,
): Promise<KeeperClient | undefined> {
  return new Promise((resolve, reject) => {
    whenWoken(() => resolve(undefined));
    join().then(resolve, reject);
  });
}

async function* linesOf(
  queue: LineQueue,
  {
    reason,
    leave,
  }: { readonly reason: (failed: Failure | undefined) => Failure | undefined; readonly leave: () => void },
): AsyncGenerator<Buffer> {
  let isOver = false;
  try {
    for (;;) {
      const lines = await queue.next();
      if (lines === undefined) break;
      yield lines;
    }
    isOver = true;
  } catch (error) {
    isOver = true;
    throw reason(queue.failure) ?? error;
  } finally {
    if (!isOver) leave();
    await queue.ended;
  }
}

import type { Reading, ReadOptions } from '../../../domain/engine.ts';
import { type Failure, failure } from '../../../domain/failure.ts';
import type { KeeperClient } from './keeper-client.ts';
import type { LineQueue } from './line-queue.ts';

/** Asks a keeper for an answer in lines, and sees to its end: whole, stopped, or with the keeper killed because it did not obey. */
export async function duckdbReading(
  keeper: KeeperClient,
  sql: string,
  { signal, timeoutMs, cancelMs }: ReadOptions & { readonly cancelMs: number },
): Promise<Reading> {
  if (signal?.aborted) throw failure('engine.cancelled', {});
  const session = keeper.takeSession();
  const queue = keeper.read(session, sql);
  let stopped: Failure | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: Failure): void => {
    if (stopped !== undefined) return;
    stopped = why;
    keeper.cancel(session);
    kill = setTimeout(() => keeper.kill(), cancelMs);
  };
  const abort = (): void => stop(failure('engine.cancelled', {}));
  signal?.addEventListener('abort', abort, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          stop(failure('engine.timed-out', { detail: `it ran longer than ${timeoutMs / 1000} s` }));
        }, timeoutMs);
  void queue.ended.then(() => {
    clearTimeout(kill);
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    keeper.returnSession(session);
  });
  /** What we stopped failed for our reason, also when the keeper had to die for it. */
  const reason = (failed: Failure | undefined): Failure | undefined => {
    const isOurs = failed?.code === 'engine.cancelled' || failed?.code === 'engine.lost';
    return stopped !== undefined && isOurs ? stopped : failed;
  };

  const columns = await queue.columns;
  if (columns === undefined)
    throw reason(queue.failure) ?? failure('engine.lost', { detail: 'it gave no answer' });
  return { columns, lines: linesOf(queue, { reason, leave: abort }) };
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

/*
 * An engine that does what a test says at the moment it says it: what a real one does only by chance (being lost, running
 * out of memory, never ending). Nothing about SQL is pretended: texts are only handed to the script.
 */
import type { Engine, Reading } from '../../src/domain/engine.ts';
import { failure } from '../../src/domain/failure.ts';

/** One reading that waits for the test to decide its end. */
export interface OpenReading {
  readonly sql: string;
  /** What the engine was told to take at most. */
  readonly timeoutMs: number | undefined;
  answer(rows?: readonly (readonly unknown[])[]): void;
  fail(error: Error): void;
  readonly isStopped: boolean;
}

export interface ScriptedEngine {
  readonly engine: Engine;
  /** Readings under way, in the order they began. */
  readonly open: OpenReading[];
  /** Every text ever asked. */
  readonly asked: string[];
}

export function scriptedEngine(): ScriptedEngine {
  const open: OpenReading[] = [];
  const asked: string[] = [];
  const read: Engine['read'] = (sql, { signal, timeoutMs } = {}) =>
    new Promise<Reading>((resolve, reject) => {
      asked.push(sql);
      let isStopped = false;
      const end = (settle: () => void): void => {
        open.splice(open.indexOf(reading), 1);
        settle();
      };
      const reading: OpenReading = {
        sql,
        timeoutMs,
        get isStopped() {
          return isStopped;
        },
        answer: (rows = [[1]]) =>
          end(() => resolve({ columns: [{ name: 'n', type: 'INTEGER' }], lines: linesOf(rows) })),
        fail: (error) => end(() => reject(error)),
      };
      open.push(reading);
      signal?.addEventListener('abort', () => {
        isStopped = true;
        if (open.includes(reading)) reading.fail(failure('engine.cancelled', {}));
      });
    });
  return { engine: { read } as Engine, open, asked };
}

async function* linesOf(rows: readonly (readonly unknown[])[]): AsyncGenerator<Buffer> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}

import type { Clock } from '../../domain/clock.ts';
import type { EngineReader } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { ResultStore } from '../../domain/result-store.ts';
import { STATEMENT_LIMITS } from '../../domain/server-limits.ts';
import type { ExecutionResult, ExecutionTask, ResultPlace } from '../../domain/statement.ts';
import { executeWork } from './execute-work.ts';

/** The most bytes of rows: they stay in memory, so that neither a full disk nor a folder that cannot be written is in their way. */
const BYTES_MAX = 1024 ** 3;
const LIMITS = {
  ...STATEMENT_LIMITS,
  inlineBytesMax: BYTES_MAX,
  resultBytesMax: BYTES_MAX,
};
/** The longest that a timer can wait. */
export const FOREVER_MS = 2 ** 31 - 1;
/** Statements of others may bring the engine down, or take its memory. */
const LOST_MAX = 3;
const LACKS_MAX = 12;
const PAUSE_MS_MAX = 1_000;

/** A result that no other process knows of. */
export interface HeldResult extends ExecutionResult {
  readonly place: Extract<ResultPlace, { readonly kind: 'inline' }>;
}

/** Executes a task for the caller alone: it is not stored, waits for no turn and ends with this process. */
export async function executeAtOnce(
  {
    engine,
    results,
    clock,
  }: { readonly engine: EngineReader; readonly results: ResultStore; readonly clock: Clock },
  task: ExecutionTask,
  signal: AbortSignal,
): Promise<HeldResult> {
  const work = { id: 'own', fingerprint: '', task, tenant: '', principalId: '', attempt: 1 };
  const how = { signal, leftMs: task.timeoutMs, room: { claim: async () => undefined } };
  let lost = 0;
  for (let lacks = 0; ; ) {
    try {
      const { result } = await executeWork({ engine, results, limits: LIMITS }, work, how);
      return result as HeldResult;
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure && error.isRetryable)) throw error;
      if (error.code === 'engine.lost' && lost++ < LOST_MAX) continue;
      if (error.code !== 'engine.out-of-memory' || lacks++ >= LACKS_MAX) throw error;
      await clock.sleep(Math.min(25 * 2 ** lacks, PAUSE_MS_MAX), signal);
    }
  }
}

import { Failure } from '../../domain/failure.ts';
import { type LeaseContext, refuseWhenLeaseLost } from './hold-tables.ts';

const REPEATS_MAX = 3;
/** Statements of others may bring the engine down, or take its memory, again and again before they are stopped. */
const LOST_MAX = 20;
const LACKS_MAX = 8;
const PAUSE_MS_MAX = 1_000;

/**
 * Does a whole write again when repeating may help, only while the run's leases are its own: three times after conflicts, more
 * often when the engine is lost or lacked memory beside others, which is a reader's fault more likely than the write's. `attempt`
 * gets how often it was tried before.
 */
export async function withRetries<Result>(
  context: LeaseContext,
  attempt: (earlierAttempts: number) => Promise<Result>,
): Promise<Result> {
  let lost = 0;
  let lacks = 0;
  for (let earlier = 0; ; earlier++) {
    try {
      return await attempt(earlier);
    } catch (error) {
      if (context.cancel.aborted && context.cancel.reason instanceof Failure) throw context.cancel.reason;
      if (!(error instanceof Failure && error.isRetryable)) throw error;
      if (error.code === 'engine.lost') lost++;
      if (error.code === 'engine.out-of-memory') lacks++;
      if (lost > LOST_MAX || lacks > LACKS_MAX || earlier - lost - lacks >= REPEATS_MAX) throw error;
      // Two writers that met should not meet again: each waits a different while.
      const pauseMs = Math.min(20 * 2 ** earlier, PAUSE_MS_MAX);
      await context.world.clock.sleep(pauseMs * (0.5 + Math.random()), context.cancel);
      await refuseWhenLeaseLost(context);
    }
  }
}

import { Failure } from '../../domain/failure.ts';
import { type LeaseContext, refuseWhenLeaseLost } from './hold-tables.ts';

const REPEATS_MAX = 3;

/**
 * Does a whole write again when repeating may help (a conflict, a keeper that died), at most three times and only
 * while the run's leases are its own. `attempt` is told how often it was tried before.
 */
export async function withRetries<Result>(
  context: LeaseContext,
  attempt: (earlierAttempts: number) => Promise<Result>,
): Promise<Result> {
  for (let earlier = 0; ; earlier++) {
    try {
      return await attempt(earlier);
    } catch (error) {
      if (context.cancel.aborted && context.cancel.reason instanceof Failure) throw context.cancel.reason;
      if (!(error instanceof Failure && error.isRetryable) || earlier >= REPEATS_MAX) throw error;
      // Two writers that met should not meet again: each waits a different while.
      await context.world.clock.sleep(20 * 2 ** earlier * (0.5 + Math.random()), context.cancel);
      await refuseWhenLeaseLost(context);
    }
  }
}

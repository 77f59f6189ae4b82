import { Failure } from '../../domain/failure.ts';
import type { OpenedWorld } from '../open-world.ts';
import { observeFreshness } from './observe-freshness.ts';

const EVERY_MS = 60_000;

/** Looks at the age of the data each minute, because a promise breaks when nothing runs; ends with the signal. */
export async function watchFreshness(
  world: OpenedWorld,
  environments: readonly string[],
  stop: AbortSignal,
): Promise<void> {
  if (world.config.slo.freshness === undefined) return;
  while (!stop.aborted) {
    try {
      for (const environment of environments)
        await observeFreshness(world, { environment, trigger: 'schedule' });
    } catch (error) {
      // State or warehouse do not answer: the scheduler beside it says so, and the next minute comes.
      if (!(error instanceof Failure)) throw error;
    }
    if (!stop.aborted) await world.clock.sleep(EVERY_MS, stop);
  }
}

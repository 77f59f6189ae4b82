import { Failure } from '../../domain/failure.ts';
import { environmentOf } from '../open-world.ts';
import { refreshPerspectives } from '../perspectives/refresh-perspectives.ts';
import type { Platform, Product } from '../platform.ts';

const LOOK_MS = 2_000;
const PAGE = 500;

/** Follows the log of a product, and makes answers of perspectives again after runs of the default environment, of this process or another one. */
export async function refreshAfterRuns(
  platform: Platform,
  product: Product,
  stop: AbortSignal,
): Promise<void> {
  const { state, clock, config } = product.world;
  const environment = environmentOf(config, undefined);
  let after = await state.events.lastSequence();
  while (!stop.aborted) {
    await clock.sleep(LOOK_MS, stop);
    try {
      const found = await state.events.events({ after, environment, types: ['run.finished'], limit: PAGE });
      const last = found.at(-1);
      if (stop.aborted || last === undefined) continue;
      after = last.sequence;
      // What many runs changed is read once.
      if (found.length < PAGE) await refreshPerspectives(platform, product, stop);
    } catch (error) {
      // A state or a warehouse that cannot be reached now: nothing is lost but time, and readers get the failure themselves.
      if (!(error instanceof Failure)) throw error;
    }
  }
}

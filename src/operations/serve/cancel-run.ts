import { failure } from '../../domain/failure.ts';
import type { Run } from '../../domain/run.ts';
import { knownRun } from '../change/runs.ts';
import type { Product } from '../platform.ts';

/** A run of this process is held this soon after it was recorded, unless the machine stands still. */
const BEGIN_MS = 2_000;

/** Gives up a run of this process; one that has ended stays as it is. */
export async function cancelRun(product: Product, id: string): Promise<Run> {
  const found = await knownRun(product.world, id);
  if (found.status !== 'running') return found;
  const { runs } = product.ongoing;
  // It is in the journal a moment before it is held here.
  for (const by = performance.now() + BEGIN_MS; !runs.has(id) && performance.now() < by; )
    await product.world.clock.sleep(50);
  const work = runs.get(id);
  if (work === undefined) throw failure('activity.run-elsewhere', { id, who: found.who });
  work.cancel.abort();
  await work.ended;
  return knownRun(product.world, id);
}

import type { Run } from '../../domain/run.ts';
import type { RunHandle } from '../ongoing-work.ts';
import type { Product } from '../platform.ts';

/** A run of this process that can be cancelled from now on until it has ended. */
export function holdRun(product: Product, { id }: Run, handle: RunHandle): void {
  const { runs } = product.ongoing;
  const ended = handle.ended.finally(() => runs.delete(id));
  runs.set(id, { ...handle, ended });
}

import type { Product } from '../platform.ts';

/** Accepts nothing new, gives what runs so long to end, and leaves the rest to the next process. */
export async function closeStatements(product: Product, drainMs = 0): Promise<void> {
  const { statements } = product.ongoing;
  if (statements === undefined) return;
  // The caller that asked first was given the failure.
  await statements.opened.catch(() => undefined);
  await statements.executor.close(drainMs);
}

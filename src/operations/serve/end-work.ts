import type { Product } from '../platform.ts';

/** Lets what goes on come to its end, and gives it up after so long. */
export async function endWork(product: Product, drainMs: number): Promise<void> {
  const going = [...product.ongoing.runs.values()];
  if (going.length === 0) return;
  for (const { stop } of going) stop.abort();
  const timer = setTimeout(() => {
    for (const { cancel } of going) cancel.abort();
  }, drainMs);
  await Promise.all(going.map(({ ended }) => ended));
  clearTimeout(timer);
}

import type { CacheFigures } from '../../foundation/bounded-cache.ts';
import type { ProductCaches } from '../product-caches.ts';

/** By the name of the cache. */
export const cacheFigures = (caches: ProductCaches): Readonly<Record<string, CacheFigures>> =>
  Object.fromEntries(
    (Object.entries(caches) as [string, { readonly figures: CacheFigures }][]).map(([name, { figures }]) => [
      name,
      figures,
    ]),
  );

import type { Identity } from '../../domain/principal.ts';
import { type VisibleResult, visibleResult } from '../../domain/visible-check.ts';
import type { ProductReader } from '../product-reader.ts';
import { foundCheck } from './found-check.ts';

/** One result with the rows that its rule found wrong, as far as the caller may see them. */
export async function resultSample(
  product: ProductReader,
  asker: Identity,
  id: string,
): Promise<VisibleResult> {
  const result = await product.world.state.quality.result(id);
  const { found, view } = await foundCheck(product, asker, { id, found: result });
  return visibleResult(found, view.reader);
}

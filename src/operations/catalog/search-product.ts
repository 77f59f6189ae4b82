import { searchIndex, searchNames } from '../../compiler/catalog/search.ts';
import type { AppliedProduct } from '../../domain/applied-product.ts';
import type { SearchHit } from '../../domain/search-hit.ts';
import type { ProductReader } from '../product-reader.ts';

/** What of a product has all words of a text, the nearest first. */
export function searchProduct(
  { caches: { searches } }: ProductReader,
  applied: AppliedProduct,
  text: string,
): readonly SearchHit[] {
  const index = searches.get(applied) ?? searchIndex(applied);
  searches.set(applied, index);
  return searchNames(index, text);
}

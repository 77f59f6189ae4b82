import { type SearchIndex, searchIndex, searchNames } from '../../compiler/catalog/search.ts';
import type { SearchHit } from '../../domain/search-hit.ts';
import type { AppliedProduct } from './metadata.ts';

const indexes = new WeakMap<AppliedProduct, SearchIndex>();

/** What of a product has all words of a text, the nearest first. */
export function searchProduct(applied: AppliedProduct, text: string): readonly SearchHit[] {
  const index = indexes.get(applied) ?? searchIndex(applied);
  indexes.set(applied, index);
  return searchNames(index, text);
}

import type { ProductCall } from '../route.ts';
import { afterOf, cursorOf, limitOf } from './page.ts';

/** Which part of a list that is newest first; one more than is shown, because it shows whether there is another page. */
export const pageOf = (query: ProductCall['query']): { readonly before?: string; readonly limit: number } => {
  const before = afterOf(query);
  return { ...(before === undefined ? {} : { before }), limit: limitOf(query) + 1 };
};

/** The page, and where the next one begins. */
export const newestFirst = <Item extends { readonly id: string }>(
  items: readonly Item[],
  query: ProductCall['query'],
): { readonly shown: readonly Item[]; readonly next: string | null } => {
  const limit = limitOf(query);
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: items.length > limit && last !== undefined ? cursorOf(last.id) : null };
};

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { hash128 } from '../../../foundation/hash128.ts';
import type { JsonSchema } from '../route.ts';
import { Problem } from './problem.ts';

/** Parameters of every list. */
export const PAGE_QUERY: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 1000, description: '100 when absent' },
  cursor: { type: 'string', maxLength: 500, description: '`next_cursor` of the page before' },
};

/** What a list answers with. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

export const limitOf = (query: Readonly<Record<string, unknown>>): number =>
  typeof query['limit'] === 'number' ? query['limit'] : 100;

/** The key behind which a page begins; undefined for the first. */
export function afterOf(query: Readonly<Record<string, unknown>>): string | undefined {
  const { cursor } = query;
  if (typeof cursor !== 'string') return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(text.slice(1)) !== cursor || text[0] !== '>')
    throw new Problem(400, diagnostic('http.bad-cursor', {}));
  return text.slice(1);
}

/** Of what list a page is: whose, and with which filters. */
export function listOfPage(
  operationId: string,
  path: unknown,
  query: Readonly<Record<string, unknown>>,
): string {
  const filters = Object.entries(query)
    .filter(([name]) => name !== 'cursor' && name !== 'limit')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash128(operationId, JSON.stringify(path), JSON.stringify(filters)).slice(0, 8);
}

/** The cursor as the server wrote it, when it is one of this list. */
export function unboundCursor(cursor: string, list: string): string {
  if (!cursor.startsWith(list)) throw new Problem(400, diagnostic('http.bad-cursor', {}));
  return cursor.slice(list.length);
}

/** Callers treat it as opaque; it says where the next page begins. */
export const cursorOf = (key: string): string => Buffer.from(`>${key}`, 'utf8').toString('base64url');

/** One page of a list that is in order of its keys. */
export function page<Item>(
  items: readonly Item[],
  {
    query,
    keyOf,
  }: { readonly query: Readonly<Record<string, unknown>>; readonly keyOf: (item: Item) => string },
): Page<Item> {
  const [limit, after] = [limitOf(query), afterOf(query)];
  const rest = after === undefined ? items : items.filter((item) => keyOf(item) > after);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown,
    next_cursor: rest.length > limit && last !== undefined ? cursorOf(keyOf(last)) : null,
  };
}

/** Requests of groups whose things are read by name or in pages. */
import { type AnyRecord, type Page, pageOf } from './records.ts';
import { type ClientRequest, objectOf } from './transport.ts';

/** Which part of a list is wanted. */
export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly environment?: string;
}

export interface InEnvironment {
  readonly environment?: string;
}

export interface Keyed {
  readonly idempotencyKey?: string;
}

export const one = (path: readonly string[], params: object = {}): ClientRequest<AnyRecord> => ({
  method: 'GET',
  path,
  params: { ...params },
  read: (answer) => objectOf(answer),
});

export const change = (
  path: readonly string[],
  {
    accepted,
    body,
    idempotencyKey,
    method = 'POST',
    params = {},
  }: {
    readonly accepted: number | readonly number[];
    readonly body?: object;
    readonly idempotencyKey?: string | undefined;
    readonly method?: 'POST' | 'PUT' | 'PATCH';
    readonly params?: object;
  },
): ClientRequest<AnyRecord> => ({
  method,
  path,
  params: { ...params },
  accepted: typeof accepted === 'number' ? [accepted] : accepted,
  idempotencyKey,
  ...(body === undefined ? {} : { body: { ...body } }),
  read: (answer) => objectOf(answer),
});

/** What is gone has no answer. */
export const remove = (path: readonly string[], params: object = {}): ClientRequest<void> => ({
  method: 'DELETE',
  path,
  params: { ...params },
  accepted: [204],
  read: () => undefined,
});

export const many = (path: readonly string[], params: object): ClientRequest<Page<AnyRecord>> => ({
  method: 'GET',
  path,
  params: { ...params },
  read: (answer) => pageOf<AnyRecord>(objectOf(answer, ['items'])),
});

/** The items of all pages; a page is asked for when the one before is used up. */
export async function* everyItem<Item>(
  pageAt: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Item> = await pageAt(cursor === undefined ? {} : { cursor });
    yield* page.items;
    cursor = page.next_cursor;
  }
}

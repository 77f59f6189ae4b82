/**
 * What a caller gets from every endpoint of perspectives equals what they would get if the perspectives that they may not see did not exist.
 *
 *   product one   all perspectives of a random world
 *   product two   those of them that the caller may see
 *
 * Every request is sent to both, and the answers are compared: bodies, statuses, tags, events.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maySee, namesOf, type Perspective, type PerspectiveViewer } from '../../src/domain/perspective.ts';
import type { Product } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { perspectiveOf } from '../conformance/perspective-store-fixtures.ts';
import type { Answer } from '../support/served-platform.ts';
import { askerOf, base, type Caller, perspectivePlatform } from './perspective-product.ts';

let platform: Awaited<ReturnType<typeof perspectivePlatform>>;
let opened: Awaited<ReturnType<typeof openPlatform>>;
let products: readonly Product[];
const ids = new Map<string, string>();

beforeAll(async () => {
  platform = await perspectivePlatform(['one', 'two']);
  opened = await openPlatform({
    folders: platform.served.folders,
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
  });
  products = opened.products;
  for (const { world } of products)
    for (const { name, id } of await world.state.principals.principals({ tenant: 'acme' })) ids.set(name, id);
}, 180_000);
afterAll(async () => {
  await opened?.close();
  await platform?.served.stop();
});

const CALLERS: readonly Caller[] = ['ann', 'bob', 'cy', 'dora'];
const viewerOf = (caller: Caller): PerspectiveViewer => ({
  principalId: ids.get(caller) ?? '',
  shareKeys: [
    `user:${ids.get(caller)}`,
    ...(caller === 'ann' ? ['group:whole', 'group:sales'] : caller === 'dora' ? ['group:whole'] : []),
    ...(caller === 'bob' ? ['group:eu'] : []),
  ],
  isAdmin: caller === 'dora',
});

const SLUGS = ['a', 'b'];
const content = fc.record({
  slug: fc.constantFrom(...SLUGS),
  owner: fc.constantFrom<Caller>('ann', 'bob', 'cy'),
  visibility: fc.constantFrom('private', 'private', 'shared', 'product'),
  with: fc.subarray(['ann', 'bob', 'cy', 'group:sales', 'group:eu']),
  tags: fc.subarray(['red']),
  // Asks for what policies hide, for something that is not there, or with a parameter.
  query: fc.constantFrom<unknown>(
    { measures: ['people.spend'] },
    { measures: ['people.gone'] },
    {
      measures: ['people.spend'],
      filters: [{ member: 'people.country', operator: 'equals', values: [{ param: 'p' }] }],
    },
  ),
});
type Content = typeof content extends fc.Arbitrary<infer Each> ? Each : never;

function worldOf(contents: readonly Content[]): readonly Perspective[] {
  const all: Perspective[] = [];
  for (const [at, each] of contents.entries()) {
    const id = ids.get(each.owner) ?? '';
    const principals = each.with.map((name) =>
      name.startsWith('group:')
        ? ({ kind: 'group', name: name.slice(6) } as const)
        : ({ kind: 'user', id: ids.get(name) ?? '', name } as const),
    );
    const made = perspectiveOf(at + 1, {
      slug: each.slug,
      name: `Secret of ${each.owner}`,
      query: { kind: 'semantic', query: each.query },
      params: JSON.stringify(each.query).includes('"p"') ? [{ name: 'p', type: 'text' }] : [],
      visibility:
        each.visibility === 'shared'
          ? { kind: 'shared', principals }
          : { kind: each.visibility as 'private' | 'product' },
      tags: each.tags,
      owner: { id, name: each.owner },
      writtenBy: id,
    });
    if (!all.some((other) => namesOf(other) === namesOf(made) && other.slug === made.slug)) all.push(made);
  }
  return all;
}

/** The state has these perspectives and no others. */
async function fill({ world }: Product, all: readonly Perspective[]): Promise<void> {
  const { perspectives } = world.state;
  for (const each of await perspectives.everyPerspective({ limit: 1_000 }))
    await perspectives.removePerspective(each, []);
  for (const each of all) expect(await perspectives.createPerspective(each, [])).toBe('done');
}

/** Without what differs between any two answers. */
function plain({ status, headers, body }: Answer, known: ReadonlySet<string>): unknown {
  const text = JSON.stringify(body ?? null)
    .replaceAll('acme-two', 'acme-one')
    // Two products have two warehouses.
    .replace(/"(?:promotion_id|data_version)":"[^"]*"|"age_seconds":\d+/g, '')
    .replace(/s_[0-9a-z]{16}/g, 's_…')
    .replace(/x_[0-9a-z]{16}/g, (id) => (known.has(id) ? id : 'x_…'))
    .replace(/"correlation_id":"[^"]*"/, '')
    .replace(/"etag":"[^"]*"/, '')
    // A cursor begins with the name of its list, and a product is a part of that.
    .replace(/"next_cursor":"[^"]{8}/, '"next_cursor":"')
    .replace(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'a time');
  const tag = status === 200 ? headers.get('etag') : undefined;
  return { status, text, tag: text.includes('x_…') || text.includes('"version":2') ? '…' : tag };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const QUERY = { measures: ['people.heads'] };

function requests(all: readonly Perspective[]): readonly Request[] {
  const get = (path: string): Request => ({ method: 'GET', path });
  const places = [...SLUGS, 'none', ...all.map(({ id }) => id), 'x_9999999999999999'];
  const lists = [
    '',
    '?tag=red',
    '?owner=ann',
    '?owner=bob',
    '?visibility=private',
    '?visibility=shared',
    '?q=secret',
    '?limit=1',
  ];
  const writes = places.flatMap((slug): readonly Request[] => [
    { method: 'PATCH', path: `/perspectives/${slug}`, body: { name: 'Other' } },
    { method: 'PATCH', path: `/perspectives/${slug}`, body: { visibility: 'product' } },
    { method: 'PATCH', path: `/perspectives/${slug}`, body: { visibility: 'private', slug: 'b' } },
    { method: 'PATCH', path: `/perspectives/${slug}`, body: { owner: 'bob' } },
    { method: 'PATCH', path: `/perspectives/${slug}`, body: { name: 'X' }, headers: { 'if-match': '"no"' } },
    { method: 'DELETE', path: `/perspectives/${slug}` },
    { method: 'PUT', path: `/perspectives/${slug}`, body: { name: 'Put', query: QUERY } },
    {
      method: 'PUT',
      path: `/perspectives/${slug}`,
      body: { name: 'Put', query: QUERY },
      headers: { 'if-none-match': '*' },
    },
  ]);
  const creates = SLUGS.flatMap((slug) =>
    ['private', 'shared', 'product'].map(
      (visibility): Request => ({
        method: 'POST',
        path: '/perspectives',
        body: { name: 'New', slug, visibility, query: QUERY },
      }),
    ),
  );
  return [
    ...lists.map((query) => get(`/perspectives${query}`)),
    ...places.flatMap((slug) => [
      get(`/perspectives/${slug}`),
      get(`/perspectives/${slug}/versions`),
      get(`/perspectives/${slug}/result`),
      get(`/perspectives/${slug}/result?params={"p":"EU"}`),
    ]),
    ...creates,
    ...writes,
  ];
}

test('what a caller may not see is as if it did not exist, whatever they ask', async () => {
  const [one, two] = products;
  if (one === undefined || two === undefined) throw new Error('two products are served');
  const send = { one: askerOf(platform, base('one')), two: askerOf(platform, base('two')) };
  let hidden = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 2, maxLength: 5 }),
      fc.constantFrom(...CALLERS),
      async (contents, caller) => {
        const all = worldOf(contents);
        const seen = all.filter((each) => maySee(each, viewerOf(caller)));
        hidden += all.length - seen.length;
        const known = new Set(all.map(({ id }) => id));
        await Promise.all([fill(one, all), fill(two, seen)]);
        for (const { method, path, body, headers } of requests(all)) {
          const [whole, part] = await Promise.all([
            send.one(caller, method, path, body, headers),
            send.two(caller, method, path, body, headers),
          ]);
          const about = `${caller} ${method} ${path} ${JSON.stringify(body ?? null)}`;
          expect(plain(whole, known), about).toEqual(plain(part, known));
          if (method !== 'GET' && whole.status < 400) await Promise.all([fill(one, all), fill(two, seen)]);
        }
      },
    ),
    { numRuns: Number(process.env['PLINTH_RUNS'] ?? 6) },
  );
  expect(hidden).toBeGreaterThan(0);
}, 300_000);

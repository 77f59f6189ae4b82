/** Perspectives over HTTP: made, shared, asked by readers under their own policies, changed and removed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askerOf, BASE, perspectivePlatform } from './perspective-product.ts';

let platform: Awaited<ReturnType<typeof perspectivePlatform>>;
let ask: ReturnType<typeof askerOf>;

beforeAll(async () => {
  platform = await perspectivePlatform();
  ask = askerOf(platform);
}, 120_000);
afterAll(() => platform?.served.stop());

const QUERY = { measures: ['people.spend'], dimensions: ['people.country'] };
const made = async (who: 'ann' | 'bob' | 'dora', body: Record<string, unknown>) => {
  const answer = await ask(who, 'POST', '/perspectives', { query: QUERY, ...body });
  expect(answer.code, JSON.stringify(answer.body)).toBe('201');
  return answer.body;
};
const rows = async (who: 'ann' | 'bob' | 'cy', slug: string, query = '') => {
  const answer = await ask(who, 'GET', `/perspectives/${slug}/result${query}`);
  return answer.status === 200 ? answer.body.rows : answer.code;
};

describe('a perspective', () => {
  test('is made in one step, has a slug of its name, and is the address of an answer', async () => {
    const one = await made('ann', { name: 'Spend by Country', visibility: 'product', tags: ['board'] });
    expect(one).toMatchObject({
      slug: 'spend-by-country',
      query: QUERY,
      params: [],
      withheld: false,
      visibility: 'product',
      principals: [],
      tags: ['board'],
      auto_refresh: false,
      owner: 'ann',
      own: true,
      version: 1,
      _links: { self: `${BASE}/perspectives/${one.id}` },
    });
    expect(await rows('ann', one.slug)).toEqual([
      ['EU', 40],
      ['US', 20],
    ]);
    const head = await fetch(`${platform.served.url}${one._links.self}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${platform.tokens.ann}` },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('gives each reader the rows that policies leave them, not those of its owner', async () => {
    const one = await made('ann', { name: 'For all', visibility: 'product' });
    expect(await rows('bob', one.slug)).toEqual([['EU', 40]]);
    expect(await rows('cy', one.slug)).toBe('403 perspective.withheld');
    const seen = await ask('cy', 'GET', `/perspectives/${one.slug}`);
    expect(seen.body).toMatchObject({
      name: 'For all',
      query: null,
      params: null,
      withheld: true,
      principals: null,
    });
    expect((await ask('bob', 'GET', `/perspectives/${one.slug}`)).body).toMatchObject({
      query: QUERY,
      own: false,
    });
  });

  test('says nothing of its words to a reader who cannot ask it, whatever they send', async () => {
    const one = await made('ann', {
      name: 'Words',
      visibility: 'product',
      query: {
        ...QUERY,
        filters: [{ member: 'people.email', operator: 'equals', values: [{ param: 'mail' }] }],
      },
      params: [{ name: 'mail', type: 'text', allowed: ['ann@x.eu'], default: 'ann@x.eu' }],
    });
    for (const params of ['', '?params={"mail":"no"}', '?params={"other":1}']) {
      const answer = await ask('cy', 'GET', `/perspectives/${one.slug}/result${params}`);
      expect(answer.code).toBe('403 perspective.withheld');
      expect(JSON.stringify(answer.body)).not.toMatch(/mail|email|people/);
    }
    const versions = await ask('cy', 'GET', `/perspectives/${one.slug}/versions`);
    expect(JSON.stringify(versions.body)).not.toMatch(/mail|email|people/);
  });

  test('is made of a statement: of a semantic query, and of SQL with values', async () => {
    const asked = await ask('ann', 'POST', '/query/semantic/rest', { query: QUERY, wait: 20 });
    const one = await made('ann', { name: 'Of a statement', query: undefined, statement_id: asked.body.id });
    expect(one.query).toEqual(QUERY);
    const sql = await ask('ann', 'POST', '/query/statement', {
      statement: "SELECT MEASURE(spend) AS spend FROM people WHERE country = ? AND country <> '?'",
      parameters: ['EU'],
      wait: 20,
    });
    const two = await made('ann', { name: 'Of SQL', query: undefined, statement_id: sql.body.id });
    expect(two.params).toEqual([{ name: 'p1', type: 'text', default: 'EU' }]);
    expect(two.query).toContain("country = $p1 AND country <> '?'");
    const others = await ask('bob', 'POST', '/perspectives', { name: 'Not mine', statement_id: sql.body.id });
    expect(others.code).toBe('404 statement.unknown');
    expect((await ask('ann', 'POST', '/perspectives', { name: 'Neither' })).code).toBe(
      '422 perspective.bad-definition',
    );
  });

  test('is refused when its author cannot ask it', async () => {
    const unknown = { name: 'Bad', query: { measures: ['people.nothing'] } };
    expect((await ask('ann', 'POST', '/perspectives', unknown)).status).toBe(422);
    expect((await ask('cy', 'POST', '/perspectives', { name: 'No', query: QUERY })).status).toBe(403);
    const slug = { name: 'Bad', slug: 'x_0123456789abcdef', query: QUERY };
    expect((await ask('ann', 'POST', '/perspectives', slug)).code).toBe('422 perspective.bad-definition');
  });
});

describe('parameters', () => {
  const filters = [{ member: 'people.country', operator: 'equals', values: [{ param: 'country' }] }];

  test('take the place of values, in every form of question', async () => {
    const params = [{ name: 'country', type: 'text', default: 'EU' }];
    const one = await made('ann', { name: 'By country', query: { ...QUERY, filters }, params });
    const two = await made('ann', {
      name: 'By country in SQL',
      query: 'SELECT country, MEASURE(spend) AS spend FROM people WHERE country = $country GROUP BY 1',
      params,
    });
    for (const { slug } of [one, two]) {
      expect(await rows('ann', slug)).toEqual([['EU', 40]]);
      expect(await rows('ann', slug, '?params={"country":"US"}')).toEqual([['US', 20]]);
      // Never a piece of the text.
      const written = encodeURIComponent(JSON.stringify({ country: "US' OR '1'='1" }));
      expect(await rows('ann', slug, `?params=${written}`)).toEqual([]);
    }
    const list = await made('ann', {
      name: 'Some countries',
      query: { ...QUERY, filters: [{ ...filters[0], values: { param: 'some' } }] },
      params: [{ name: 'some', type: 'text', list: true, allowed: ['EU', 'US'], default: ['EU', 'US'] }],
    });
    expect(await rows('ann', list.slug)).toHaveLength(2);
    expect(await rows('ann', list.slug, '?params={"some":["US"]}')).toEqual([['US', 20]]);
  });

  test('are checked, all at once', async () => {
    const one = await made('ann', {
      name: 'Checked',
      query: { ...QUERY, filters, limit: { param: 'most' } },
      params: [
        { name: 'country', type: 'text', allowed: ['EU', 'US'] },
        { name: 'most', type: 'number', default: 1 },
      ],
    });
    const sent = async (params: unknown) => {
      const answer = await ask(
        'ann',
        'GET',
        `/perspectives/${one.slug}/result?params=${encodeURIComponent(JSON.stringify(params))}`,
      );
      return [answer.code, ...(answer.body.errors ?? []).map((each: { message: string }) => each.message)];
    };
    expect(await sent({})).toEqual([
      '422 perspective.bad-parameters',
      expect.stringContaining('country needs a value'),
    ]);
    expect(await sent({ country: 'FR', most: '1', x: 1 })).toHaveLength(4);
    expect(await sent([])).toEqual(['422 perspective.bad-parameters']);
    expect((await sent({ country: 'EU' }))[0]).toBe('200');
  });

  test('of a definition must be asked for, and be what they say', async () => {
    const bad = async (body: object) =>
      (await ask('ann', 'POST', '/perspectives', { name: 'Bad', query: { ...QUERY, filters }, ...body }))
        .code;
    expect(await bad({})).toBe('422 perspective.bad-definition');
    expect(await bad({ params: [{ name: 'country', type: 'number', default: 'x' }] })).toBe(
      '422 perspective.bad-definition',
    );
    expect(await bad({ query: QUERY, params: [{ name: 'country', type: 'text' }] })).toBe(
      '422 perspective.bad-definition',
    );
    expect(await bad({ query: 'SELECT 1 FROM people WHERE country = ?', params: [] })).toBe(
      '422 perspective.bad-definition',
    );
    const asMember = { measures: [{ param: 'country' }], dimensions: [] };
    expect(
      (
        await ask('ann', 'POST', '/perspectives', {
          name: 'Bad',
          query: asMember,
          params: [{ name: 'country', type: 'text' }],
        })
      ).status,
    ).toBe(422);
  });
});

test('results come in every format', async () => {
  const one = await made('ann', { name: 'Formats' });
  const get = (format: string) =>
    fetch(`${platform.served.url}${one._links.result}?format=${format}`, {
      headers: { authorization: `Bearer ${platform.tokens.ann}` },
    });
  expect(await (await get('csv')).text()).toBe('people.country,people.spend\r\nEU,40\r\nUS,20\r\n');
  expect((await (await get('ndjson')).text()).split('\n')[0]).toContain('EU');
  const parquet = Buffer.from(await (await get('parquet')).arrayBuffer());
  expect(parquet.subarray(0, 4).toString()).toBe('PAR1');
  const arrow = await get('arrow');
  expect([arrow.status, arrow.headers.get('content-type')]).toEqual([
    200,
    'application/vnd.apache.arrow.stream',
  ]);
  const page = await ask('ann', 'GET', `/perspectives/${one.slug}/result?limit=1`);
  expect(page.body).toMatchObject({
    rows: [['EU', 40]],
    row_count: 2,
    next: expect.stringContaining('/query/statement/s_'),
  });
});

describe('a slug', () => {
  test('that is taken is answered with free ones, which are free', async () => {
    const first = await made('ann', { name: 'Twice', slug: 'twice' });
    const again = await ask('ann', 'POST', '/perspectives', { name: 'Twice', query: QUERY });
    expect(again.code).toBe('409 perspective.taken');
    const free = again.body.errors.map((each: { hint: string }) => each.hint);
    expect(free).toEqual(['twice-ann', 'twice-2', 'twice-3']);
    for (const slug of free) await made('ann', { name: 'Twice', slug });
    expect((await ask('bob', 'POST', '/perspectives', { name: 'Twice', query: QUERY })).status).toBe(201);
    const published = await made('bob', { name: 'Twice', visibility: 'product' });
    expect((await ask('ann', 'PATCH', '/perspectives/twice', { visibility: 'product' })).code).toBe(
      '409 perspective.taken',
    );
    // Each sees what is theirs first, and both by id.
    expect((await ask('ann', 'GET', '/perspectives/twice')).body.id).toBe(first.id);
    expect((await ask('ann', 'GET', `/perspectives/${published.id}`)).body.owner).toBe('bob');
  });

  test('under which several are shared with a caller is told as such', async () => {
    const [one, two] = [
      await made('ann', { name: 'Same', visibility: 'shared', principals: ['cy'] }),
      await made('bob', { name: 'Same', visibility: 'shared', principals: ['cy'] }),
    ];
    const answer = await ask('cy', 'GET', '/perspectives/same');
    expect(answer.code).toBe('409 perspective.ambiguous');
    expect(answer.body.detail).toContain(`${one.id}, ${two.id}`);
  });
});

describe('a change', () => {
  test('is by its owner, of the version they saw, and each version stays', async () => {
    await made('ann', { name: 'Changing', visibility: 'product' });
    const at = '/perspectives/changing';
    const tag = (await ask('ann', 'GET', at)).headers.get('etag') ?? '';
    expect((await ask('bob', 'PATCH', at, { name: 'No' })).code).toBe('403 access.forbidden');
    expect(
      (await ask('ann', 'PATCH', at, { name: 'New', description: 'said' }, { 'if-match': tag })).body,
    ).toMatchObject({ name: 'New', description: 'said', version: 2 });
    expect((await ask('ann', 'PATCH', at, { name: 'Late' }, { 'if-match': tag })).code).toBe(
      '412 perspective.changed',
    );
    expect((await ask('ann', 'DELETE', at, undefined, { 'if-match': tag })).code).toBe(
      '412 perspective.changed',
    );
    expect(
      (await ask('ann', 'PUT', at, { name: 'Whole', query: QUERY, visibility: 'product' })).body,
    ).toMatchObject({ name: 'Whole', description: null, version: 3 });
    const versions = await ask('ann', 'GET', `${at}/versions?limit=2`);
    expect(versions.body.items.map((each: { name: string }) => each.name)).toEqual(['Whole', 'New']);
    const older = await ask('ann', 'GET', `${at}/versions?limit=2&cursor=${versions.body.next_cursor}`);
    expect(older.body.items.map((each: { name: string }) => each.name)).toEqual(['Changing']);
    // Who administers the product may, too.
    expect((await ask('dora', 'PATCH', at, { tags: ['kept'] })).status).toBe(200);
    expect((await ask('ann', 'DELETE', at)).status).toBe(204);
    expect((await ask('ann', 'GET', at)).code).toBe('404 perspective.unknown');
  });

  test('by PUT makes what is not there, once', async () => {
    const at = '/perspectives/put-once';
    const body = { name: 'Put', query: QUERY };
    expect((await ask('ann', 'PUT', at, body, { 'if-match': '"x"' })).code).toBe('404 perspective.unknown');
    expect((await ask('ann', 'PUT', at, body, { 'if-none-match': '*' })).body).toMatchObject({
      slug: 'put-once',
      version: 1,
    });
    expect((await ask('ann', 'PUT', at, body, { 'if-none-match': '*' })).code).toBe(
      '412 perspective.changed',
    );
    expect((await ask('ann', 'PUT', at, body)).body).toMatchObject({ version: 2 });
  });

  test('of its owner gives it away: the former owner has what others have', async () => {
    await made('bob', { name: 'Given' });
    const one = await made('ann', { name: 'Given' });
    const given = await ask('ann', 'PATCH', `/perspectives/${one.id}`, { owner: 'bob' });
    expect(given.body).toMatchObject({ owner: 'bob', own: false });
    const now = await ask('bob', 'GET', `/perspectives/${one.id}`);
    expect(now.body).toMatchObject({ owner: 'bob', own: true, slug: `given-${one.id.slice(2)}` });
    expect((await ask('ann', 'GET', `/perspectives/${one.id}`)).code).toBe('404 perspective.unknown');
    const unknown = await ask('bob', 'PATCH', `/perspectives/${one.id}`, { owner: 'zed' });
    expect(unknown.code).toBe('422 perspective.unknown-principals');
    const events = await ask('ann', 'GET', '/activity?type=perspective.transferred');
    expect(events.body.items.at(-1)).toMatchObject({ data: { id: one.id, owner: 'bob', from: 'ann' } });
  });
});

test('a list is filtered, in pages, and has no questions', async () => {
  await made('ann', { name: 'Listed A', tags: ['listed'] });
  await made('ann', { name: 'Listed B', tags: ['listed'], visibility: 'product' });
  await made('bob', { name: 'Listed C', tags: ['listed'], visibility: 'product' });
  const list = async (query: string) => {
    const { body } = await ask('ann', 'GET', `/perspectives?${query}`);
    return body.items.map((each: { name: string }) => each.name);
  };
  expect(await list('tag=listed')).toEqual(['Listed C', 'Listed B', 'Listed A']);
  expect(await list('tag=listed&owner=ann')).toEqual(['Listed B', 'Listed A']);
  expect(await list('q=listed+a')).toEqual(['Listed A']);
  expect(await list('tag=listed&visibility=private')).toEqual(['Listed A']);
  const first = await ask('ann', 'GET', '/perspectives?tag=listed&limit=2');
  expect(await list(`tag=listed&limit=2&cursor=${first.body.next_cursor}`)).toEqual(['Listed A']);
  expect(first.body.items[0]).not.toHaveProperty('query');
});

test('a result is asked as its address says', async () => {
  const one = await made('ann', { name: 'As said' });
  expect(await rows('ann', one.slug, '?offset=1')).toEqual([['US', 20]]);
  expect(await rows('ann', one.slug, '?columns=people.spend')).toEqual([[40], [20]]);
  expect(await rows('bob', one.slug)).toBe('404 perspective.unknown');
  expect(await rows('ann', one.slug, '?environment=nowhere')).toBe('403 policy.environment');
  const strategyOf = async (query: string) => {
    const { headers } = await ask('ann', 'GET', `/perspectives/${one.slug}/result${query}`);
    const at = headers.get('content-location') ?? '';
    return (await ask('ann', 'GET', at.slice(BASE.length))).body.strategy;
  };
  expect([await strategyOf(''), await strategyOf('?cache=false')]).toEqual(['from_cache', 'execute']);
  const early = await ask('ann', 'GET', `/perspectives/${one.slug}/result?wait=0&cache=false`);
  expect(early.code).toBe('202');
  expect(early.headers.get('location')).toBe(`${early.body._links.result}?format=json`);
});

test('fields that are written are read again, and PUT replaces all of them', async () => {
  const fields = {
    slug: 'fields',
    name: 'Fields',
    description: 'What it is for.',
    query: { ...QUERY, limit: { param: 'most' } },
    params: [{ name: 'most', type: 'number', default: 5, description: 'rows' }],
    visibility: 'shared',
    principals: ['bob', 'group:sales'],
    tags: ['a', 'b'],
    auto_refresh: true,
  };
  expect(await made('ann', fields)).toMatchObject(fields);
  const other = {
    ...fields,
    slug: 'fields-2',
    name: 'Other',
    description: 'else',
    tags: [],
    auto_refresh: false,
  };
  const changed = await ask('ann', 'PATCH', '/perspectives/fields', {
    ...other,
    query: QUERY,
    params: [],
    principals: ['cy'],
  });
  expect(changed.body).toMatchObject({ ...other, query: QUERY, params: [], principals: ['cy'] });
  // What is shared with a group is for its members, and with whom is not for them to know.
  expect((await ask('cy', 'GET', '/perspectives/fields-2')).body).toMatchObject({ principals: null });
  expect((await ask('bob', 'GET', '/perspectives/fields-2')).code).toBe('404 perspective.unknown');
  const { slug: _, ...whole } = fields;
  expect((await ask('ann', 'PUT', '/perspectives/fields-2', whole)).body).toMatchObject({
    ...whole,
    slug: 'fields-2',
  });
  const least = await ask('ann', 'PUT', '/perspectives/fields-2', { name: 'Least', query: QUERY });
  expect(least.body).toMatchObject({
    description: null,
    params: [],
    visibility: 'private',
    principals: [],
    tags: [],
    auto_refresh: false,
  });
  const both = await ask('ann', 'PATCH', '/perspectives/fields-2', {
    visibility: 'product',
    principals: ['bob'],
  });
  expect(both.code).toBe('422 perspective.bad-definition');
});

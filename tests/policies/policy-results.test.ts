/** A result, the words of a statement and a repeated answer are for those who could ask its question now. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUARDED_CONFIG, GUARDED_FILES, PEOPLE_YML, POLICIES } from '../support/guarded-project.ts';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;
beforeAll(async () => {
  served = await servedPlatform([GUARDED_CONFIG], GUARDED_FILES);
});
afterAll(() => served.stop());

const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const SEMANTIC = 'models/semantics/people.yml';
const post = (token: string, path: string, body: unknown, key?: string): Promise<Answer> =>
  served.ask(token, 'POST', `${BASE}${path}`, {
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
const get = (token: string, path: string): Promise<Answer> => served.ask(token, 'GET', `${BASE}${path}`);
const groupsOf = (name: string, ...groups: readonly string[]): Promise<Answer> =>
  served.ask(served.root, 'PATCH', `/tenants/default/users/${name}`, { body: { groups } });

const MAILS = { query: { dimensions: ['people.email'], order: { 'people.email': 'asc' } } };
const TABLE = { sql: 'SELECT email FROM marts.people ORDER BY email', wait: 20 };
const WORDS = 'for those who could ask this now';

/** What is shown of a statement: its rows, its words in its own address and in lists. */
async function shownTo(token: string, id: string): Promise<unknown> {
  const result = await get(token, `/query/statement/${id}/result`);
  const own = (await get(token, `/query/statement/${id}`)).body;
  const lists = ['/query/statement', '/activity/queries'].map(async (path) => {
    const { items } = (await get(token, path)).body;
    return items.find((each: { readonly id: string }) => each.id === id)?.sql.includes(WORDS) === false;
  });
  expect(await Promise.all(lists)).toEqual([!own.sql.includes(WORDS), !own.sql.includes(WORDS)]);
  const tag = (await get(token, `/query/statement/${id}`)).headers.get('etag') ?? '';
  expect(tag.includes('without-words')).toBe(own.sql.includes(WORDS));
  const again = await served.ask(token, 'GET', `${BASE}/query/statement/${id}`, {
    headers: { 'if-none-match': tag },
  });
  expect(again.status).toBe(304);
  if (own.sql.includes(WORDS)) expect([own.columns, own.depends_on, own.row_count]).toEqual([null, [], null]);
  return result.status === 200 ? result.body.rows.flat() : result.code;
}

describe('results', () => {
  const EVERY = ['ann@x.eu', 'bob@x.us', 'eve@x.eu'];
  test.each([
    ['of a semantic question', '/query/semantic/rest', MAILS, 'policy.no-access'],
    ['of a model', '/query/statement', TABLE, 'policy.model-restricted'],
    [
      'of semantic SQL',
      '/query/semantic/sql',
      { sql: 'SELECT email FROM people ORDER BY 1' },
      'policy.no-access',
    ],
  ] as const)('%s go with the group by which they were asked', async (_, path, body, code) => {
    const name = `p${path.length}`;
    const token = await served.person('default', name, { role: 'viewer', groups: ['admin'] });
    const { id } = (await post(token, path, body)).body;
    expect(await shownTo(token, id)).toEqual(EVERY);
    for (const groups of [['eu'], ['masked'], [], ['eu', 'masked']]) {
      await groupsOf(name, ...groups);
      expect(await shownTo(token, id), groups.join()).toBe(`403 ${code}`);
    }
    await groupsOf(name, 'admin', 'eu');
    expect(await shownTo(token, id)).toEqual(EVERY);
  });
  test('that show less are for those who are shown more by now, and not the other way round', async () => {
    const token = await served.person('default', 'uma', { role: 'viewer', groups: ['eu'] });
    const { id } = (await post(token, '/query/semantic/rest', MAILS)).body;
    expect(await shownTo(token, id)).toEqual(['ann@x.eu', 'eve@x.eu']);
    await groupsOf('uma', 'admin');
    expect(await shownTo(token, id)).toEqual(['ann@x.eu', 'eve@x.eu']);
    await groupsOf('uma', 'masked');
    expect(await shownTo(token, id)).toBe('403 policy.no-access');
  });
  test('go with a policy that is planned since, and come with one that goes', async () => {
    await served.plan({ [SEMANTIC]: PEOPLE_YML });
    const token = await served.person('default', 'olf', { role: 'viewer', groups: ['eu'] });
    const asked = (await post(token, '/query/semantic/rest', MAILS)).body.id;
    const read = (await post(token, '/query/statement', TABLE)).body.id;
    expect([await shownTo(token, asked), await shownTo(token, read)]).toEqual([EVERY, EVERY]);
    await served.plan({ [SEMANTIC]: `${PEOPLE_YML}${POLICIES}` });
    expect([await shownTo(token, asked), await shownTo(token, read)]).toEqual([
      '403 policy.no-access',
      '403 policy.model-restricted',
    ]);
    await served.plan({ [SEMANTIC]: PEOPLE_YML });
    expect(await shownTo(token, asked)).toEqual(EVERY);
    await served.plan({ [SEMANTIC]: `${PEOPLE_YML}${POLICIES}` });
  });
  test('of models need query:models in the token that reads them', async () => {
    const token = await served.person('default', 'tia', { role: 'viewer', groups: ['admin'] });
    const made = await served.ask(token, 'POST', '/tenants/default/tokens', {
      body: { name: 'less', scopes: ['query:read', 'activity:read'] },
    });
    const less = made.body.token as string;
    const read = (await post(token, '/query/statement', TABLE, 'k1')).body.id;
    const asked = (await post(token, '/query/semantic/rest', MAILS)).body.id;
    expect(await shownTo(less, read)).toBe('403 policy.no-access');
    expect(await shownTo(less, asked)).toEqual(EVERY);
    expect((await post(less, '/query/statement', TABLE, 'k1')).code).toBe('403 policy.no-access');
    expect((await post(token, '/query/statement', TABLE, 'k1')).body.id).toBe(read);
  });
  test('of others are for owners whom no policy restricts', async () => {
    const token = await served.person('default', 'una', { role: 'viewer', groups: ['admin'] });
    const { id } = (await post(token, '/query/semantic/rest', MAILS)).body;
    const owner = await served.person('default', 'own', { role: 'admin', groups: ['eu'] });
    expect((await get(owner, `/query/statement/${id}/result`)).code).toBe('403 policy.no-access');
    expect((await get(owner, `/query/statement/${id}`)).body.sql).toContain(WORDS);
    const open = await served.person('default', 'ope', { role: 'admin', groups: ['admin'] });
    expect((await get(open, `/query/statement/${id}/result`)).body.rows.flat()).toEqual(EVERY);
  });
});

describe('what is repeated under an Idempotency-Key', () => {
  test.each([
    ['a semantic question', '/query/semantic/rest', MAILS],
    ['a table', '/query/statement', TABLE],
    ['GraphQL', '/query/semantic/graphql', { query: '{ people { email } }' }],
  ] as const)('is decided anew: %s', async (_, path, body) => {
    const name = `r${path.length}`;
    const token = await served.person('default', name, { role: 'viewer', groups: ['admin'] });
    const first = await post(token, path, body, 'again');
    expect(JSON.stringify(first.body)).toContain('bob@x.us');
    const second = await post(token, path, body, 'again');
    expect([second.headers.get('idempotency-replayed'), second.body]).toEqual(['true', first.body]);
    await groupsOf(name, 'eu');
    const third = await post(token, path, body, 'again');
    expect(third.status).toBe(403);
    expect(JSON.stringify(third.body)).not.toContain('bob@x.us');
  });
  test('a text that is not run is compiled anew', async () => {
    const token = await served.person('default', 'tra', { role: 'viewer', groups: ['admin'] });
    const first = await post(token, '/query/transpile', MAILS, 't');
    await groupsOf('tra', 'eu');
    const second = await post(token, '/query/transpile', MAILS, 't');
    expect(first.body.sql).not.toContain("'EU'");
    expect(second.body.sql).toContain("'EU'");
  });
});

test('the words of a failed statement are in no event, and go with the right to ask', async () => {
  const token = await served.person('default', 'fay', { role: 'viewer', groups: ['admin'] });
  const sql = 'SELECT CAST(email AS INTEGER) AS n FROM marts.people';
  const { id, error } = (await post(token, '/query/statement', { sql, wait: 20 })).body;
  expect(error.message).toContain('@x.');
  const events = async (): Promise<string> =>
    JSON.stringify((await get(token, '/activity?type=statement.failed&limit=1000')).body);
  expect(await events()).toContain(id);
  expect(await events()).not.toContain('@x.');
  await groupsOf('fay', 'eu');
  expect(JSON.stringify((await get(token, `/query/statement/${id}`)).body)).not.toContain('@x.');
  expect((await get(token, `/query/statement/${id}/result`)).code).toBe('403 policy.model-restricted');
});

/** What all answers have in common: keys that stand for a request, tags that stand for an answer, limits, and what is not there yet. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;
let ask: ServedPlatform['ask'];
let [root, ada, bob] = ['', '', ''];

const T = '/tenants/acme';
const SALES = '/plinth/tenants/acme/data-products/acme-sales/api/v1';
const LIMITS = {
  requests_per_second: 10_000,
  failed_credentials_per_minute: 30,
  body_bytes: 2048,
  request_seconds: 20,
  connections: 500,
  answer_bytes: 50_000_000,
  sql_bytes: 100,
  parameters: 2,
  statement_seconds_default: 5,
  statement_seconds_max: 10,
  statements_running: 1,
  statements_queued: 2,
  page_rows: 3,
  results_bytes: 40_000,
  results_bytes_each: 20_000,
  result_hours: 0.5,
};

beforeAll(async () => {
  const limits = Object.entries(LIMITS)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
  served = await servedPlatform([
    `name: sales\ntenant: acme\nserver: {limits: {${limits}}}`,
    // Those of the first folder count for all.
    'name: other\ntenant: acme\nserver: {limits: {page_rows: 7, requests_per_second: 1}}',
  ]);
  ({ ask, root } = served);
  ada = await served.person('acme', 'ada', { role: 'admin' });
  bob = await served.person('acme', 'bob', { role: 'viewer' });
});
afterAll(() => served?.stop());

let keys = 0;
const newKey = (): string => `key-${++keys}`;
const post = (path: string, body: object, key: string, as = ada) =>
  ask(as, 'POST', path, { body, headers: { 'idempotency-key': key } });

/** All that is kept of answers in the state of the first folder. */
function keptRows(): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(join(served.folders[0] as string, '.plinth', 'state.db'));
  try {
    return database.prepare('SELECT * FROM kept_answers').all();
  } finally {
    database.close();
  }
}

function inState(sql: string): void {
  const database = new DatabaseSync(join(served.folders[0] as string, '.plinth', 'state.db'), {
    timeout: 5000,
  });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

describe('an Idempotency-Key', () => {
  test('gives the first answer again, after a restart too, and does nothing twice', async () => {
    const key = newKey();
    const first = await post(`${T}/users`, { name: 'uma' }, key);
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const second = await post(`${T}/users`, { name: 'uma' }, key);
    await served.restart();
    const third = await post(`${T}/users`, { name: 'uma' }, key);
    for (const again of [second, third]) {
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      for (const name of ['location', 'etag', 'content-type'])
        expect(again.headers.get(name), name).toBe(first.headers.get(name));
    }
    expect((await post(`${T}/users`, { name: 'uma' }, newKey())).code).toBe('409 access.exists');
  });

  test('stands for one body of one principal at one address', async () => {
    const key = newKey();
    expect((await post(`${T}/users`, { name: 'ulf' }, key)).status).toBe(201);
    expect((await post(`${T}/users`, { name: 'ulla' }, key)).code).toBe('422 http.key-reused');
    expect((await post(`${T}/users`, { name: 'ulla' }, key, root)).status).toBe(201);
    expect((await post(`${T}/service-accounts`, { name: 'ubot' }, key)).status).toBe(201);
    expect((await post(`${T}/users`, { name: 'ulf' }, key, bob)).code).toBe('403 access.forbidden');
  });

  test('of twins that come together is worked on once', async () => {
    const key = newKey();
    const twins = await Promise.all(
      Array.from({ length: 8 }, () => post(`${T}/groups`, { name: 'twins', members: ['bob'] }, key)),
    );
    expect(new Set(twins.map(({ status }) => status))).toEqual(new Set([201]));
    expect(twins.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const log = await ask(ada, 'GET', `${T}/audit-log?target=twins`);
    expect(log.body.items.length).toBeLessThanOrEqual(2);
    await ask(ada, 'DELETE', `${T}/groups/twins`);
    const other = newKey();
    const mixed = await Promise.all(
      ['m1', 'm2', 'm1', 'm2'].map((name) => post(`${T}/groups`, { name }, other)),
    );
    expect(mixed.filter(({ code }) => code === '422 http.key-reused')).toHaveLength(2);
    expect(mixed.filter(({ status }) => status === 201)).toHaveLength(2);
  });

  test('of a request that failed is free: nothing has happened', async () => {
    const key = newKey();
    const body = { name: 'late', members: ['lia'] };
    expect((await post(`${T}/groups`, body, key)).code).toBe('422 access.unknown-members');
    await post(`${T}/users`, { name: 'lia' }, newKey());
    expect((await post(`${T}/groups`, body, key)).status).toBe(201);
    expect((await post(`${T}/groups`, body, key)).headers.get('idempotency-replayed')).toBe('true');
  });

  test('never shows a secret twice, and the secret is nowhere in the state', async () => {
    const key = newKey();
    const made = await post(`${T}/tokens`, { name: 'once' }, key);
    expect(made.body.token).toMatch(/^plt_/);
    for (let i = 0; i < 2; i++) {
      const again = await post(`${T}/tokens`, { name: 'once' }, key);
      expect(again.code).toBe('409 http.secret-shown');
      expect(again.headers.get('location')).toBe(`/platform-api/v1${T}/tokens/${made.body.id}`);
      await served.restart();
    }
    const { items } = (await ask(ada, 'GET', `${T}/tokens`)).body;
    expect(items.filter((each: { name: string }) => each.name === 'once')).toHaveLength(1);
    expect(JSON.stringify(keptRows())).not.toContain('plt_');
    expect((await post(`${T}/tokens`, { name: 'twice' }, key)).code).toBe('422 http.key-reused');
  });

  test('that a server left behind is a conflict where it could have changed something, and is done again where it cannot', async () => {
    const [user, question] = [newKey(), newKey()];
    await post(`${T}/users`, { name: 'una' }, user);
    const sql = { sql: 'SELECT 1 AS a', wait: 10 };
    const first = await post(`${SALES}/query/statement`, sql, question, bob);
    expect(first.status).toBe(200);
    inState("UPDATE kept_answers SET status = NULL, worker = 'one that was killed'");
    await served.restart();
    expect((await post(`${T}/users`, { name: 'una' }, user)).code).toBe('409 http.key-unfinished');
    const again = await post(`${SALES}/query/statement`, sql, question, bob);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(again.body.result.rows).toEqual(first.body.result.rows);
    const third = await post(`${SALES}/query/statement`, sql, question, bob);
    expect([third.body.id, third.headers.get('idempotency-replayed')]).toEqual([again.body.id, 'true']);
  });

  test('is good for a day, and then forgotten', async () => {
    const key = newKey();
    await post(`${T}/groups`, { name: 'aged' }, key);
    inState(`UPDATE kept_answers SET at = at - ${24 * 3_600_000 + 1000}`);
    expect((await post(`${T}/groups`, { name: 'aged' }, key)).code).toBe('409 access.exists');
    await served.restart();
    await post(`${T}/groups`, { name: 'fresh' }, newKey());
    await expect.poll(() => keptRows().length, { timeout: 5000 }).toBe(1);
  });

  test.each(['', 'a b', 'ä', 'x'.repeat(256)])('that is %j is refused', async (key) => {
    const headers = { 'idempotency-key': encodeURI(key) === key ? key : `${key}` };
    const answer = await ask(ada, 'POST', `${T}/groups`, { body: { name: 'never' }, headers }).catch(
      () => undefined,
    );
    if (answer !== undefined) expect(answer.code).toBe('422 http.invalid');
  });
});

describe('an ETag', () => {
  test.each(['/tenants', T, `${T}/users`, `${T}/groups`, `${T}/resources/apps`, `${T}/audit-log?limit=1`])(
    'of %s is known again: 304 without a body',
    async (path) => {
      const first = await ask(ada, 'GET', path);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[^"]+"$/);
      for (const seen of [tag, `"x", ${tag}`, `W/${tag}`, '*']) {
        const again = await ask(ada, 'GET', path, { headers: { 'if-none-match': seen } });
        expect([again.status, again.body, again.headers.get('etag')], seen).toEqual([304, undefined, tag]);
      }
      const other = await ask(ada, 'GET', path, { headers: { 'if-none-match': '"x"' } });
      expect([other.status, other.body]).toEqual([200, first.body]);
      // No tag at all: a read like any other.
      expect((await ask(ada, 'GET', path, { headers: { 'if-none-match': 'x' } })).status).toBe(200);
    },
  );

  test.each(['/metadata', '/metadata/models', '/metadata/search?q=m'])(
    'of %s is known again',
    async (path) => {
      const first = await ask(bob, 'GET', `${SALES}${path}`);
      const tag = first.headers.get('etag') ?? '';
      const again = await ask(bob, 'GET', `${SALES}${path}`, { headers: { 'if-none-match': tag } });
      expect([first.status, again.status, again.body]).toEqual([200, 304, undefined]);
    },
  );

  test('is not shown to who may not read, whatever they guess', async () => {
    const users = await ask(ada, 'GET', `${T}/users`);
    const headers = { 'if-none-match': users.headers.get('etag') ?? '' };
    expect((await ask(bob, 'GET', `${T}/users`, { headers })).code).toBe('403 access.forbidden');
  });

  test('is in the document, with what may be sent and what may come', async () => {
    const document = await (await fetch(`${served.url}/platform-api/openapi.json`)).json();
    const one = (
      document as {
        paths: Record<string, Record<string, { parameters: { name: string }[]; responses: object }>>;
      }
    ).paths['/tenants/{tenant}/users/{name}'];
    expect(one?.['get']?.parameters.map(({ name }) => name)).toContain('If-None-Match');
    expect(Object.keys(one?.['get']?.responses ?? {})).toContain('304');
    expect(one?.['patch']?.parameters.map(({ name }) => name)).toContain('If-Match');
    expect(Object.keys(one?.['patch']?.responses ?? {})).toContain('412');
  });
});

describe('limits', () => {
  test('are those of the first folder, and shown as they are written', async () => {
    expect((await ask(bob, 'GET', '/limits')).body).toMatchObject(LIMITS);
  });

  test('hold: body, SQL, parameters, timeout and rows of a page', async () => {
    const submit = (body: object, product = SALES) =>
      ask(bob, 'POST', `${product}/query/statement`, { body: { wait: 10, ...body } });
    expect((await submit({ sql: `SELECT '${'x'.repeat(3000)}'` })).code).toBe('413 http.too-large');
    expect((await submit({ sql: `SELECT '${'x'.repeat(200)}'` })).status).toBe(422);
    expect((await submit({ sql: 'SELECT ?, ?, ?', parameters: [1, 2, 3] })).status).toBe(422);
    expect((await submit({ sql: 'SELECT 1', timeout: 11 })).status).toBe(422);
    expect((await submit({ sql: 'SELECT 1', timeout: 10 })).status).toBe(200);
    for (const product of [SALES, SALES.replace('acme-sales', 'acme-other')]) {
      const { body } = await submit({ sql: 'SELECT * FROM range(10)' }, product);
      expect([body.result.rows.length, body.row_count]).toEqual([3, 10]);
      expect(Date.parse(body.expires_at) - Date.parse(body.finished_at)).toBe(1_800_000);
    }
  });
});

describe('what is not there yet', () => {
  test.each([
    ['POST', `${T}/resources/apps`],
    ['PUT', `${T}/resources/apps/sales`],
    ['DELETE', `${T}/resources/apps/sales`],
  ])('%s %s says so to whoever may, whatever is sent', async (method, path) => {
    expect((await ask(ada, method, path)).code).toBe('405 http.not-yet');
    const bundle = await fetch(`${served.url}/platform-api/v1${path}`, {
      method,
      headers: { apikey: ada, 'content-type': 'application/octet-stream' },
      body: 'bytes of a bundle',
    });
    expect(bundle.status).toBe(405);
    expect((await ask(bob, method, path)).code).toBe('403 access.forbidden');
    const document = (await (await fetch(`${served.url}/platform-api/openapi.json`)).json()) as {
      readonly paths: Record<string, Record<string, unknown>>;
    };
    const at = path.replace('acme', '{tenant}').replace('/sales', '/{name}');
    expect(document.paths[at]?.[method.toLowerCase()]).toBeUndefined();
    expect(document.paths[at]?.['get']).toBeDefined();
  });
});

test('the rate is that of each token: one that is used up leaves the others alone', async () => {
  const slow = await servedPlatform([
    'name: sales\ntenant: acme\nserver: {limits: {requests_per_second: 1}}',
  ]);
  try {
    const body = { name: 'second' };
    const second = (await slow.ask(slow.root, 'POST', `${T}/tokens`, { body })).body.token as string;
    const codes = await Promise.all(
      Array.from({ length: 60 }, async () => (await slow.ask(slow.root, 'GET', '/me')).code),
    );
    expect(codes).toContain('429 http.too-many');
    expect((await slow.ask(second, 'GET', '/me')).status).toBe(200);
  } finally {
    await slow.stop();
  }
});

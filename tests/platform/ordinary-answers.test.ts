/** What ordinary clients ask of a server: browsers of other sites, proxies in front, texts that are not quite right. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { type ServedProduct, servedProduct } from '../support/served-product.ts';

const APP = 'https://app.example';
const PUBLIC = 'https://data.example/below';

let served: ServedProduct;
const servers: RunningServer[] = [];
let base = '';
let origin = '';

beforeAll(async () => {
  served = await servedProduct({
    ...SEMANTIC_PROJECT,
    'config.yaml': `${SEMANTIC_PROJECT['config.yaml']}\nserver: {public_url: '${PUBLIC}', cors: {origins: ['${APP}', 'http://localhost:5173']}}\n`,
  });
  const server = await startServer({
    folders: [served.project.folder],
    variables: {},
    executionTime: Date.UTC(2025, 5, 15),
    host: '127.0.0.1',
    port: 0,
    auth: 'disabled',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
  servers.push(server);
  origin = server.url;
  base = server.products[0]?.baseUrl ?? '';
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await served?.close();
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, as it is sent. */
  readonly text?: string;
}

async function ask(address: string, { method, headers = {}, text }: Sent = {}) {
  const answer = await fetch(address, {
    method: method ?? (text === undefined ? 'GET' : 'POST'),
    headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(text === undefined ? {} : { body: text }),
  });
  const words = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: (words === '' ? {} : JSON.parse(words)) as Record<string, unknown>,
  };
}

const asking = (sql: string): Sent => ({ text: JSON.stringify({ sql, wait: 20 }) });
const errorsOf = (body: Record<string, unknown>) => JSON.stringify(body['errors']);

describe('pages of other sites', () => {
  test('may ask when config.yaml names the site, and read what they need of the answer', async () => {
    const { status, headers } = await ask(`${base}/query/statement`, {
      ...asking('SELECT 1'),
      headers: { origin: APP },
    });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(APP);
    expect(headers.get('access-control-expose-headers')).toContain('retry-after');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('origin');
  });

  test('are told what they may send before they send it', async () => {
    const { status, headers } = await ask(`${base}/query/statement`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type, idempotency-key',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    for (const name of ['authorization', 'apikey', 'content-type', 'idempotency-key'])
      expect(headers.get('access-control-allow-headers')).toContain(name);
  });

  test('read errors, too', async () => {
    const { status, headers } = await ask(`${base}/nothing`, { headers: { origin: APP } });
    expect(status).toBe(404);
    expect(headers.get('access-control-allow-origin')).toBe(APP);
  });

  test.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'are told nothing of the kind when it is %s',
    async (site) => {
      const looked = await ask(`${base}/metadata/models`, { headers: { origin: site } });
      expect(looked.headers.get('access-control-allow-origin')).toBeNull();
      const first = await ask(`${base}/query/statement`, {
        method: 'OPTIONS',
        headers: { origin: site, 'access-control-request-method': 'POST' },
      });
      expect(first.headers.get('access-control-allow-methods')).toBeNull();
      // Without authentication a page must not even send what changes something.
      const sent = await ask(`${base}/query/statement`, { ...asking('SELECT 1'), headers: { origin: site } });
      expect([sent.status, sent.body['code']]).toEqual([403, 'http.foreign-origin']);
    },
  );
});

test('links and endpoints begin with the public address of the server', async () => {
  const found: string[] = [];
  const statement = await ask(`${base}/query/statement`, asking('SELECT 1'));
  found.push(...Object.values(statement.body['_links'] as Record<string, string>));
  found.push(statement.headers.get('location') ?? '');
  const apps = await ask(`${origin}/platform-api/v1/tenants/default/resources/apps`);
  const [app] = apps.body['items'] as readonly Record<string, Record<string, string | null>>[];
  for (const each of [...Object.values(app?.['links'] ?? {}), ...Object.values(app?.['endpoints'] ?? {})])
    if (each !== null) found.push(each);
  expect(found.length).toBeGreaterThan(6);
  expect(found.filter((each) => !each.startsWith(`${PUBLIC}/`))).toEqual([]);
});

describe('the character U+0000 is refused', () => {
  test.each([
    ['in a text of SQL', 'query/statement', '{"sql": "SELECT \'a\\u0000b\'"}'],
    ['in a parameter', 'query/statement', '{"sql": "SELECT ?", "parameters": ["\\u0000"]}'],
    ['in a key', 'query/statement', '{"sql": "SELECT 1", "a\\u0000": 1}'],
    [
      'in a value of a filter',
      'query/semantic/rest',
      '{"query": {"dimensions": ["orders.status"], "filters": [{"member": "orders.status", "operator": "equals", "values": ["\\u0000"]}]}}',
    ],
    [
      'in a variable of GraphQL',
      '../../graphql',
      '{"query": "{ __typename }", "variables": {"a": "\\u0000"}}',
    ],
  ])('%s', async (_, path, text) => {
    const { status, body } = await ask(new URL(path, `${base}/`).href, { text });
    expect([status, body['code']]).toEqual([422, 'http.invalid']);
    expect(errorsOf(body)).toContain('U+0000');
  });

  test('in a literal of GraphQL', async () => {
    const { body } = await ask(new URL('../../graphql', `${base}/`).href, {
      text: JSON.stringify({
        query: '{ orders(where: {status: {equals: "a\\u0000"}}) { status } }',
      }),
    });
    expect(errorsOf(body)).toContain('U+0000');
    expect(body['data']).toEqual({ orders: null });
  });

  test.each(['/metadata/models/a%00b', '/metadata/models?q=%00', '/query/statement?tag=a%00'])(
    'in the address %s',
    async (path) => {
      const { status, body } = await ask(`${base}${path}`);
      expect([status, body['code']]).toEqual([422, 'http.invalid']);
    },
  );
});

test.each([
  ['{"sql": "SELECT 1", "sql": "SELECT 2"}', '\\"sql\\" twice'],
  ['{"sql": "SELECT 1", "s\\u0071l": "SELECT 2"}', '\\"sql\\" twice'],
  ['{"sql": "SELECT \'\\ud800\'"}', 'surrogates'],
])('JSON that can be read in two ways is refused: %s', async (text, words) => {
  const { status, body } = await ask(`${base}/query/statement`, { text });
  expect([status, body['code']]).toEqual([422, 'http.invalid']);
  expect(errorsOf(body)).toContain(words);
});

describe('results', () => {
  test('of a statement that failed say why it did', async () => {
    const failed = await ask(`${base}/query/statement`, asking("SELECT CAST('x' AS INTEGER)"));
    expect(failed.body['status']).toBe('FAILED');
    const { code, message } = failed.body['error'] as { readonly code: string; readonly message: string };
    const { status, body } = await ask(`${base}/query/statement/${failed.body['id']}/result`);
    expect([status, body['code']]).toEqual([409, 'statement.no-result']);
    expect(body['detail']).toContain(message.replace(/\.$/, ''));
    expect(body['detail']).toContain(code);
  });

  test('of a statement that has not ended have a title of their own', async () => {
    const begun = await ask(`${base}/query/statement`, {
      text: JSON.stringify({ sql: 'SELECT count(*) FROM range(100000000) a, range(1000000) b', wait: 0 }),
    });
    const { status, body } = await ask(`${base}/query/statement/${begun.body['id']}/result`);
    await ask(`${base}/query/statement/${begun.body['id']}/cancel`, { text: '{}' });
    expect([status, body['title'], body['code']]).toEqual([
      202,
      'Not finished yet',
      'statement.not-finished',
    ]);
  });
});

test('the list of all statements says whose each is', async () => {
  await ask(`${base}/query/statement`, asking('SELECT 7'));
  const { body } = await ask(`${base}/query/statement?all=true`);
  const items = body['items'] as readonly Record<string, unknown>[];
  expect(items.length).toBeGreaterThan(0);
  for (const item of items) expect(item['principal_id']).toBe('local-admin');
});

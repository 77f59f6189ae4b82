/** The TypeScript client as package.json exports it, against the real server and against answers that make no sense. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DataProductClient,
  type DataProductClientOptions,
  DataProductError,
} from '../../src/client/index.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { newToken, type ServedProject, servedProject } from '../e2e/served-project.ts';

const ROOT = join(import.meta.dirname, '../..');
const GIVEN: DataProductClientOptions = {
  fqdn: 'data.example.com',
  dpName: 'shop',
  accessToken: 'plt_secret_text',
  tenant: 'acme',
};

let server: ServedProject;
let token = '';
let client: DataProductClient;

beforeAll(async () => {
  const config = `${SEMANTIC_PROJECT['config.yaml']}tenant: acme\n`;
  server = await servedProject({ ...SEMANTIC_PROJECT, 'config.yaml': config }, async (project) => {
    await project.json('user', 'create', 'ada', '--role', 'admin');
    token = await newToken(project, '--user', 'ada');
  });
  client = new DataProductClient({ fqdn: server.url, dpName: 'asked', accessToken: token, tenant: 'acme' });
});
afterAll(() => server?.stop());

/** The error that something ends with; it never shows the token. */
async function failing(work: Promise<unknown>): Promise<DataProductError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DataProductError);
  expect(`${String(error)}${JSON.stringify(error)}`).not.toContain('plt_');
  return error as DataProductError;
}

describe('the client and the real server', () => {
  test('submit, poll and fetch', async () => {
    let statement = await client.query.submitStatement(
      'SELECT status, amount FROM marts.orders ORDER BY amount',
    );
    for (let left = 200; left > 0 && statement.status === 'IN_PROGRESS'; left--)
      statement = await client.query.getStatement(statement.id, { wait: 1 });
    expect(statement.status).toBe('SUCCESS');
    const { cols, rows } = await client.query.getStatementResult(statement.id);
    expect(cols.map(({ name }) => name)).toEqual(['status', 'amount']);
    expect(rows).toEqual([
      ['completed', '5.25'],
      ['completed', '10.00'],
      ['returned', '20.50'],
      ['completed', '100.00'],
    ]);
  });
  test('the same question in every spelling has the same answer', async () => {
    const sql = 'SELECT status, MEASURE(revenue) FROM orders GROUP BY status ORDER BY status';
    const query = {
      measures: ['orders.revenue'],
      dimensions: ['orders.status'],
      order: { 'orders.status': 'asc' },
    };
    const answers = [
      (await client.query.run(sql)).rows,
      (await client.query.querySemantic(query)).result?.rows,
      (await client.query.querySemanticSql(sql)).result?.rows,
    ];
    for (const rows of answers)
      expect(rows).toEqual([
        ['completed', '115.25'],
        ['returned', '20.50'],
      ]);
    const range = { dateRange: ['2025-01-01', '2025-02-28'] };
    const metric = (await client.query.queryMetric('monthly_revenue', range)).result?.rows;
    expect(metric).toEqual((await client.query.getMetric('monthly_revenue', range)).result?.rows);
    expect(String((await client.query.transpile({ sql }))['sql'])).toContain('SUM(');
  });
  test('results are whole however many pages they are, and come in pages and as files', async () => {
    const { id } = await client.query.submitStatement('SELECT range::INTEGER AS n FROM range(120000)', {
      wait: 30,
    });
    const all = await client.query.getStatementResult(id);
    expect([all.rows.length, all.rows.at(-1)]).toEqual([120_000, [119_999]]);
    let count = 0;
    for await (const page of client.query.iterStatementResult(id, { pageSize: 50_000 }))
      count += page.rows.length;
    expect(count).toBe(120_000);
    const csv = await client.query.downloadStatementResult(id, 'csv', { limit: 2 });
    expect(new TextDecoder().decode(csv)).toBe('n\r\n0\r\n1\r\n');
  });
  test('aborting a run cancels its statement', async () => {
    const leave = new AbortController();
    setTimeout(() => leave.abort(), 1500);
    const sql = 'SELECT COUNT(*) FROM range(1000000000000)';
    await failing(client.query.run(sql, { signal: leave.signal, tags: ['left'] }));
    const { items } = await client.query.listStatements({ tag: 'left' });
    expect((await client.query.getStatement(items[0]?.id ?? '', { wait: 10 })).status).toBe('CANCELLED');
  });
  test('a perspective is made, asked, changed as it was read, and removed', async () => {
    const { perspectives } = client;
    const query = 'SELECT status, MEASURE(revenue) AS revenue FROM orders WHERE status = $status GROUP BY 1';
    const params = [{ name: 'status', type: 'text', default: 'completed' }];
    const made = await perspectives.createPerspective({ name: 'In TypeScript', query, params, tags: ['ts'] });
    const slug = String(made['slug']);
    expect((await perspectives.getPerspectiveResult(slug)).rows).toEqual([['completed', '115.25']]);
    const returned = await perspectives.getPerspectiveResult(slug, { params: { status: 'returned' } });
    expect(returned.rows).toEqual([['returned', '20.50']]);
    const csv = await perspectives.downloadPerspectiveResult(slug, 'csv');
    expect(new TextDecoder().decode(csv)).toBe('status,revenue\r\ncompleted,115.25\r\n');
    const ifMatch = String(made['etag']);
    const changed = await perspectives.changePerspective(slug, { ifMatch, autoRefresh: true });
    expect(changed).toMatchObject({ version: 2, auto_refresh: true });
    const late = await failing(perspectives.changePerspective(slug, { ifMatch, name: 'Late' }));
    expect([late.statusCode, late.code]).toEqual([412, 'perspective.changed']);
    await perspectives.putPerspective(slug, { name: 'Whole', query, params, tags: ['ts'] });
    const versions = await perspectives.listPerspectiveVersions(slug);
    expect(versions.items.map((each) => each['version'])).toEqual([3, 2, 1]);
    const found: unknown[] = [];
    for await (const each of perspectives.iterPerspectives({ tag: 'ts' })) found.push(each['name']);
    expect(found).toEqual(['Whole']);
    await perspectives.deletePerspective(slug);
    expect((await failing(perspectives.getPerspective(slug))).code).toBe('perspective.unknown');
  });
  test('errors carry status and detail', async () => {
    expect((await failing(client.query.getStatement('s_nothing'))).statusCode).toBe(404);
    expect((await failing(client.query.submitStatement('SELECT 1; SELECT 2'))).statusCode).toBe(422);
    const failed = await failing(client.query.run('SELECT nothing FROM marts.orders'));
    expect([failed.statusCode, failed.detail]).toEqual([409, expect.stringContaining('FAILED')]);
    const unknown = new DataProductClient({ ...GIVEN, fqdn: server.url, dpName: 'asked' });
    expect((await failing(unknown.query.listStatements())).statusCode).toBe(401);
    const plain = new DataProductClient({ ...GIVEN, fqdn: new URL(server.url).host, retries: 0 });
    const lost = await failing(plain.query.listStatements());
    expect([lost.statusCode, lost.hint]).toEqual([0, expect.stringContaining('http://')]);
  });
  test('plans, runs, events and what the product is made of', async () => {
    const [plan] = (await client.activity.listPlans()).items;
    expect((await client.activity.getPlan(String(plan?.['id'])))['id']).toBe(plan?.['id']);
    expect((await client.metadata.getProduct())['name']).toBe('asked');
    const names: unknown[] = [];
    for await (const model of client.metadata.iterModels({ limit: 1 })) names.push(model['name']);
    expect(await client.metadata.exportProduct()).toMatchObject({ kind: 'DataContract' });
    expect(await client.metadata.exportProduct('graphql')).toContain('type Query');
    expect((await client.metadata.getImpact('marts.orders', { change: 'drop' }))['breaking']).toBe(true);
    const { items: asked } = await client.activity.listQueryActivity({ queryType: 'sql', limit: 1 });
    expect(asked.every((statement) => statement['query_type'] === 'sql')).toBe(true);
    const { items: plans } = await client.activity.listEvents({ type: ['plan.*'] });
    expect(plans.map((event) => event['type'])).toContain('plan.applied');
    expect(names).toEqual(['marts.customers', 'marts.lines', 'marts.orders']);
    const listed: unknown[] = [];
    for await (const event of client.activity.iterEvents({ limit: 2 })) listed.push(event);
    const streamed: unknown[] = [];
    for await (const event of client.activity.streamEvents({ since: 0 })) {
      streamed.push(event);
      if (streamed.length === listed.length) break;
    }
    expect(streamed).toEqual(listed);
  });
  test('every operation of the OpenAPI document is a method', async () => {
    const answer = await fetch(`${client.baseUrl}/openapi.json`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { paths } = (await answer.json()) as {
      readonly paths: Readonly<
        Record<string, Readonly<Record<string, { operationId: string; tags: [string] }>>>
      >;
    };
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    expect(operations.length).toBeGreaterThan(20);
    const groups = client as unknown as Readonly<Record<string, object>>;
    for (const { operationId, tags } of operations) {
      const group = Object.getPrototypeOf(groups[tags[0]]) as object;
      expect(Object.getOwnPropertyNames(group), `${tags[0]}.${operationId}`).toContain(operationId);
    }
  });
});

test('the TypeScript on the page about clients runs as it stands', async () => {
  const page = readFileSync(join(ROOT, 'docs/guides/clients.md'), 'utf8');
  const program = (/```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    .replace("'plinth/client'", JSON.stringify(join(ROOT, 'dist/client/index.js')))
    .replace("'shop'", "'asked'")
    .replace("'default'", "'acme'");
  server.write('page.mts', program);
  const { stdout } = await promisify(execFile)(process.execPath, [join(server.folder, 'page.mts')], {
    env: { ...process.env, PLINTH_FQDN: server.url, PLINTH_TOKEN: token },
  });
  expect(stdout).toContain('115.25');
  expect(stdout).toContain('404 ');
});

describe('parameters', () => {
  test.each(['fqdn', 'dpName', 'accessToken', 'tenant'])('%s is required', (name) => {
    for (const value of [undefined, null, '', ' ', 7])
      expect(() => new DataProductClient({ ...GIVEN, [name]: value } as DataProductClientOptions)).toThrow(
        DataProductError,
      );
  });
  test.each(['a@b', 'ftp://h', 'h/path', 'h?x', 'h#x', 'h\\e', 'h:port', 'h h'])('%s is no host', (fqdn) =>
    expect(() => new DataProductClient({ ...GIVEN, fqdn })).toThrow(/fqdn/),
  );
  test.each([
    ['data.example.com', 'https://data.example.com'],
    ['http://127.0.0.1:8088/', 'http://127.0.0.1:8088'],
  ])('%s is at %s', (fqdn, origin) =>
    expect(new DataProductClient({ ...GIVEN, fqdn }).baseUrl).toBe(
      `${origin}/plinth/tenants/acme/data-products/acme-shop/api/v1`,
    ),
  );
  test('operations of later groups, and later operations, say so', async () => {
    const made = new DataProductClient(GIVEN);
    const { metadata, activity, dq, perspectives, notifications, followers } = made;
    for (const known of [metadata, activity, dq, perspectives, notifications, followers] as unknown as Record<
      string,
      () => Promise<never>
    >[])
      expect((await failing(known['anything']?.() as Promise<never>)).statusCode).toBe(501);
    expect(await made.dq).toBe(made.dq);
    expect(JSON.stringify(made)).not.toContain('plt_');
  });
});

type Handler = (request: IncomingMessage, answer: ServerResponse) => void;

describe('answers that make no sense', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const each of servers) {
      each.closeAllConnections();
      each.close();
    }
  });
  const clientOf = async (
    ...handlers: readonly Handler[]
  ): Promise<{ client: DataProductClient; seen: IncomingMessage[] }> => {
    const seen: IncomingMessage[] = [];
    const made = createServer((request, answer) => {
      seen.push(request);
      (handlers[Math.min(seen.length, handlers.length) - 1] as Handler)(request, answer);
    });
    servers.push(made);
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    const fqdn = `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
    return { client: new DataProductClient({ ...GIVEN, fqdn, timeoutMs: 2000 }), seen };
  };
  const sending =
    (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Handler =>
    (_, answer) => {
      answer.writeHead(status, { 'content-type': 'application/json', ...headers });
      answer.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  const good = { id: 's_1', status: 'SUCCESS' };

  test.each<[string, Handler, number]>([
    ['nothing', sending(200, ''), 200],
    ['half a JSON', sending(200, '{"id":'), 200],
    ['HTML', sending(200, '<html>', { 'content-type': 'text/html' }), 200],
    ['a list', sending(200, [good]), 200],
    ['another shape', sending(200, { name: 'x' }), 200],
    ['an id that is a number', sending(200, { id: 1, status: 'x' }), 200],
    ['an error in HTML', sending(500, '<html>', { 'content-type': 'text/html' }), 500],
    ['a token in the detail', sending(401, { detail: 'who is plt_secret_text?' }), 401],
    [
      'a body that breaks off',
      (_, answer) => answer.writeHead(200, { 'content-length': '99' }).write('{', () => answer.destroy()),
      0,
    ],
    ['silence', () => undefined, 0],
  ])('%s', { timeout: 20_000 }, async (_, handler, status) => {
    const made = await clientOf(handler);
    expect((await failing(made.client.query.getStatement('s_1'))).statusCode).toBe(status);
  });
  test('redirects are not followed', async () => {
    const thief = await clientOf(sending(200, good));
    const location = `${thief.client.baseUrl}/take`;
    const { client: sent } = await clientOf(sending(302, '', { location }));
    expect((await failing(sent.query.getStatement('s_1'))).detail).toContain('redirect');
    expect(thief.seen).toEqual([]);
  });
  test('a server that is away for a moment is asked again, with the same key', async () => {
    const { client: sent, seen } = await clientOf(
      sending(503, { detail: 'wait' }),
      (_, answer) => answer.destroy(),
      sending(429, { detail: 'wait' }, { 'retry-after': '0' }),
      sending(202, good),
    );
    expect((await sent.query.submitStatement('SELECT 1')).id).toBe('s_1');
    expect(seen.length).toBe(4);
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer plt_secret_text']),
    );
  });
});

test('package.json exports it, and what is built of it needs nothing of Node', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(exports['./client'].default).toBe('./dist/client/index.js');
  const built = readFileSync(join(ROOT, 'dist/client/index.js'), 'utf8');
  expect(built).not.toMatch(/\bfrom\s*["']|\brequire\(|\bprocess\./);
});

/** Without authentication every caller may do everything: so it answers only under names that are this machine's. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject;
const servers: RunningServer[] = [];

const start = async (auth: 'disabled' | 'required'): Promise<RunningServer> => {
  const server = await startServer({
    folders: [project.folder],
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
    host: '127.0.0.1',
    port: 0,
    auth,
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
  servers.push(server);
  return server;
};

beforeAll(() => {
  project = temporaryProject({
    'config.yaml':
      'name: p\nserver: {hosts: [plinth.example, "Data.Example", "192.168.7.7", "fd00::7"]}\ngateways: {local: {connection: {type: duckdb, database: p.duckdb}}}\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
});
afterAll(async () => {
  for (const server of servers) await server.close();
  project?.delete();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As a browser or an attacker would: any Host. */
function ask(
  server: RunningServer,
  { method = 'GET', path = '/platform-api/v1/version', headers, body }: Sent,
) {
  return new Promise<{ readonly status: number; readonly code: string; readonly text: string }>(
    (resolve, reject) => {
      const { port } = new URL(server.url);
      const asked = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          const code = /"code":"([^"]+)"/.exec(text)?.[1] ?? '';
          resolve({ status: answer.statusCode ?? 0, code, text });
        });
      });
      asked.on('error', reject);
      asked.end(body);
    },
  );
}

const PRODUCT = '/plinth/tenants/default/data-products/default-p/api/v1';

describe('without authentication', () => {
  let server: RunningServer;
  let port = '';
  beforeAll(async () => {
    server = await start('disabled');
    port = new URL(server.url).port;
  });

  test.each([
    'localhost', 'LocalHost', 'localhost.', 'app.localhost', 'a.b.localhost', '127.0.0.1', '127.8.9.10', '[::1]', '[0:0:0:0:0:0:0:1]',
    'plinth.example', 'PLINTH.example', 'data.example', '192.168.7.7', '[fd00::7]',
  ])('%s is answered, with a port and without', async (host) => {
    for (const given of [host, `${host}:${port}`, `${host}:1`])
      expect((await ask(server, { headers: { host: given } })).status, given).toBe(200);
  }); // biome-ignore format: a list

  test.each([
    'attacker.example', 'localhost.attacker.example', '127.0.0.1.attacker.example', 'notlocalhost', 'attackerlocalhost', '128.0.0.1', '0.0.0.0',
    '10.0.0.1', '[::2]', '[::]', 'x.plinth.example', 'plinth.example.attacker',  'localhost..',
  ])('%s is answered with 421, whatever is asked', async (host) => {
    for (const path of ['/platform-api/v1/version', '/livez', '/readyz', '/metrics', '/nothing', `${PRODUCT}/metadata`, '/'])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, code, text } = await ask(server, { method, path, headers: { host: `${host}:${port}` } });
        expect([status, code], `${method} ${path}`).toEqual([421, 'http.foreign-host']);
        expect(text).not.toContain(project.folder);
      }
  }); // biome-ignore format: a list

  test('an address of another host in the request line is not taken for the Host', async () => {
    const path = `http://attacker.example:${port}/platform-api/v1/version`;
    expect((await ask(server, { path, headers: { host: `attacker.example:${port}` } })).status).toBe(421);
    expect((await ask(server, { path, headers: { host: `localhost:${port}` } })).status).toBe(400);
  });

  test.each([
    ['another site', { origin: 'http://attacker.example' }],
    ['another port of this machine', { origin: 'http://localhost:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['another site that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling of this site', { 'sec-fetch-site': 'same-site' }],
  ])('%s changes nothing', async (_, headers) => {
    const host = `localhost:${port}`;
    for (const [path, method, body] of [
      [`${PRODUCT}/activity/plans`, 'POST', '{}'],
      [`${PRODUCT}/activity/plans/p_1/apply`, 'POST', undefined],
      [`${PRODUCT}/activity/runs`, 'POST', '{}'],
      [`${PRODUCT}/query/statement`, 'POST', '{"sql":"SELECT 1"}'],
      ['/platform-api/v1/tenants/default/users', 'POST', '{"name":"x"}'],
      ['/platform-api/v1/tenants/default/users/x', 'DELETE', undefined],
      ['/platform-api/v1/tenants/default/groups/x', 'PUT', '{}'],
    ] as const) {
      const sent = {
        host,
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const { status, code } = await ask(server, {
        method,
        path,
        headers: sent,
        ...(body === undefined ? {} : { body }),
      });
      expect([status, code], `${method} ${path}`).toEqual([403, 'http.foreign-origin']);
    }
    // Looking is harmless: a browser keeps the answer from the page.
    expect((await ask(server, { headers: { host, ...headers } })).status).toBe(200);
  });

  test('a page of this server, and programs other than browsers, change what they like', async () => {
    const host = `localhost:${port}`;
    for (const headers of [
      {},
      { origin: `http://${host}` },
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]) {
      const { status } = await ask(server, {
        method: 'POST',
        path: `${PRODUCT}/query/transpile`,
        headers: { host, 'content-type': 'application/json', ...headers },
        body: '{"nothing":1}',
      });
      expect(status, JSON.stringify(headers)).toBe(422);
    }
  });
});

test('with authentication any host is answered: the credential decides', async () => {
  const server = await start('required');
  const { status } = await ask(server, { headers: { host: 'attacker.example' } });
  expect(status).not.toBe(421);
});

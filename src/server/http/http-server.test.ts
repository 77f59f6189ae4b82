import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TemporaryProject, temporaryProject } from '../../../tests/support/temporary-project.ts';
import type { RunningServer } from '../../operations/serve/running-server.ts';
import { startServer } from '../start-server.ts';

let project: TemporaryProject;
let server: RunningServer;

beforeAll(async () => {
  project = temporaryProject({
    'config.yaml':
      'name: one\ntenant: acme\ngateways: {local: {connection: {type: duckdb, database: one.duckdb}}}\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  server = await startServer({
    folders: [project.folder],
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
    host: '127.0.0.1',
    port: 0,
    auth: 'disabled',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
});
afterAll(async () => {
  await server.close();
  project.delete();
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${server.url}${path}`, init);
const APPS = '/platform-api/v1/tenants/acme/resources/apps';

describe('every answer', () => {
  test('carries the correlation id of the request, or a new one when it is none', async () => {
    const given = await ask(APPS, {
      headers: { 'platform-correlation-id': 'abc-1', 'x-request-id': 'other' },
    });
    expect(given.headers.get('platform-correlation-id')).toBe('abc-1');
    const second = await ask(APPS, { headers: { 'x-request-id': 'other' } });
    expect(second.headers.get('platform-correlation-id')).toBe('other');
    const bad = await ask(APPS, { headers: { 'platform-correlation-id': 'a b' } });
    expect(bad.headers.get('platform-correlation-id')).toMatch(/^[\da-f-]{36}$/);
  });

  test.each([
    ['/nothing', {}, 404, 'http.not-found'],
    [APPS, { method: 'DELETE' }, 405, 'http.wrong-method'],
    [APPS, { method: 'DELETE', headers: { 'content-type': 'application/json' } }, 405, 'http.wrong-method'],
    [`${APPS}?limit=0`, {}, 422, 'http.invalid'],
    [`${APPS}?limit=1&limit=2`, {}, 422, 'http.invalid'],
    [`${APPS}?unknown=1`, {}, 422, 'http.invalid'],
    [`${APPS}?cursor=zzz`, {}, 400, 'http.bad-cursor'],
    [`${APPS}/missing`, {}, 404, 'http.not-found'],
  ])('of %s %j is %i %s', async (path, init, status, code) => {
    const answer = await ask(path, init as RequestInit);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const body = (await answer.json()) as { readonly correlation_id: string };
    expect(body).toMatchObject({ status, code });
    expect(body.correlation_id).toBe(answer.headers.get('platform-correlation-id'));
  });

  test('bytes that are no HTTP get a 400', async () => {
    const { port } = new URL(server.url);
    const said = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said).toContain('http.bad-request');
  });
});

test('two credentials are refused, whichever they are', async () => {
  const answer = await ask(APPS, { headers: { authorization: 'Bearer a', apikey: 'b' } });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 'auth.ambiguous-credentials' });
});

test('health, metrics and the OpenAPI document are there', async () => {
  expect((await ask('/livez')).status).toBe(200);
  expect((await ask('/readyz')).status).toBe(200);
  const metrics = await (await ask('/metrics')).text();
  expect(metrics).toContain('plinth_http_request_duration_seconds_count');
  expect(metrics).toContain('plinth_statements_running 0\n');
  const document = (await (await ask('/platform-api/openapi.json')).json()) as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, unknown>>;
  };
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toContain('/tenants/{tenant}/resources/apps');
});

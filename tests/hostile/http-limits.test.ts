/* Those who take more than their share: slow senders, too many connections, too many requests. The server has small limits. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { newToken, type ServedProject, servedProject } from '../e2e/served-project.ts';
import { operationsOf } from '../e2e/served-twins.ts';
import { codeOf, rawHttp } from './raw-http.ts';

const CONNECTIONS = 40;
const RATE = 5;
const WRONG = 12;

let served: ServedProject;
let port = 0;
let token = '';
let base = '';

beforeAll(async () => {
  const config = `${SEMANTIC_PROJECT['config.yaml']}server: {limits: {request_seconds: 1, connections: ${CONNECTIONS}, requests_per_second: ${RATE}, body_bytes: 2048, failed_credentials_per_minute: ${WRONG}}}\n`;
  served = await servedProject({ ...SEMANTIC_PROJECT, 'config.yaml': config }, async (project) => {
    await project.plinth('user', 'create', 'ann', '--role', 'admin');
    token = await newToken(project, '--user', 'ann');
  });
  port = Number(new URL(served.url).port);
  base = served.products[0]?.base_url ?? '';
});
afterAll(() => served?.stop());

const isAlive = async (): Promise<number> => (await fetch(`${served.url}/livez`)).status;
const pathOf = (path: string): string => `${new URL(base).pathname}${path}`;

/** Connections that say `text` and then nothing, closed by the caller. */
async function opened(count: number, text: string): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    if (text !== '') socket.write(text);
  }
  await sleep(300);
  return sockets;
}

describe('a request that comes slowly', () => {
  test('is 408 at every address that takes a body, and loses its connection', async () => {
    const document = await fetch(`${base}/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
    const bodies = operationsOf((await document.json()) as Parameters<typeof operationsOf>[0]).filter(
      ({ hasBody }) => hasBody,
    );
    expect(bodies.length).toBeGreaterThan(5);
    // One after the other would take long; all at once would be too many requests a second.
    const answers = await Promise.all(
      bodies.map(async ({ method, path }, i) => {
        await sleep((i * 1200) / RATE);
        const at = pathOf(path.replaceAll(/\{\w+\}/g, 'none'));
        return rawHttp(
          port,
          `${method} ${at} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":`,
          { untilClosedMs: 20_000 },
        );
      }),
    );
    for (const answer of answers)
      expect([answer.status, codeOf(answer), answer.isClosed, answer.count], answer.text).toEqual([
        408,
        'http.bad-request',
        true,
        1,
      ]);
  });

  test.each([
    ['nothing but its first line', 'GET /livez HTTP/1.1\r\n'],
    ['headers one after the other', 'GET /livez HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n'],
    ['half a method', 'GE'],
    [
      'a chunk that never ends',
      'POST /platform-api/v1/tenants HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{',
    ],
  ])('is ended after its time: %s', async (_, bytes) => {
    const answer = await rawHttp(port, bytes, { untilClosedMs: 20_000 });
    expect([408, 401]).toContain(answer.status);
    expect([answer.isClosed, answer.count]).toEqual([true, 1]);
  });

  test('is not one whose answer takes long: who waits for a statement is not slow', async () => {
    const answer = await fetch(`${base}/query/statement`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        sql: 'SELECT count(*) AS n FROM range(100000000000) AS t(i)',
        wait: 3,
        on_wait_timeout: 'cancel',
      }),
    });
    expect([200, 202]).toContain(answer.status);
  });
});

test('an answer that its caller stopped reading is ended, and one that is read slowly is not', async () => {
  await sleep(1100);
  const asked = await fetch(`${base}/query/statement`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: "SELECT repeat('x', 1000) AS x FROM range(60000) AS t(i)", wait: 50 }),
  });
  const { id } = (await asked.json()) as { readonly id: string };
  const whole = 60_000 * 1_000;
  const read = async (pause: (socket: Socket) => Promise<unknown>): Promise<number> => {
    const [socket] = await opened(
      1,
      `GET ${pathOf(`/query/statement/${id}/result?format=csv`)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    let bytes = 0;
    const closed = new Promise((resolve) => socket?.on('close', resolve));
    socket?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await pause(socket as Socket);
    socket?.resume();
    await closed;
    return bytes;
  };
  const [stopped, slow] = await Promise.all([
    read(async (socket) => {
      socket.pause();
      // Ten times as long as a request may take to arrive, and what it is looked at in between.
      await sleep(13_000);
    }),
    read(async (socket) => {
      for (let pauses = 0; pauses < 8; pauses++) {
        socket.pause();
        await sleep(1_500);
        socket.resume();
        await sleep(20);
      }
    }),
  ]);
  expect(stopped).toBeGreaterThan(0);
  expect(stopped).toBeLessThan(whole);
  expect(slow).toBeGreaterThan(whole);
});

describe('too many', () => {
  test('connections that say nothing do not keep others out for longer than their time', async () => {
    const sockets = await opened(CONNECTIONS * 3, 'GET /livez HTTP/1.1\r\nHost: x\r\n');
    try {
      const fresh = async (): Promise<number> =>
        (await rawHttp(port, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n', { untilClosedMs: 200 })).status;
      expect(await fresh()).toBe(0);
      for (let left = 100; (await fresh()) !== 200; left--) {
        expect(left).toBeGreaterThan(0);
        await sleep(100);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    expect(await isAlive()).toBe(200);
  });

  test('requests of one caller are 429 with when to come again, and nobody else waits', async () => {
    await sleep(1100);
    const ask = (): Promise<Response> =>
      fetch(`${base}/metadata/models`, { headers: { authorization: `Bearer ${token}` } });
    const answers = await Promise.all(Array.from({ length: RATE * 4 }, ask));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(RATE);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const { headers } of refused) {
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('ratelimit-limit')).toBe(String(RATE));
      expect(headers.get('ratelimit-remaining')).toBe('0');
      expect(headers.get('ratelimit-reset')).toBe('1');
    }
    expect(await refused[0]?.json()).toMatchObject({ status: 429, code: 'http.too-many' });
    for (const { status, headers } of answers)
      if (status === 200) expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(RATE);
    expect(await isAlive()).toBe(200);
    await sleep(1100);
    expect((await ask()).status).toBe(200);
  });

  test('bytes in chunks are refused as soon as they are too many', async () => {
    await sleep(1100);
    const chunk = `400\r\n${'a'.repeat(1024)}\r\n`;
    const answer = await rawHttp(
      port,
      `POST ${pathOf('/query/statement')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}`,
    );
    expect([answer.status, codeOf(answer)]).toEqual([413, 'http.too-large']);
  });

  test('credentials that nobody has are not looked up, and those that were right before are', async () => {
    await sleep(1100);
    const ask = (bearer: string): Promise<Response> =>
      fetch(`${base}/metadata`, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await ask(token)).status).toBe(200);
    const fresh = await newToken(served, '--user', 'ann');
    const guesses = await Promise.all(Array.from({ length: WRONG * 2 }, (_, i) => ask(`plt_guess${i}`)));
    const refused = guesses.filter(({ status }) => status === 429);
    expect(guesses.length - refused.length).toBeLessThanOrEqual(WRONG + 1);
    expect(refused.length).toBeGreaterThan(WRONG / 2);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused[0]?.json()).toMatchObject({ status: 429, code: 'auth.too-many' });
    // That it is right is not said, before its turn comes.
    expect(await (await ask(fresh)).json()).toMatchObject({ status: 429, code: 'auth.too-many' });
    expect((await ask(token)).status).toBe(200);
    expect((await fetch(`${base}/metadata`)).status).toBe(401);
    await sleep(1000 * Number(refused[0]?.headers.get('retry-after')));
    expect((await ask(fresh)).status).toBe(200);
    const metrics = await (await fetch(`${served.url}/metrics`)).text();
    expect(metrics).toMatch(/^plinth_failed_credentials_total\{outcome="refused"\} [1-9]/m);
    expect(metrics).toMatch(/^plinth_failed_credentials_total\{outcome="invalid"\} [1-9]/m);
  });
});

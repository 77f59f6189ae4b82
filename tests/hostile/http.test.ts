/*
 * Every operation of both OpenAPI documents against every mistake and attack that fits it. Whatever comes: the right
 * status and code, a problem+json, and never a 5xx.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ServedTwins, servedTwins } from '../e2e/served-twins.ts';
import { hostileTargets, type Target } from './hostile-targets.ts';

let twins: ServedTwins;
let token = '';
let foreign = '';
let targets: readonly Target[] = [];

beforeAll(async () => {
  twins = await servedTwins();
  token = await twins.person('acme', 'ann', { role: 'admin', groups: ['admin'] });
  foreign = await twins.person('globex', 'gil', { role: 'admin' });
  targets = (await hostileTargets(twins, token)).filter(({ isPublic }) => !isPublic);
});
afterAll(() => twins?.stop());

/** Who may use an operation at all: some only the platform's administrator. */
const own = ({ id, credential }: Target) =>
  credential(id === 'createTenant' || id === 'deleteTenant' ? twins.root : token);

const isProblem = ({ status, type, body }: Answer): void => {
  expect(type).toContain('application/problem+json');
  expect(body).toMatchObject({ status, code: expect.stringMatching(/^[a-z]+\.[a-z-]+$/) });
  expect(body.correlation_id).toBeTypeOf('string');
};

/** The same for all operations that fit; each answer is a problem with this status and one of these codes. */
const everywhere = (
  what: string,
  expected: { readonly status: number | readonly number[]; readonly code: RegExp },
  ask: (target: Target) => Promise<Answer>,
  fits: (target: Target) => boolean = () => true,
): void => {
  test(what, async () => {
    const fitting = targets.filter(fits);
    expect(fitting.length).toBeGreaterThan(3);
    for (const target of fitting) {
      const answer = await ask(target);
      const about = `${target.method} ${target.url}: ${answer.text.slice(0, 300)}`;
      expect([expected.status].flat(), about).toContain(answer.status);
      isProblem(answer);
      expect(answer.body.code, about).toMatch(expected.code);
      // Another method is no answer of this operation.
      if (answer.status !== 405) expect(target.statuses, about).toContain(answer.status);
    }
  });
};

const hasBody = ({ hasBody: has }: Target): boolean => has;
const bodyOf = (target: Target) => (target.hasBody ? { body: {} } : {});

describe('who asks', () => {
  everywhere('nobody', { status: 401, code: /^auth\.missing$/ }, (target) =>
    twins.ask(target.method, target.url, bodyOf(target)),
  );
  everywhere('a credential that nobody has', { status: 401, code: /^auth\.invalid$/ }, (target) =>
    twins.ask(target.method, target.url, {
      ...target.credential(`${token.slice(0, -4)}0000`),
      ...bodyOf(target),
    }),
  );
  everywhere(
    'the administrator of another tenant',
    { status: 403, code: /^access\.forbidden$/ },
    (target) => twins.ask(target.method, target.url, { ...target.credential(foreign), ...bodyOf(target) }),
    ({ url, id }) => url.includes('/tenants/acme') || id === 'createTenant',
  );
  everywhere('two at once', { status: 400, code: /^auth\.ambiguous-credentials$/ }, (target) =>
    twins.ask(target.method, target.url, { bearer: token, apikey: token, ...bodyOf(target) }),
  );
  everywhere(
    'nobody, with a body that is wrong too: the order is kept',
    { status: 401, code: /^auth\.missing$/ },
    (target) => twins.ask(target.method, target.url, { body: '{"a":' }),
    hasBody,
  );
});

describe('what is asked', () => {
  everywhere(
    'by a method that the address has not',
    { status: 405, code: /^http\.wrong-method$/ },
    async (target) => {
      const taken = targets.filter(({ url }) => url === target.url).map(({ method }) => method);
      const free = ['PATCH', 'PUT', 'POST'].find((method) => !taken.includes(method)) ?? '';
      const answer = await twins.ask(free, target.url, { ...own(target), body: {} });
      expect(answer.headers.get('allow')).toContain(target.method);
      return answer;
    },
  );
  everywhere('with an unknown parameter', { status: 422, code: /^http\.invalid$/ }, (target) =>
    twins.ask(target.method, `${target.url}?surprise=1`, { ...own(target), ...bodyOf(target) }),
  );
  everywhere('with parameters of a prototype', { status: 422, code: /^http\.invalid$/ }, (target) =>
    twins.ask(target.method, `${target.url}?__proto__=1&constructor=2`, {
      ...own(target),
      ...bodyOf(target),
    }),
  );
  everywhere(
    'with a cursor that was made up',
    { status: 400, code: /^http\.bad-cursor$/ },
    async (target) => {
      for (const cursor of ['%00', 'Pg==', '!!', 'PmE=x'])
        isProblem(await twins.ask(target.method, `${target.url}?cursor=${cursor}`, own(target)));
      return twins.ask(target.method, `${target.url}?cursor=zzz`, own(target));
    },
    ({ parameters, url }) => parameters.some(({ name }) => name === 'cursor') && !url.includes('none'),
  );
  everywhere(
    'with parameters of another type',
    { status: 422, code: /^http\.invalid$/ },
    (target) => twins.ask(target.method, `${target.url}?limit=many`, own(target)),
    ({ parameters }) => parameters.some(({ name }) => name === 'limit'),
  );
  everywhere(
    'with the same parameter twice',
    { status: 422, code: /^http\.invalid$/ },
    (target) => twins.ask(target.method, `${target.url}?limit=1&limit=2`, own(target)),
    ({ parameters }) => parameters.some(({ name }) => name === 'limit'),
  );
  everywhere(
    'at an address that is too long',
    { status: [404, 414, 431], code: /^http\./ },
    (target) =>
      twins.ask(
        target.method,
        `${target.url.replace(/(none|sales)(\/|$)/, `${'a'.repeat(5000)}$2`)}`,
        own(target),
      ),
    ({ url }) => /(none|sales)(\/|$)/.test(url),
  );
  everywhere(
    'with words in the path that lead elsewhere',
    { status: [400, 403, 404, 405, 409, 410, 422], code: /./ },
    async (target) => {
      for (const word of [
        '%00',
        '..%2f..%2fetc%2fpasswd',
        '__proto__',
        'constructor',
        "'%20OR%201=1--",
        '%F0%9F%92%A5',
        '%ff',
      ])
        isProblem(
          await twins.ask(target.method, target.url.replace('none', word), {
            ...own(target),
            ...bodyOf(target),
          }),
        );
      return twins.ask(target.method, target.url.replace('none', '%2e%2e'), {
        ...own(target),
        ...bodyOf(target),
      });
    },
    ({ url }) => url.includes('none'),
  );
});

describe('a body', () => {
  everywhere(
    'with an unknown field',
    { status: 422, code: /^http\.invalid$/ },
    async (target) => {
      const answer = await twins.ask(target.method, target.url, { ...own(target), body: { surprise: 1 } });
      expect(answer.body.errors.map(({ path }: { path: string }) => path)).toContain('body/surprise');
      return answer;
    },
    hasBody,
  );
  everywhere(
    'of another type',
    { status: [400, 422], code: /^http\.(?:invalid|bad-request)$/ },
    async (target) => {
      for (const body of ['[]', '"text"', '1', 'null', 'true', '[[[]]]'])
        expect((await twins.ask(target.method, target.url, { ...own(target), body })).status, body).toBe(422);
      return twins.ask(target.method, target.url, { ...own(target), body: 'NaN' });
    },
    hasBody,
  );
  everywhere(
    'whose fields have other types',
    { status: 422, code: /^http\.invalid$/ },
    (target) =>
      twins.ask(target.method, target.url, {
        ...own(target),
        body: Object.fromEntries(
          ['name', 'role', 'sql', 'statement', 'query', 'environment', 'select', 'metric', 'timezone'].map(
            (field) => [field, { $ne: null }],
          ),
        ),
      }),
    hasBody,
  );
  everywhere(
    'that is cut off',
    { status: 400, code: /^http\.bad-request$/ },
    (target) => twins.ask(target.method, target.url, { ...own(target), body: '{"name": "x' }),
    hasBody,
  );
  everywhere(
    'that is empty',
    { status: [400, 422], code: /^http\./ },
    (target) =>
      twins.ask(target.method, target.url, {
        ...own(target),
        headers: { 'content-type': 'application/json' },
      }),
    hasBody,
  );
  everywhere(
    'of another kind',
    { status: 415, code: /^http\.wrong-content$/ },
    (target) =>
      twins.ask(target.method, target.url, {
        ...own(target),
        headers: { 'content-type': 'text/xml' },
        body: '<a/>',
      }),
    hasBody,
  );
  test('that says it is too large is refused before it comes', async () => {
    for (const { method, url, credential } of targets.filter(hasBody)) {
      const [[name, value] = ['', '']] = Object.entries(credential(token));
      const header = name === 'bearer' ? `Authorization: Bearer ${value}` : `apikey: ${value}`;
      const answer = await send(
        `${method} ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\n${header}\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n`,
      );
      if (answer.startsWith('HTTP/1.1 403') && url.endsWith('/v1/tenants')) continue;
      expect(answer, url).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain('"code":"http.too-large"');
    }
  });
  everywhere(
    'that is deep',
    { status: [400, 422], code: /^http\./ },
    (target) =>
      twins.ask(target.method, target.url, {
        ...own(target),
        body: `{"surprise":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      }),
    hasBody,
  );
  everywhere(
    'with keys of a prototype',
    { status: [400, 422], code: /^http\./ },
    async (target) => {
      for (const body of ['{"constructor":{"prototype":{"polluted":1}}}', '{"prototype":{"a":1}}'])
        isProblem(await twins.ask(target.method, target.url, { ...own(target), body }));
      const answer = await twins.ask(target.method, target.url, {
        ...own(target),
        body: '{"__proto__":{"polluted":1}}',
      });
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      return answer;
    },
    hasBody,
  );
  everywhere(
    'with a key twice, of which the last counts',
    { status: 422, code: /^http\.invalid$/ },
    (target) => twins.ask(target.method, target.url, { ...own(target), body: '{"surprise":1,"surprise":2}' }),
    hasBody,
  );
});

describe('an Idempotency-Key', () => {
  test('of one request is refused for another, and one that is none at all', async () => {
    const ask = (body: unknown, key: string) =>
      twins.ask('POST', `${twins.acme}/query/transpile`, {
        bearer: token,
        body,
        headers: { 'idempotency-key': key },
      });
    const first = await ask({ sql: 'SELECT 1 AS a FROM marts.lines' }, 'h-1');
    expect(first.status).toBe(200);
    expect(
      (await ask({ sql: 'SELECT 1 AS a FROM marts.lines' }, 'h-1')).headers.get('idempotency-replayed'),
    ).toBe('true');
    const other = await ask({ sql: 'SELECT 2 AS a FROM marts.lines' }, 'h-1');
    expect([other.status, other.body.code]).toEqual([422, 'http.key-reused']);
    expect((await ask({ sql: 'SELECT 3 AS a FROM marts.lines' }, 'x'.repeat(300))).status).toBe(422);
  });
});

describe('bytes', () => {
  const statement = (): string => new URL(`${twins.acme}/query/statement`).pathname;
  const credential = (): string => `Authorization: Bearer ${token}`;

  test.each([
    [
      'a correlation id with a line break',
      (path: string, who: string) =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\nPlatform-Correlation-Id: a\rX-Evil: 1\r\nConnection: close\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a header without a name',
      (path: string, who: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\n: x\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'headers without an end',
      (path: string, who: string) =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'an address without an end',
      (path: string, who: string) =>
        `GET ${path}?limit=${'1'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n${who}\r\n\r\n`,
      /^HTTP\/1\.1 (?:414|431) /,
    ],
    [
      'two lengths',
      (path: string, who: string) =>
        `POST ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a length and chunks',
      (path: string, who: string) =>
        `POST ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a length that is no number',
      (path: string, who: string) =>
        `POST ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a method of nobody',
      (path: string, who: string) => `BREW ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'an id that is too long',
      (path: string, who: string) =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${who}\r\nX-Request-Id: ${'a'.repeat(200)}\r\nConnection: close\r\n\r\n`,
      /platform-correlation-id: [\da-f-]{36}\r\n/i,
    ],
  ])('as %s are answered, and nobody is led astray', async (_, bytes, expected) => {
    const answer = await send(bytes(statement(), credential()));
    expect(answer).toMatch(expected);
    expect(answer).not.toMatch(/^x-evil/im);
    expect(answer).not.toMatch(/^HTTP\/1\.1 5/);
    if (/^HTTP\/1\.1 4/.test(answer)) expect(answer).toMatch(/content-type: application\/problem\+json/i);
  });

  test('that come one at a time make nobody else wait', async () => {
    const { port } = new URL(twins.served.url);
    const slow = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST ${statement()} HTTP/1.1\r\nHost: x\r\n${credential()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      );
      return socket;
    });
    const answer = await twins.ask('GET', `${twins.acme}/query/statement`, { bearer: token });
    expect(answer.status).toBe(200);
    for (const socket of slow) socket.destroy();
    expect((await twins.ask('GET', '/livez')).status).toBe(200);
  });

  test('have never made the server fail', async () => {
    const { stderr } = twins.served.output();
    const failed = stderr.split('\n').filter((line) => /"level":"error"|"status":5\d\d/.test(line));
    expect(failed).toEqual([]);
  });
});

function send(bytes: string): Promise<string> {
  const { port } = new URL(twins.served.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    socket.setTimeout(10_000, () => socket.destroy());
  });
}

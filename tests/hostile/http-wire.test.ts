/*
 * Every operation of both OpenAPI documents × every shape of bytes on the wire that proxies, clients and attackers make.
 * Each is answered with the right status and code, by one answer, and the server goes on.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedTwins, servedTwins } from '../e2e/served-twins.ts';
import { headerOf, hostileTargets, type Target } from './hostile-targets.ts';
import { codeOf, type RawAnswer, type RawOptions, rawHttp } from './raw-http.ts';

let twins: ServedTwins;
let port = 0;
let token = '';
let targets: readonly Target[] = [];

beforeAll(async () => {
  twins = await servedTwins();
  port = Number(new URL(twins.served.url).port);
  token = await twins.person('acme', 'ann', { role: 'admin', groups: ['admin'] });
  targets = await hostileTargets(twins, token);
});
afterAll(() => twins?.stop());

/** What a request is made of; an attack changes a part. */
interface Parts {
  readonly target: Target;
  readonly path: string;
  /** The credential of one who may. */
  readonly who: string;
}

interface Attack extends RawOptions {
  readonly status: number | readonly number[];
  /** Absent: there may be no problem, as with HEAD. */
  readonly code?: RegExp;
  readonly bytes: (parts: Parts) => string | Buffer;
  /** Only where it fits. */
  readonly fits?: (target: Target) => boolean;
  readonly also?: (answer: RawAnswer, parts: Parts) => void;
}

const request = ({ target, path, who }: Parts, headers: readonly string[], body = ''): string =>
  [`${target.method} ${path} HTTP/1.1`, 'Host: localhost', who, ...headers, '', body].join('\r\n');

/** With a body in a coding, as it stands. */
const coded = (parts: Parts, coding: string, body: string): string =>
  request(parts, ['Content-Type: application/json', `Transfer-Encoding: ${coding}`], body);

const withBody = (parts: Parts, body: string | Buffer, headers: readonly string[] = []): Buffer =>
  Buffer.concat([
    Buffer.from(
      request(parts, [
        ...(headers.some((header) => /^content-type/i.test(header))
          ? []
          : ['Content-Type: application/json']),
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...headers,
      ]),
    ),
    Buffer.from(body),
  ]);

const takesBody = ({ hasBody }: Target): boolean => hasBody;
const writes = ({ method }: Target): boolean => method !== 'GET';
const isKnown = ({ isPublic }: Target): boolean => !isPublic;
const closes = ({ isClosed, count }: RawAnswer): void =>
  expect({ isClosed, count }).toEqual({ isClosed: true, count: 1 });
const BAD = { status: 400, code: /^http\.bad-request$/ } as const;
const untilClosed = { untilClosedMs: 10_000, also: closes } as const;

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a length and chunks (smuggling)': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) =>
      request(
        parts,
        ['Content-Type: application/json', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
        '0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
      ),
  },
  'two lengths': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) =>
      request(parts, ['Content-Type: application/json', 'Content-Length: 2', 'Content-Length: 40'], '{}'),
  },
  'a length with a sign': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) => request(parts, ['Content-Type: application/json', 'Content-Length: +2'], '{}'),
  },
  'a coding that is not chunked': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) => request(parts, ['Content-Type: application/json', 'Transfer-Encoding: xchunked'], '{}'),
  },
  'another coding before chunked': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) => coded(parts, 'identity, chunked', '2\r\n{}\r\n0\r\n\r\n'),
  },
  'chunks of HTTP/1.0, which has none': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) =>
      request(
        parts,
        ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: keep-alive'],
        '2\r\n{}\r\n0\r\n\r\n',
      ).replace('HTTP/1.1', 'HTTP/1.0'),
  },
  'lines that end with LF only': {
    ...BAD,
    ...untilClosed,
    bytes: (parts) => request(parts, []).replaceAll('\r\n', '\n'),
  },
  'a chunk extension with a line break': {
    ...BAD,
    ...untilClosed,
    fits: writes,
    bytes: (parts) => coded(parts, 'chunked', '2;a\nb\r\n{}\r\n0\r\n\r\n'),
  },
  'an address of another host than its Host': {
    ...BAD,
    bytes: (parts) => request({ ...parts, path: `http://evil.example${parts.path}` }, []),
    also: ({ text }) => expect(text).not.toContain('evil.example'),
  },
  'HTTP/1.0 without a Host': {
    ...BAD,
    bytes: ({ target, path, who }) => `${target.method} ${path} HTTP/1.0\r\n${who}\r\n\r\n`,
  },
  'two charsets': {
    status: 415,
    code: /^http\.wrong-content$/,
    fits: writes,
    bytes: (parts) =>
      withBody(parts, '{}', ['Content-Type: application/json; charset=utf-8; charset=utf-16']),
  },
  'a chunk whose size is no number': {
    ...BAD,
    ...untilClosed,
    fits: writes,
    bytes: (parts) => coded(parts, 'chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
  },
  'a chunk longer than its size': {
    ...BAD,
    ...untilClosed,
    fits: writes,
    bytes: (parts) => coded(parts, 'chunked', '2\r\n{"a":1}\r\n0\r\n\r\n'),
  },
  'chunks that are mostly extensions': {
    status: 413,
    code: /^http\.bad-request$/,
    fits: writes,
    bytes: (parts) => coded(parts, 'chunked', `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  },
  'no Host': {
    ...BAD,
    bytes: ({ target, path, who }) => `${target.method} ${path} HTTP/1.1\r\n${who}\r\n\r\n`,
  },
  'two Hosts': { ...BAD, bytes: (parts) => request(parts, ['Host: evil.example']) },
  'a Host that is a page': {
    ...BAD,
    bytes: (parts) => request(parts, []).replace('Host: localhost', 'Host: a/b"><script>'),
    also: ({ text }) => expect(text).not.toContain('<script>'),
  },
  'a header that goes on in the next line': {
    ...BAD,
    bytes: (parts) => request(parts, ['X-Folded: a', ' b: c']),
  },
  'a space before the colon': { ...BAD, bytes: (parts) => request(parts, ['Content-Length : 2'], '{}') },
  'a zero byte in a header': { ...BAD, bytes: (parts) => request(parts, ['X-Zero: a\0b']) },
  'a line that ends with CR only': { ...BAD, bytes: (parts) => request(parts, ['X-Cr: a\rX-Evil: b']) },
  'a zero byte in the address': {
    ...BAD,
    bytes: (parts) => request({ ...parts, path: `${parts.path}\0` }, []),
  },
  'a version that nobody has': {
    ...BAD,
    bytes: (parts) => request(parts, []).replace('HTTP/1.1', 'HTTP/9.9'),
  },
  'the beginning of HTTP/2': { ...BAD, bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  'a header without an end': {
    status: 431,
    code: /^http\.bad-request$/,
    bytes: (parts) => request(parts, [`X-Long: ${'x'.repeat(100_000)}`]),
  },
  'an address without an end': {
    status: [414, 431],
    code: /^http\.bad-request$/,
    bytes: (parts) => request({ ...parts, path: `${parts.path}?q=${'x'.repeat(100_000)}` }, []),
  },
  'an address that is no UTF-8': {
    ...BAD,
    bytes: (parts) => request({ ...parts, path: parts.path.replace(/[^/]+$/, '%C3%28') }, []),
    fits: ({ path }) => path.endsWith('}'),
  },
  'the same credential twice': {
    status: 400,
    code: /^auth\.ambiguous-credentials$/,
    fits: isKnown,
    bytes: (parts) => request(parts, [parts.who]),
  },
  'both credentials': {
    status: 400,
    code: /^auth\.ambiguous-credentials$/,
    fits: isKnown,
    bytes: (parts) =>
      request(parts, [
        parts.who.startsWith('apikey')
          ? `Authorization: Bearer ${parts.who.slice(8)}`
          : `apikey: ${parts.who.slice(22)}`,
      ]),
  },
  'an expectation that cannot be met': {
    status: 417,
    code: /^http\.bad-request$/,
    bytes: (parts) => request(parts, ['Expect: 200-ok']),
  },
  'a type of answer that there is not': {
    status: 406,
    code: /^http\.not-acceptable$/,
    bytes: (parts) => request(parts, ['Accept: text/xml, application/*;q=0, text/*;q=0, */*;q=0']),
    fits: ({ hasBody }) => !hasBody,
  },
  'a type of answer that there is not, with a body': {
    status: 406,
    code: /^http\.not-acceptable$/,
    bytes: (parts) => withBody(parts, '{}', ['Accept: image/png']),
    fits: takesBody,
  },
  'a packed body': {
    status: 415,
    code: /^http\.wrong-content$/,
    fits: writes,
    // A megabyte of nothing in a kilobyte: it is not even unpacked.
    bytes: (parts) =>
      withBody(parts, gzipSync(Buffer.from(`{"a":"${' '.repeat(1_000_000)}"}`)), ['Content-Encoding: gzip']),
  },
  'a body in UTF-16': {
    status: 415,
    code: /^http\.wrong-content$/,
    fits: writes,
    bytes: (parts) =>
      withBody(parts, Buffer.from('{}', 'utf16le'), ['Content-Type: application/json; charset=utf-16']),
  },
  'a form': {
    status: 415,
    code: /^http\.wrong-content$/,
    fits: writes,
    bytes: (parts) => withBody(parts, 'name=a', ['Content-Type: application/x-www-form-urlencoded']),
  },
  'plain text': {
    status: 415,
    code: /^http\.wrong-content$/,
    fits: writes,
    bytes: (parts) => withBody(parts, '{}', ['Content-Type: text/plain']),
  },
  'a body that is no UTF-8': {
    ...BAD,
    fits: writes,
    bytes: (parts) =>
      withBody(
        parts,
        Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      ),
  },
  'a body of another length than it says': {
    status: [400, 0],
    end: true,
    fits: writes,
    bytes: (parts) =>
      request(parts, ['Content-Type: application/json', 'Content-Length: 100'], '{"name": "x"'),
    also: ({ count }) => expect(count).toBeLessThan(2),
  },
  'a deep body': {
    status: 400,
    code: /^http\.too-deep$/,
    fits: writes,
    bytes: (parts) => withBody(parts, `{"query":${'{"and":['.repeat(5000)}${']}'.repeat(5000)}}`),
  },
};

/** So many at a time: the server has to take them together, too. */
async function overAll(attack: Attack): Promise<void> {
  const fitting = targets.filter(attack.fits ?? (() => true));
  expect(fitting.length).toBeGreaterThan(3);
  const queue = [...fitting];
  const work = async (): Promise<void> => {
    for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
      const isRoot = /platform\.$/.test(target.access);
      const parts: Parts = {
        target,
        path: new URL(target.url).pathname,
        who: headerOf(target, isRoot ? twins.root : token),
      };
      const answer = await rawHttp(port, attack.bytes(parts), attack);
      const about = `${target.method} ${target.url}: ${answer.text.slice(0, 400)}`;
      expect([attack.status].flat(), about).toContain(answer.status);
      if (attack.code !== undefined) expect(codeOf(answer), about).toMatch(attack.code);
      expect(answer.text, about).not.toMatch(/^x-evil/im);
      attack.also?.(answer, parts);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

describe('every operation answers', () => {
  test.each(Object.entries(ATTACKS))('%s', (_, attack) => overAll(attack), 120_000);
});

describe('every operation', () => {
  /** Answers of a harmless request and of the same one with something added, for every GET that needs nothing. */
  const beside = async (headers: readonly string[]): Promise<void> => {
    for (const target of targets.filter(({ method }) => method === 'GET')) {
      const parts = { target, path: new URL(target.url).pathname, who: headerOf(target, token) };
      const plain = await rawHttp(port, request(parts, []));
      const odd = await rawHttp(port, request(parts, headers));
      expect([odd.status, codeOf(odd)], `${target.url} ${headers}`).toEqual([plain.status, codeOf(plain)]);
    }
  };

  test.each([
    [
      'headers that ask for another method or address',
      [
        ...['X-HTTP-Method-Override: DELETE', 'X-HTTP-Method: DELETE', 'X-Method-Override: DELETE'],
        ...['X-Original-URL: /livez', 'X-Rewrite-URL: /livez', 'X-Forwarded-For: 127.0.0.1'],
        ...['X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example'],
      ],
    ],
    ['a range, which is not answered', ['Range: bytes=0-1']],
    ['an upgrade that there is not', ['Upgrade: h2c', 'Connection: Upgrade', 'HTTP2-Settings: AAMAAABk']],
    ['types in an order', ['Accept: application/json;q=0.1, */*;q=0.01']],
  ])('answers the same with %s', (_, headers) => beside(headers), 120_000);

  test('answers HEAD as GET, without a body, and never says more', async () => {
    for (const target of targets.filter(({ method }) => method === 'GET')) {
      const path = new URL(target.url).pathname;
      const parts = { target, path, who: headerOf(target, token) };
      const get = await rawHttp(port, request(parts, []));
      const head = await rawHttp(
        port,
        request({ ...parts, target: { ...target, method: 'HEAD' } }, ['Connection: close']),
        { untilClosedMs: 10_000 },
      );
      expect([head.status, head.body], target.url).toEqual([get.status, '']);
    }
  });

  test.each(['TRACE', 'PROPFIND', 'PURGE', 'SEARCH', 'LINK', 'M-SEARCH'])(
    'refuses %s with the methods that there are',
    async (method) => {
      for (const target of targets) {
        const parts = { target, path: new URL(target.url).pathname, who: headerOf(target, token) };
        const answer = await rawHttp(port, request({ ...parts, target: { ...target, method } }, []));
        expect([answer.status, codeOf(answer)], target.url).toEqual([405, 'http.wrong-method']);
        expect(answer.head).toMatch(/^allow: .*GET/im);
        expect(answer.body).not.toContain(token);
      }
    },
  );

  test('lets no other origin read anything: no CORS, no credentials', async () => {
    for (const target of targets)
      for (const method of ['OPTIONS', target.method]) {
        const answer = await rawHttp(
          port,
          request(
            {
              target: { ...target, method },
              path: new URL(target.url).pathname,
              who: headerOf(target, token),
            },
            ['Origin: https://evil.example', 'Access-Control-Request-Method: POST'],
          ),
        );
        expect(answer.head).not.toMatch(/^access-control-/im);
        if (method === 'OPTIONS') expect(answer.status).toBe(204);
      }
  });

  test('is found at its own address only, with and without a credential', async () => {
    const tricks: readonly ((path: string) => string)[] = [
      (path) => `/${path}`,
      (path) => `${path}/`,
      (path) => `/livez/..${path}`,
      (path) => path.replace('/v1/', '/v1/./'),
      (path) => path.replace('/v1/', '/v1//'),
      (path) => path.replace('/v1/', '/V1/'),
      (path) => path.replace('/v1/', '/v1%2f'),
      (path) => path.replace('/v1/', '/%2e%2e/v1/'),
      (path) => path.replaceAll('/', '\\'),
      (path) => `${path};jsessionid=1`,
      (path) => `${path}%00`,
      (path) => `${path}.json`,
    ];
    for (const target of targets.filter(({ path }) => path.split('/').length < 4 && !path.endsWith('}')))
      for (const trick of tricks)
        for (const who of [headerOf(target, token), 'X-None: 1']) {
          const path = trick(new URL(target.url).pathname);
          const answer = await rawHttp(port, request({ target, path, who }, []));
          expect(
            path.endsWith('%00') ? [422] : [400, 401, 403, 404, 405],
            `${target.method} ${path}: ${answer.text.slice(0, 200)}`,
          ).toContain(answer.status);
          expect(codeOf(answer), path).toBeDefined();
        }
  });
});

describe('what is older or rarer', () => {
  test('an address with its own host is that of the path', async () => {
    for (const target of targets.filter(({ method }) => method === 'GET')) {
      const parts = { target, path: new URL(target.url).pathname, who: headerOf(target, token) };
      const plain = await rawHttp(port, request(parts, []));
      const absolute = await rawHttp(port, request({ ...parts, path: `http://LOCALHOST${parts.path}` }, []));
      expect([absolute.status, codeOf(absolute)], target.url).toEqual([plain.status, codeOf(plain)]);
    }
  });

  test('HTTP/1.0 learns how the server is without a Host, and asks with one', async () => {
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect((await rawHttp(port, `GET ${path} HTTP/1.0\r\n\r\n`, { untilClosedMs: 10_000 })).status).toBe(
        200,
      );
    const me = await rawHttp(
      port,
      `GET /platform-api/v1/me HTTP/1.0\r\nHost: x\r\napikey: ${twins.root}\r\n\r\n`,
      { untilClosedMs: 10_000 },
    );
    expect([me.status, me.isClosed]).toEqual([200, true]);
  });

  test('a tunnel is refused with the methods that there are', async () => {
    const answer = await rawHttp(port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n', {
      untilClosedMs: 10_000,
    });
    expect([answer.status, codeOf(answer), answer.isClosed]).toEqual([405, 'http.wrong-method', true]);
    expect(answer.head).toMatch(/^allow: .*GET/im);
  });

  test('what is no HTTP has an id by which it can be asked about, too', async () => {
    for (const bytes of ['no http\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n']) {
      const { head, body } = await rawHttp(port, bytes);
      const [, id] = /^platform-correlation-id: (\S+)/im.exec(head) ?? [];
      expect(id).toMatch(/^[\da-f-]{36}$/);
      expect((JSON.parse(body) as { readonly correlation_id: string }).correlation_id).toBe(id);
    }
  });

  test('a body of another type is named', async () => {
    const answer = await twins.ask('POST', `${twins.acme}/query/statement`, {
      bearer: token,
      body: '{}',
      headers: { 'content-type': 'application/vnd.evil+json' },
    });
    expect(answer.body.detail).toBe('A body of type application/vnd.evil+json cannot be read here.');
  });
});

describe('two requests on one connection', () => {
  test('are two answers, and what follows a body that is shorter than it says is never one of them', async () => {
    const target = targets.find(({ id }) => id === 'transpile') as Target;
    const parts = { target, path: new URL(target.url).pathname, who: headerOf(target, token) };
    const body = '{"sql":"SELECT 1 AS a FROM marts.lines"}';
    const both = Buffer.concat([withBody(parts, body), withBody(parts, body, ['Connection: close'])]);
    const answer = await rawHttp(port, both, { untilClosedMs: 10_000 });
    expect([answer.status, answer.count]).toEqual([200, 2]);
    const smuggled = Buffer.concat([
      Buffer.from(request(parts, ['Content-Type: application/json', 'Content-Length: 2'], '{}')),
      Buffer.from('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ]);
    // The rest is a request of its own, and has no credential of the one before.
    const second = await rawHttp(port, smuggled, { untilClosedMs: 10_000 });
    expect(second.count).toBe(2);
  });
});

test('nothing of this made the server fail', () => {
  const { stderr } = twins.served.output();
  expect(stderr.split('\n').filter((line) => /"level":"error"|"status":5\d\d/.test(line))).toEqual([]);
});

/** JWTs of an issuer that publishes its keys over HTTP: a real one on this machine that turns slow, goes down, lies and changes its keys. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPrincipal } from '../../src/operations/access/create-principal.ts';
import { JwtVerifier } from '../../src/operations/access/jwt-verifier.ts';
import type { Platform } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
type Handle = (request: IncomingMessage, answer: ServerResponse) => void;

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: Key;
  readonly published: JWK;
}

const NOW = Date.UTC(2026, 0, 2);
const ISSUER = 'https://id.example';
const MINUTE = 60_000;

let project: TemporaryProject;
let platform: Platform;
let server: Server;
let elsewhere: Server;
let answer: Handle;
let clock: number;
let verifier: JwtVerifier;
let problems: string[];
/** Paths that were asked, of the issuer and of an address that nobody configured. */
let asked: string[];
let strayed: string[];
const keys: Record<string, SigningKey> = {};

const listen = (handle: Handle): Promise<Server> =>
  new Promise((resolve) => {
    const made = createServer(handle).listen(0, '127.0.0.1', () => resolve(made));
  });
const portOf = (made: Server): number => (made.address() as AddressInfo).port;

async function makeKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

const key = (kid: string): SigningKey => {
  const found = keys[kid];
  if (found === undefined) throw new Error(kid);
  return found;
};

const publish = (...kids: readonly string[]): void => {
  answer = (_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ keys: kids.map((kid) => key(kid).published) }));
};

interface Claims {
  readonly [claim: string]: unknown;
}

async function signed(
  kid: string,
  claims: Claims = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { privateKey, alg } = key(kid);
  const jwt = new SignJWT({
    tenant: 'acme',
    sub: 'ada',
    iss: ISSUER,
    aud: 'plinth',
    exp: clock / 1000 + 600,
    ...claims,
  });
  return jwt.setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

const isKnown = async (jwt: string): Promise<boolean> => (await verifier.identityOf(jwt)) !== undefined;

beforeAll(async () => {
  for (const kid of ['one', 'two', 'never']) keys[kid] = await makeKey(kid);
  keys['rsa'] = await makeKey('rsa', 'RS256');
  keys['edwards'] = await makeKey('edwards', 'EdDSA');
  server = await listen((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  elsewhere = await listen((request, response) => {
    strayed.push(request.url ?? '');
    response.end(JSON.stringify({ keys: [key('never').published] }));
  });
  project = temporaryProject({
    'config.yaml': `name: sales\ntenant: acme\nserver: {jwt: [{issuer: '${ISSUER}', audience: plinth, jwks_url: 'http://127.0.0.1:${portOf(server)}/keys'}]}\ngateways: {local: {connection: {type: duckdb, database: sales.duckdb}}}\n`,
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  platform = await openPlatform({ folders: [project.folder], variables: {}, executionTime: NOW });
  const principals = platform.products[0]?.world.state.principals;
  if (principals === undefined) throw new Error('nothing is served');
  await createPrincipal(
    { principals, eventsOf: 'acme', actor: 'test', now: NOW },
    { tenant: 'acme', name: 'ada', kind: 'user', role: 'viewer', groups: [] },
  );
});

afterAll(async () => {
  await platform?.close();
  project?.delete();
  for (const each of [server, elsewhere]) {
    each?.closeAllConnections();
    await new Promise((resolve) => each?.close(resolve));
  }
});

beforeEach(async () => {
  [clock, problems, asked, strayed] = [NOW, [], [], []];
  publish('one');
  verifier = await JwtVerifier.open(platform, {
    now: () => clock,
    onProblem: (problem) => problems.push(problem),
  });
});

describe('claims', () => {
  test('make a JWT somebody when all of them are right', async () => {
    expect(await verifier.identityOf(await signed('one'))).toMatchObject({
      name: 'ada',
      tenant: 'acme',
      tenantRole: 'viewer',
    });
    expect(await isKnown(await signed('one', { aud: ['other', 'plinth'] }))).toBe(true);
  });

  const seconds = NOW / 1000;
  test.each<readonly [string, Claims]>([
    ['another issuer', { iss: 'https://evil.example' }],
    ['no issuer', { iss: undefined }],
    ["the server's own issuer", { iss: 'plinth' }],
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['an end that is more than the skew ago', { exp: seconds - 61 }],
    ['no end', { exp: undefined }],
    ['an end that is no number', { exp: 'tomorrow' }],
    ['a beginning that is more than the skew ahead', { nbf: seconds + 61 }],
    ['a time of issue that is more than the skew ahead', { iat: seconds + 61 }],
    ['a time of issue that is no number', { iat: 'yesterday' }],
    ['a life of more than a year', { iat: seconds, exp: seconds + 367 * 86_400 }],
    ['a life of more than a year, most of it over', { iat: seconds - 366 * 86_400, exp: seconds + 86_400 }],
    ['an end in more than a year', { exp: seconds + 50 * 366 * 86_400 }],
    ['no subject', { sub: undefined }],
    ['a subject whom nobody knows', { sub: 'eve' }],
    ['a subject that is no text', { sub: 1 }],
    ['no tenant', { tenant: undefined }],
    ['another tenant', { tenant: 'globex' }],
    ['a list of tenants', { tenant: ['acme'] }],
  ])('make it nobody with %s', async (_, claims) => {
    expect(await isKnown(await signed('one', claims))).toBe(false);
  });

  test('may be off by the skew', async () => {
    expect(await isKnown(await signed('one', { exp: seconds - 59 }))).toBe(true);
    expect(await isKnown(await signed('one', { nbf: seconds + 59 }))).toBe(true);
    expect(await isKnown(await signed('one', { iat: seconds + 59 }))).toBe(true);
    expect(await isKnown(await signed('one', { iat: seconds, exp: seconds + 365 * 86_400 }))).toBe(true);
  });
});

describe('a signature', () => {
  test.each(['one', 'rsa', 'edwards'])('by the published key %s is good', async (kid) => {
    publish('one', 'rsa', 'edwards');
    expect(await isKnown(await signed(kid))).toBe(true);
  });

  test('by a key that nobody published is not, whatever the header says of where to find it', async () => {
    const stray = `http://127.0.0.1:${portOf(elsewhere)}/keys`;
    for (const header of [
      {},
      { kid: 'one' },
      { jku: stray },
      { kid: stray },
      { x5u: stray },
      { jwk: key('never').published },
      { kid: '../../keys' },
    ])
      expect(await isKnown(await signed('never', {}, header)), JSON.stringify(header)).toBe(false);
    expect(strayed).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['/keys']));
  });

  test('by a secret that everybody knows is not: the public key, or nothing', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(key('one').published));
    const claims = { tenant: 'acme', sub: 'ada', iss: ISSUER, aud: 'plinth', exp: NOW / 1000 + 600 };
    const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    expect(await isKnown(symmetric)).toBe(false);
    answer = (_, response) =>
      response.end(
        JSON.stringify({
          keys: [{ kty: 'oct', kid: 'one', alg: 'HS256', k: Buffer.from(secret).toString('base64url') }],
        }),
      );
    clock += 10 * MINUTE;
    expect(await isKnown(symmetric)).toBe(false);
    const none = [{ alg: 'none', kid: 'one' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    expect(await isKnown(`${none}.`)).toBe(false);
    expect(await isKnown(`${none}.AA`)).toBe(false);
  });

  test('is not asked for where nobody has named the issuer, or the issuer may not speak for the tenant', async () => {
    await isKnown(await signed('one', { iss: 'https://evil.example' }));
    await isKnown(await signed('one', { iss: `http://127.0.0.1:${portOf(elsewhere)}` }));
    await isKnown('a.b.c');
    await isKnown('..');
    expect([asked, strayed]).toEqual([[], []]);
  });
});

describe('keys that change', () => {
  test('are fetched once, by all who wait for them together', async () => {
    const jwt = await signed('one');
    expect(await Promise.all(Array.from({ length: 20 }, () => isKnown(jwt)))).not.toContain(false);
    expect(asked).toEqual(['/keys']);
  });

  test('are found by the first JWT that names a new one, and the old one counts no longer', async () => {
    const [old, fresh] = [await signed('one'), await signed('two')];
    expect(await isKnown(old)).toBe(true);
    publish('two');
    clock += MINUTE;
    expect(await isKnown(fresh)).toBe(true);
    expect(asked).toHaveLength(2);
    expect(await isKnown(old)).toBe(false);
  });

  test('that are withdrawn count for five minutes at most, though nobody names a new one', async () => {
    const old = await signed('one');
    expect(await isKnown(old)).toBe(true);
    publish('two');
    clock += 4 * MINUTE;
    expect(await isKnown(old)).toBe(true);
    clock += MINUTE;
    expect(await isKnown(old)).toBe(false);
  });

  test('are asked for twice a minute at most, however many JWTs name keys that do not exist', async () => {
    for (let second = 0; second < 120; second++) {
      await isKnown(await signed('never', {}, { kid: `made-up-${second}` }));
      clock += 1000;
    }
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(await isKnown(await signed('one'))).toBe(true);
  });
});

describe('an issuer', () => {
  test('that is down makes its JWTs invalid, is asked seldom, and is heard again when it is back', async () => {
    const jwt = await signed('one');
    answer = (request) => request.socket.destroy();
    for (let i = 0; i < 10; i++) expect(await isKnown(jwt)).toBe(false);
    expect(asked).toHaveLength(1);
    expect(problems).toHaveLength(1);
    publish('one');
    clock += 6000;
    expect(await isKnown(jwt)).toBe(true);
  });

  test('that goes down later has its last keys believed for an hour and no longer', async () => {
    const jwt = await signed('one', { exp: NOW / 1000 + 86_400 });
    expect(await isKnown(jwt)).toBe(true);
    answer = (_, response) => response.writeHead(503).end();
    clock += 59 * MINUTE;
    expect(await isKnown(jwt)).toBe(true);
    clock += 2 * MINUTE;
    expect(await isKnown(jwt)).toBe(false);
    expect(problems.join()).toContain('503');
  });

  test('that redirects is not followed', async () => {
    answer = (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${portOf(elsewhere)}/keys` }).end();
    expect(await isKnown(await signed('never'))).toBe(false);
    expect([asked, strayed]).toEqual([['/keys'], []]);
    expect(problems).toHaveLength(1);
  });

  test.each<readonly [string, Handle]>([
    ['is no JSON', (_, response) => response.end('<html>')],
    ['has no keys', (_, response) => response.end('{}')],
    ['is null', (_, response) => response.end('null')],
    ['has keys that are none', (_, response) => response.end('{"keys": [1, null]}')],
    [
      'has more keys than anybody',
      (_, response) => response.end(JSON.stringify({ keys: Array(101).fill(key('one').published) })),
    ],
    [
      'never ends',
      (_, response) => {
        const send = (): void => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
          if (!response.destroyed) response.once('drain', send);
        };
        send();
      },
    ],
  ])('whose answer %s is not believed', async (_, handle) => {
    answer = handle;
    expect(await isKnown(await signed('one'))).toBe(false);
    expect(problems).toHaveLength(1);
  });

  test('that is silent is given up, and those whose keys are known do not wait for it', async () => {
    const jwt = await signed('one');
    expect(await isKnown(jwt)).toBe(true);
    clock += MINUTE;
    answer = () => undefined;
    const waiting = isKnown(await signed('two'));
    expect(await isKnown(jwt)).toBe(true);
    expect(await waiting).toBe(false);
    expect(problems).toHaveLength(1);
  });
});

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { generateKeyPair, importJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from './served-project.ts';
import { operationsOf, type ServedTwins, servedTwins } from './served-twins.ts';

let twins: ServedTwins;
let ask: ServedTwins['ask'];
let [ada, dev, vic, eve, foreign] = ['', '', '', '', ''];

const PLATFORM = '/platform-api/v1';
const SQL = { sql: 'SELECT count(*) AS n FROM marts.lines', wait: 20 };

beforeAll(async () => {
  twins = await servedTwins();
  ask = twins.ask;
  ada = await twins.person('acme', 'ada', { role: 'admin' });
  dev = await twins.person('acme', 'dev', { role: 'developer' });
  vic = await twins.person('acme', 'vic', { role: 'viewer' });
  eve = await twins.person('acme', 'eve');
  foreign = await twins.person('globex', 'ada', { role: 'admin' });
});
afterAll(() => twins?.stop());

const codeOf = async (asked: ReturnType<ServedTwins['ask']>): Promise<string> => {
  const { status, body } = await asked;
  return `${status} ${body?.code ?? ''}`.trim();
};

describe('a credential', () => {
  test('is a token as Bearer at a product, and as apikey at the platform', async () => {
    expect((await ask('GET', `${twins.acme}/query/statement`, { bearer: vic })).status).toBe(200);
    expect((await ask('GET', `${PLATFORM}/me`, { apikey: vic })).body).toMatchObject({
      name: 'vic',
      tenant: 'acme',
      tenant_role: 'viewer',
    });
    expect(await codeOf(ask('GET', `${PLATFORM}/me`, { bearer: vic }))).toBe('401 auth.invalid');
    expect(await codeOf(ask('GET', `${twins.acme}/query/statement`, { apikey: vic }))).toBe(
      '401 auth.invalid',
    );
  });

  test('that is missing, unknown, cut off or of another scheme gets 401 and says how to show one', async () => {
    const path = `${twins.acme}/query/statement`;
    const none = await ask('GET', path);
    expect([none.status, none.body.code]).toEqual([401, 'auth.missing']);
    expect(none.headers.get('www-authenticate')).toContain('Bearer');
    for (const authorization of [
      `Bearer ${vic.slice(0, -1)}`,
      `Bearer ${vic}x`,
      'Bearer ',
      'Bearer',
      `Basic ${vic}`,
      vic,
      `Bearer ${vic} ${vic}`,
      'Bearer plt_',
    ])
      expect(await codeOf(ask('GET', path, { headers: { authorization } })), authorization).toBe(
        '401 auth.invalid',
      );
  });

  test.each([
    ['both kinds', (token: string) => [`Authorization: Bearer ${token}`, `apikey: ${token}`]],
    [
      'Authorization twice',
      (token: string) => [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
    ],
    [
      'Authorization twice, the second wrong',
      (token: string) => [`Authorization: Bearer ${token}`, 'authorization: x'],
    ],
    ['apikey twice', (token: string) => [`apikey: ${token}`, `APIKEY: ${token}`]],
  ])('given as %s is ambiguous, at both doors', async (_, headers) => {
    for (const path of [`${PLATFORM}/me`, new URL(`${twins.acme}/query/statement`).pathname]) {
      const answer = await raw(['GET', path], headers(vic));
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('auth.ambiguous-credentials');
    }
  });

  test('that is revoked is worth nothing at once, by the API and by the command line beside the server', async () => {
    const path = `${twins.acme}/query/statement`;
    const made = await ask('POST', `${PLATFORM}/tenants/acme/tokens`, {
      apikey: vic,
      body: { name: 'short' },
    });
    expect(made.status).toBe(201);
    expect((await ask('GET', path, { bearer: made.body.token })).status).toBe(200);
    const revoked = await ask('DELETE', `${PLATFORM}/tenants/acme/tokens/${made.body.id}`, { apikey: vic });
    expect(revoked.status).toBe(204);
    expect(await codeOf(ask('GET', path, { bearer: made.body.token }))).toBe('401 auth.invalid');
    const { data } = await twins.served.json('token', 'create', '--user', 'vic');
    expect((await ask('GET', path, { bearer: data?.['token'] as string })).status).toBe(200);
    await twins.served.plinth('token', 'revoke', data?.['id'] as string);
    expect(await codeOf(ask('GET', path, { bearer: data?.['token'] as string }))).toBe('401 auth.invalid');
  });

  test('that has expired is worth nothing', async () => {
    const made = await ask('POST', `${PLATFORM}/tenants/acme/tokens`, {
      apikey: vic,
      body: { expires_in: 1 },
    });
    expect(made.body.expires_at).toMatch(/Z$/);
    let code = '';
    for (let i = 0; i < 40 && code !== '401 auth.invalid'; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      code = await codeOf(ask('GET', `${twins.acme}/query/statement`, { bearer: made.body.token }));
    }
    expect(code).toBe('401 auth.invalid');
  });

  test('of somebody who is removed is worth nothing', async () => {
    const token = await twins.person('acme', 'leaver', { role: 'viewer' });
    const path = `${PLATFORM}/tenants/acme/users/leaver`;
    expect((await ask('DELETE', path, { apikey: ada })).status).toBe(204);
    expect(await codeOf(ask('GET', `${PLATFORM}/me`, { apikey: token }))).toBe('401 auth.invalid');
    expect(await codeOf(ask('DELETE', path, { apikey: ada }))).toBe('404 access.not-found');
  });
});

describe('a JWT', () => {
  const MINUTE = 60_000;
  const signed = async (
    claims: Readonly<Record<string, unknown>>,
    {
      issuer = 'plinth',
      audience = 'plinth',
      expiresIn = MINUTE,
      key,
    }: {
      readonly issuer?: string;
      readonly audience?: string;
      readonly expiresIn?: number;
      readonly key?: Parameters<SignJWT['sign']>[0];
    } = {},
  ): Promise<string> => {
    const own = JSON.parse(readFileSync(join(twins.served.folder, '.plinth/keys/jwt.json'), 'utf8')) as JWK;
    return new SignJWT({ tenant: 'acme', sub: 'vic', ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: own.kid ?? '' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(Math.floor((Date.now() + expiresIn) / 1000))
      .sign(key ?? (await importJWK(own, 'EdDSA')));
  };
  const asked = (jwt: string): Promise<string> => codeOf(ask('GET', `${PLATFORM}/me`, { bearer: jwt }));

  test('that plinth auth jwt signs is good at both doors, and its key is in the JWKS', async () => {
    const { data } = await twins.served.json('auth', 'jwt', 'vic');
    const jwt = data?.['jwt'] as string;
    expect(await asked(jwt)).toBe('200');
    expect((await ask('GET', `${twins.acme}/query/statement`, { bearer: jwt })).status).toBe(200);
    const { kid } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as JWK;
    const { body } = await ask('GET', `${PLATFORM}/jwks.json`);
    expect((body.keys as JWK[]).map((key) => key.kid)).toContain(kid);
    expect(body.keys.some((key: JWK) => 'd' in key)).toBe(false);
  });

  test('that is expired, of the future, for others, of others, unsigned or of nobody is refused', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const { privateKey } = await generateKeyPair('EdDSA');
    const unsigned = new UnsecuredJWT({ tenant: 'acme', sub: 'root' })
      .setIssuer('plinth')
      .setAudience('plinth')
      .setExpirationTime('1h')
      .encode();
    const forged = (await signed({ sub: 'root' })).split('.');
    const bad: Readonly<Record<string, string>> = {
      expired: await signed({}, { expiresIn: -10 * MINUTE }),
      future: await signed({ nbf: seconds + 600 }),
      audience: await signed({}, { audience: 'other' }),
      issuer: await signed({}, { issuer: 'other' }),
      key: await signed({}, { key: privateKey }),
      none: unsigned,
      noneWithDot: `${unsigned.split('.').slice(0, 2).join('.')}.x`,
      signature: `${forged[0]}.${Buffer.from('{"sub":"root","tenant":"acme","iss":"plinth","aud":"plinth","exp":9999999999}').toString('base64url')}.${forged[2]}`,
      nobody: await signed({ sub: 'nobody' }),
      noTenant: await signed({ tenant: undefined }),
      otherFolder: await signed({ tenant: 'globex', sub: 'ada' }),
    };
    for (const [what, jwt] of Object.entries(bad)) expect(await asked(jwt), what).toBe('401 auth.invalid');
    expect(await asked(await signed({}))).toBe('200');
    expect(await asked(await signed({}, { expiresIn: -30_000 }))).toBe('200');
  });
});

describe('rights', () => {
  const submit = (bearer: string) =>
    codeOf(ask('POST', `${twins.acme}/query/statement`, { bearer, body: SQL }));
  const runs = (bearer: string) => codeOf(ask('GET', `${twins.acme}/activity/runs`, { bearer }));
  const users = (apikey: string) => codeOf(ask('GET', `${PLATFORM}/tenants/acme/users`, { apikey }));
  const grants = (apikey: string) =>
    codeOf(ask('GET', `${PLATFORM}/tenants/acme/resources/apps/sales/grants`, { apikey }));

  test('come with the role in the tenant', async () => {
    for (const [token, expected] of [
      [ada, ['200', '200', '200', '200']],
      [dev, ['200', '200', '403 access.forbidden', '403 access.forbidden']],
      [vic, ['200', '200', '403 access.forbidden', '403 access.forbidden']],
      [eve, ['403 access.forbidden', '403 access.forbidden', '403 access.forbidden', '403 access.forbidden']],
    ] as const)
      expect([await submit(token), await runs(token), await users(token), await grants(token)]).toEqual(
        expected,
      );
  });

  test('come from config.yaml, by name, by group, and by groups of its users', async () => {
    expect(await submit(await twins.person('acme', 'carla'))).toBe('200');
    expect(await submit(await twins.person('acme', 'gus', { groups: ['analysts'] }))).toBe('200');
    expect(await submit(await twins.person('acme', 'mia', { groups: ['makers'] }))).toBe('200');
    expect(await submit(await twins.person('acme', 'nora', { groups: ['others'] }))).toBe(
      '403 access.forbidden',
    );
    const eva = await twins.person('acme', 'eva');
    expect((await ask('GET', `${PLATFORM}/me`, { apikey: eva })).body.groups).toEqual(['eu']);
  });

  test('come and go with a grant, of the API or of the command line', async () => {
    const path = `${PLATFORM}/tenants/acme/resources/apps/sales/grants/eve`;
    expect(await codeOf(ask('PUT', path, { apikey: dev, body: { role: 'owner' } }))).toBe(
      '403 access.forbidden',
    );
    const put = await ask('PUT', path, { apikey: ada, body: { role: 'consumer' } });
    expect(put.body).toMatchObject({ principal: 'eve', role: 'consumer', source: 'granted' });
    expect(await submit(eve)).toBe('200');
    expect(await grants(eve)).toBe('403 access.forbidden');
    await ask('PUT', path, { apikey: ada, body: { role: 'owner' } });
    expect(await grants(eve)).toBe('200');
    expect((await ask('DELETE', path, { apikey: ada })).status).toBe(204);
    expect(await submit(eve)).toBe('403 access.forbidden');
    await twins.served.plinth('grant', 'eve', 'consumer', '--product', 'acme-sales');
    expect(await submit(eve)).toBe('200');
    await ask('DELETE', path, { apikey: ada });
    expect(await submit(eve)).toBe('403 access.forbidden');
  });

  test('of a token are never more than its scopes, and what it makes never exceeds it', async () => {
    const narrow = await newToken(
      twins.served,
      ...['--user', 'ada', '--scope', 'query:read', '--scope', 'tokens:manage'],
    );
    expect(await submit(narrow)).not.toBe('401 auth.invalid');
    expect(await runs(narrow)).toBe('403 access.forbidden');
    expect(await users(narrow)).toBe('403 access.forbidden');
    const tokens = `${PLATFORM}/tenants/acme/tokens`;
    for (const body of [
      {},
      { scopes: ['admin'] },
      { scopes: ['query:read', 'activity:read'] },
      { principal: 'vic' },
    ])
      expect(await codeOf(ask('POST', tokens, { apikey: narrow, body })), JSON.stringify(body)).toBe(
        '403 access.forbidden',
      );
    expect((await ask('POST', tokens, { apikey: narrow, body: { scopes: ['query:read'] } })).status).toBe(
      201,
    );
  });

  test('of the platform are given by its administrators only', async () => {
    const path = `${PLATFORM}/tenants/acme/users`;
    const body = { name: 'king', is_platform_admin: true };
    expect(await codeOf(ask('POST', path, { apikey: ada, body }))).toBe('403 access.forbidden');
    expect(
      await codeOf(
        ask('POST', `${PLATFORM}/tenants/acme/tokens`, { apikey: ada, body: { principal: 'root' } }),
      ),
    ).toBe('403 access.forbidden');
    expect(await codeOf(ask('DELETE', `${path}/root`, { apikey: ada }))).toBe('403 access.forbidden');
    expect(await codeOf(ask('POST', `${PLATFORM}/tenants`, { apikey: ada, body: { name: 'third' } }))).toBe(
      '403 access.forbidden',
    );
    expect(
      (await ask('POST', `${PLATFORM}/tenants`, { apikey: twins.root, body: { name: 'third' } })).status,
    ).toBe(201);
    expect(
      await codeOf(ask('POST', `${PLATFORM}/tenants`, { apikey: twins.root, body: { name: 'third' } })),
    ).toBe('409 access.exists');
    expect((await ask('DELETE', `${PLATFORM}/tenants/third`, { apikey: twins.root })).status).toBe(204);
  });

  test('are in the audit log, changes and denials', async () => {
    await ask('GET', `${PLATFORM}/tenants/acme/users`, {
      apikey: eve,
      headers: { 'x-request-id': 'audit-1' },
    });
    let denied: unknown;
    for (let i = 0; i < 50 && denied === undefined; i++) {
      const { body } = await ask('GET', `${PLATFORM}/tenants/acme/audit-log`, { apikey: ada });
      denied = body.items.find((entry: { correlation_id: string }) => entry.correlation_id === 'audit-1');
    }
    expect(denied).toMatchObject({ outcome: 'denied', action: 'listUsers of acme' });
    const { body } = await ask('GET', `${PLATFORM}/tenants/acme/audit-log?limit=3`, { apikey: ada });
    expect(body.items).toHaveLength(3);
    const next = await ask(
      'GET',
      `${PLATFORM}/tenants/acme/audit-log?limit=1000&cursor=${body.next_cursor}`,
      {
        apikey: ada,
      },
    );
    expect(next.body.items).not.toContainEqual(body.items[2]);
    expect(next.body.items.map((entry: { action: string }) => entry.action)).toEqual(
      expect.arrayContaining(['principal.create', 'token.create']),
    );
  });
});

describe('another tenant', () => {
  const same = { headers: { 'platform-correlation-id': 'same' } };
  const filled = (path: string, tenant: string): string =>
    path.replace('{tenant}', tenant).replaceAll(/\{\w+\}/g, 'sales');

  test('is as forbidden at every address of the platform as one that does not exist', async () => {
    const { body: document } = await ask('GET', '/platform-api/openapi.json');
    const operations = operationsOf(document).filter(({ path }) => path.includes('{tenant}'));
    expect(operations.length).toBeGreaterThan(15);
    for (const { method, path, hasBody } of operations) {
      const options = { apikey: ada, ...same, ...(hasBody ? { body: {} } : {}) };
      const there = await ask(method, PLATFORM + filled(path, 'globex'), options);
      const absent = await ask(method, PLATFORM + filled(path, 'nowhere'), options);
      expect([there.status, there.text], `${method} ${path}`).toEqual([403, absent.text]);
      expect(absent.status).toBe(403);
    }
  });

  test('is as forbidden at every address of a product as one that does not exist', async () => {
    const { body: document } = await ask('GET', `${twins.acme}/openapi.json`, { bearer: vic });
    const operations = operationsOf(document);
    expect(operations.length).toBeGreaterThan(10);
    for (const { method, path, hasBody } of operations) {
      const options = { bearer: ada, ...same, ...(hasBody ? { body: {} } : {}) };
      const there = await ask(method, twins.globex + filled(path, ''), options);
      const absent = await ask(
        method,
        twins.acme.replace('acme-sales', 'acme-gone') + filled(path, ''),
        options,
      );
      const wrong = await ask(
        method,
        twins.acme.replace('tenants/acme', 'tenants/globex') + filled(path, ''),
        options,
      );
      // The administrator of a tenant may know that it has no such product; a stranger gets one answer for all.
      for (const answer of [there, absent, wrong])
        expect([answer.status, answer.text], `${method} ${path}`).toEqual([403, there.text]);
    }
    expect(await codeOf(ask('GET', `${twins.globex}/openapi.json`, { bearer: ada }))).toBe(
      '403 access.forbidden',
    );
  });

  test('has statements that look like ones that were never submitted', async () => {
    const { body: own } = await ask('POST', `${twins.globex}/query/statement`, {
      bearer: foreign,
      body: SQL,
    });
    expect(own.status).toBe('SUCCESS');
    const never = `${own.id.slice(0, -3)}zzz`;
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/result'],
      ['POST', '/cancel'],
    ] as const) {
      const there = await ask(method, `${twins.acme}/query/statement/${own.id}${rest}`, {
        bearer: ada,
        ...same,
      });
      const absent = await ask(method, `${twins.acme}/query/statement/${never}${rest}`, {
        bearer: ada,
        ...same,
      });
      expect(there.status).toBe(404);
      expect(there.text.replaceAll(own.id, 'ID')).toBe(absent.text.replaceAll(never, 'ID'));
    }
    const list = await ask('GET', `${twins.acme}/query/statement`, { bearer: ada });
    expect(list.text).not.toContain(own.id);
  });

  test('has no apps, users, tokens or groups in the lists of this one', async () => {
    for (const list of ['users', 'service-accounts', 'groups', 'tokens', 'resources/apps']) {
      const mine = await ask('GET', `${PLATFORM}/tenants/acme/${list}?limit=1000`, { apikey: ada });
      expect(mine.status).toBe(200);
      expect(mine.text, list).not.toContain('globex');
    }
    const { body } = await ask('GET', `${PLATFORM}/tenants`, { apikey: ada });
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['acme']);
  });
});

/** A request as bytes: what fetch would not send. */
function raw([method, path]: readonly [string, string], headers: readonly string[]): Promise<string> {
  const { port } = new URL(twins.served.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'),
      ),
    );
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/*
 * The OWASP API Security Top 10 (2023) over every operation of both OpenAPI documents:
 *
 *   API1 objects of others   API2 broken credentials   API3 properties that are not the caller's   API4 consumption
 *   API5 functions of others API6 flows                API7 requests that the server would make     API8 configuration
 *   API9 inventory           API10 what others send
 *
 * API4 is tests/hostile/http-limits.test.ts besides what is here, API10 the wire of http-wire.test.ts: the server asks
 * nobody but the issuers of config.yaml.
 */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ServedTwins, servedTwins } from '../e2e/served-twins.ts';
import { hostileTargets, type Target } from './hostile-targets.ts';

let twins: ServedTwins;
let targets: readonly Target[] = [];
const tokens: Record<string, string> = {};

beforeAll(async () => {
  twins = await servedTwins();
  tokens['admin'] = await twins.person('acme', 'ann', { role: 'admin', groups: ['admin'] });
  tokens['developer'] = await twins.person('acme', 'dev', { role: 'developer' });
  tokens['viewer'] = await twins.person('acme', 'vic', { role: 'viewer' });
  tokens['nobody'] = await twins.person('acme', 'nob');
  tokens['stranger'] = await twins.person('globex', 'gil', { role: 'admin', groups: ['admin'] });
  targets = (await hostileTargets(twins, tokens['admin'])).filter(({ isPublic }) => !isPublic);
});
afterAll(() => twins?.stop());

const ask = (target: Target, token: string, more: { readonly body?: unknown } = {}): Promise<Answer> =>
  twins.ask(target.method, target.url, {
    ...target.credential(token),
    ...(target.hasBody ? { body: {} } : {}),
    ...more,
  });

/** Whatever the answer: it is in the document, and no stack, path or SQL of the server is in it. */
const isDecent = (target: Target, answer: Answer): void => {
  const about = `${target.method} ${target.url}: ${answer.status} ${answer.text.slice(0, 300)}`;
  expect(target.statuses, about).toContain(answer.status);
  expect(answer.status, about).toBeLessThan(500);
  if (answer.status >= 400)
    expect(answer.text, about).not.toMatch(/node_modules|\.ts:\d|at \w+ \(|sqlite|SQLITE|\/tmp\/|ECONN/);
};

describe('API1: objects of others', () => {
  test('the administrator of another tenant is refused everywhere, and told nothing', async () => {
    const told = new Set<string>();
    for (const target of targets.filter(({ url }) => url.includes('acme'))) {
      const answer = await ask(target, tokens['stranger'] as string);
      isDecent(target, answer);
      expect([answer.status, answer.body.code], target.url).toEqual([403, 'access.forbidden']);
      told.add(JSON.stringify({ ...answer.body, correlation_id: '' }));
    }
    // Word by word the same: nothing of the answer depends on what is there.
    expect(told.size).toBe(1);
  });

  test('ids that were made up, or are of another kind, are 404 or 403 and never an answer', async () => {
    for (const target of targets.filter(({ url, method }) => url.includes('/none') && method === 'GET'))
      for (const id of [
        '0',
        '-1',
        '1%20OR%201=1',
        's_00000000000000000',
        // A slash that is not encoded would be resolved by the client, to an address that has an answer.
        '..%2fmetadata',
        '%2e%2e%2fmetadata',
        '*',
      ]) {
        const answer = await twins.ask(target.method, target.url.replace('none', id), {
          ...target.credential(tokens['admin'] as string),
        });
        isDecent(target, answer);
        expect([400, 403, 404, 422], `${target.url} ${id}`).toContain(answer.status);
      }
  });
});

describe('API2: credentials that are none', () => {
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = (more: object = {}) => ({
    iss: 'plinth',
    aud: 'plinth',
    sub: 'root',
    tenant: 'acme',
    exp: Math.floor(Date.now() / 1000) + 600,
    ...more,
  });

  test('JWTs without a signature, with a public key as secret, expired or of the future are 401 everywhere', async () => {
    const { keys } = (await twins.ask('GET', '/platform-api/v1/jwks.json')).body;
    const confused = (): string => {
      const text = `${encoded({ alg: 'HS256', kid: keys[0].kid })}.${encoded(claims())}`;
      return `${text}.${createHmac('sha256', JSON.stringify(keys[0])).update(text).digest('base64url')}`;
    };
    const bad: Readonly<Record<string, string>> = {
      none: `${encoded({ alg: 'none' })}.${encoded(claims())}.`,
      None: `${encoded({ alg: 'None', kid: keys[0].kid })}.${encoded(claims())}.x`,
      confused: confused(),
      expired: `${encoded({ alg: 'EdDSA', kid: keys[0].kid })}.${encoded(claims({ exp: 1 }))}.${'A'.repeat(86)}`,
      future: `${encoded({ alg: 'EdDSA', kid: keys[0].kid })}.${encoded(claims({ nbf: 9_999_999_999 }))}.${'A'.repeat(86)}`,
      foreignKey: `${encoded({ alg: 'EdDSA', jku: 'http://127.0.0.1:1/jwks', jwk: keys[0] })}.${encoded(claims())}.${'A'.repeat(86)}`,
      pathKid: `${encoded({ alg: 'HS256', kid: '../../../../dev/null' })}.${encoded(claims())}.${'A'.repeat(43)}`,
      empty: '..',
      noJson: 'e30.W10.x',
    };
    for (const target of targets)
      for (const [what, jwt] of Object.entries(bad)) {
        const answer = await twins.ask(target.method, target.url, {
          bearer: jwt,
          ...(target.hasBody ? { body: {} } : {}),
        });
        expect([answer.status, answer.body?.code], `${what} ${target.url}`).toEqual([401, 'auth.invalid']);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
  });
});

describe('API3: properties that are not the caller’s', () => {
  test('fields that only the server sets are refused in every body', async () => {
    for (const target of targets.filter(({ hasBody }) => hasBody))
      for (const field of [
        'id',
        'tenant',
        'created_at',
        'owner',
        'principal_id',
        'isPlatformAdmin',
        'status',
        'token',
      ]) {
        const answer = await ask(
          target,
          /platform\.$/.test(target.access) ? twins.root : (tokens['admin'] as string),
          {
            body: { [field]: 'x' },
          },
        );
        isDecent(target, answer);
        expect([403, 404, 422], `${target.id} ${field}: ${answer.text.slice(0, 200)}`).toContain(
          answer.status,
        );
      }
  });

  test('nobody makes a platform administrator who is none', async () => {
    const answer = await twins.ask('POST', '/platform-api/v1/tenants/acme/users', {
      apikey: tokens['admin'] as string,
      body: { name: 'mallory', is_platform_admin: true },
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'access.forbidden']);
  });
});

describe('API5: functions of others', () => {
  /** Least role that may, by what the document says; written here once more, on purpose. */
  const least = (target: Target): 'nobody' | 'viewer' | 'developer' | 'admin' | 'root' => {
    const [, scope] = /Callers who have `([^`]+)`/.exec(target.access) ?? [];
    if (scope !== undefined)
      return /^(?:activity|quality):run$/.test(scope)
        ? 'developer'
        : /^(?:query:read-all|admin)$/.test(scope)
          ? 'admin'
          : 'viewer';
    if (target.access.startsWith('Administrators of the platform')) return 'root';
    if (target.access.startsWith('Administrators of the tenant')) return 'admin';
    return 'nobody';
  };
  const ORDER = ['nobody', 'viewer', 'developer', 'admin', 'root'];

  test('whoever has a lesser role than the document names is refused, at every address', async () => {
    let refused = 0;
    for (const target of targets)
      for (const role of ['nobody', 'viewer', 'developer', 'admin']) {
        if (ORDER.indexOf(role) >= ORDER.indexOf(least(target))) continue;
        const answer = await ask(target, tokens[role] as string);
        isDecent(target, answer);
        expect([answer.status, answer.body.code], `${role} ${target.id}`).toEqual([403, 'access.forbidden']);
        refused++;
      }
    expect(refused).toBeGreaterThan(30);
  });

  test('whoever has the role is not refused for it where nothing but the role counts', async () => {
    for (const target of targets.filter(({ method, url }) => method === 'GET' && !url.includes('none'))) {
      const role = least(target);
      const answer = await ask(target, role === 'root' ? twins.root : (tokens[role] as string));
      isDecent(target, answer);
      if (role === 'nobody') continue;
      // A name that is not there answers like one that policies hide.
      const told = answer.body.code === 'policy.no-access' ? 404 : answer.status;
      expect([200, 304, 404, 422], `${role} ${target.id}`).toContain(told);
    }
  });
});

describe('API7: requests that the server would make', () => {
  test('SQL and fields that name addresses reach none', async () => {
    for (const sql of [
      "SELECT * FROM read_csv('http://169.254.169.254/latest/meta-data/')",
      "SELECT * FROM read_parquet('https://127.0.0.1:1/x.parquet')",
      "SELECT * FROM 'http://127.0.0.1:1/x.csv'",
      "SELECT * FROM read_text('file:///etc/passwd')",
      "SELECT * FROM read_json('s3://bucket/x')",
    ]) {
      const answer = await twins.ask('POST', `${twins.acme}/query/statement`, {
        bearer: tokens['admin'] as string,
        body: { sql, wait: 5 },
      });
      expect([403, 404, 422], `${sql}: ${answer.text}`).toContain(answer.status);
    }
  });
});

describe('API8: configuration', () => {
  test('answers carry what browsers need, and do not say what the server is made of', async () => {
    for (const target of targets.filter(({ method }) => method === 'GET')) {
      const { headers } = await ask(target, tokens['admin'] as string);
      expect(headers.get('x-content-type-options'), target.url).toBe('nosniff');
      expect(headers.get('cache-control'), target.url).toMatch(/no-store|private/);
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
      expect(headers.get('platform-correlation-id')).toBeTruthy();
    }
  });
});

describe('API9: inventory', () => {
  test('every address of the document answers, and those of other versions and of debugging do not', async () => {
    for (const target of targets) {
      const answer = await ask(target, tokens['admin'] as string);
      // Nothing is there only where the name in the address was made up.
      if (answer.status === 404) expect(target.url).toMatch(/none|sales/);
      expect([405, 501], target.url).not.toContain(answer.status);
    }
    for (const path of [
      ...['/platform-api/v0/me', '/platform-api/v2/me', '/debug', '/.env', '/.git/config', '/admin'],
      ...['/swagger', '/actuator/env', '/server-status', '/platform-api/v1', '/platform-api'],
    ])
      expect((await twins.ask('GET', path, { apikey: twins.root })).status, path).toBe(404);
  });
});

describe('a tenant that does not exist', () => {
  test('gets no users, groups or tokens from the administrator of the platform either', async () => {
    for (const tenant of ['nowhere', '%0B%F3%9C%97%87', '..%2facme'])
      for (const target of targets.filter(
        ({ method, path }) => method === 'POST' && /^\/tenants\/\{tenant\}\/[\w-]+$/.test(path),
      )) {
        const answer = await twins.ask(
          'POST',
          `${twins.served.url}/platform-api/v1${target.path.replace('{tenant}', tenant)}`,
          { apikey: twins.root, body: target.id === 'createToken' ? {} : { name: 'mallory' } },
        );
        isDecent(target, answer);
        expect([403, 404, 422], `${target.id} ${tenant}: ${answer.text}`).toContain(answer.status);
      }
  });
});

test('nothing of this made the server fail', () => {
  const { stderr } = twins.served.output();
  expect(stderr.split('\n').filter((line) => /"level":"error"|"status":5\d\d/.test(line))).toEqual([]);
});

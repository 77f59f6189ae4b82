/*
 * Two tenants, twin products, one server. Every operation that the two OpenAPI documents list (and the doors beside them)
 * is asked by strangers, for things of strangers and by members without a role, and each time once more for what does not
 * exist: both answers are the same, and nothing of the other tenant is in any of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from './served-project.ts';
import { type Answer, type Operation, operationsOf } from './served-twins.ts';
import { CASES, type OperationCase } from './tenancy-cases.ts';
import { type Ids, PLATFORM, type TenancyWorld, tenancyWorld, WORD } from './tenancy-world.ts';

interface Target extends Operation {
  readonly door: 'platform' | 'product';
  readonly known: OperationCase;
}

let world: TenancyWorld;
let targets: readonly Target[];
/** Correlation ids of what acme's callers were denied. */
const denied: string[] = [];

beforeAll(async () => {
  world = await tenancyWorld();
  const { twins, callers } = world;
  const platform = await twins.ask('GET', '/platform-api/openapi.json');
  const product = await twins.ask('GET', `${twins.acme}/openapi.json`, { bearer: callers.acme.admin });
  const beside = ['POST graphql', 'GET graphqlPage'].map((written): Operation => {
    const [method = '', id = ''] = written.split(' ');
    return { id, method, path: '', isPublic: false, parameters: [], hasBody: method === 'POST' };
  });
  targets = [
    ...operationsOf(platform.body).map((operation) => ({ ...operation, door: 'platform' as const })),
    ...[...operationsOf(product.body), ...beside].map((operation) => ({
      ...operation,
      door: 'product' as const,
    })),
  ].map((operation) => ({ ...operation, known: CASES[operation.id] ?? {} }));
}, 300_000);
afterAll(() => world?.twins.stop());

const ordinary = (): readonly Target[] =>
  targets.filter(({ known, isPublic }) => known.isApart === undefined && !isPublic);

/** What a tenant has, as its administrator sees it. */
async function held(tenant: 'acme' | 'globex'): Promise<unknown> {
  const { twins, callers } = world;
  const lists: Record<string, unknown> = {};
  const { admin } = callers[tenant];
  for (const list of ['users', 'service-accounts', 'groups', 'tokens', 'resources/apps/sales/grants'])
    lists[list] = (
      await twins.ask('GET', `${PLATFORM}/tenants/${tenant}/${list}?limit=1000`, { apikey: admin })
    ).body.items.map(({ last_used_at: _, ...item }: { last_used_at?: string }) => item);
  for (const list of ['query/statement?all=true', 'activity/plans', 'activity/runs'])
    lists[list] = (await twins.ask('GET', `${twins[tenant]}/${list}`, { bearer: admin })).body.items.map(
      ({ id, status }: { id: string; status: string }) => [id, status],
    );
  return lists;
}

interface Asked {
  readonly token: string;
  /** Where, and what for. */
  readonly tenant: string;
  readonly slug: string;
  readonly ids: Ids;
  readonly isOwn: boolean;
}

async function ask({ door, path, method, id, known }: Target, asked: Asked): Promise<Answer> {
  const { twins } = world;
  const { tenant, slug, ids, token } = asked;
  const named: Readonly<Record<string, string>> = { tenant, slug, ...known.path?.(ids) };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = named[name];
    if (value === undefined) throw new Error(`${id}: nothing for {${name}}`);
    return encodeURIComponent(value);
  });
  const base = twins.acme.replace('/tenants/acme/', `/tenants/${tenant}/`).replace('acme-sales', slug);
  const root =
    door === 'platform' ? PLATFORM : id.startsWith('graphql') ? base.replace('/api/v1', '/graphql') : base;
  const query = new URLSearchParams(known.query?.(ids)).toString();
  const body = known.body?.(ids);
  const answer = await twins.ask(method, `${root}${filled}${query === '' ? '' : `?${query}`}`, {
    ...(door === 'platform' ? { apikey: token } : { bearer: token }),
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status === 403 && asked.isOwn)
    denied.push(answer.headers.get('platform-correlation-id') ?? 'none');
  expect(answer.status, `${id}: ${answer.text}`).toBeLessThan(500);
  return answer;
}

/** What is left when what the caller sent, the id of the exchange and the time are taken out. */
function told({ status, type, text, headers }: Answer, { ids, tenant, slug }: Asked): string {
  let rest = text
    .replaceAll(headers.get('platform-correlation-id') ?? '-', 'CORRELATION')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"');
  for (const [kind, value] of Object.entries({ ...ids, slug, tenant }).sort(
    ([, a], [, b]) => b.length - a.length,
  ))
    if (value !== 'sales') rest = rest.replaceAll(value, kind === 'word' ? 'WORD' : 'SENT');
  const others = [...headers]
    .filter(
      ([name]) =>
        !/^(?:date|platform-correlation-id|ratelimit-.*|connection|keep-alive|content-length)$/.test(name),
    )
    .map(([name, value]) => `${name}: ${value}`);
  return [status, type, ...others, rest].join('\n');
}

/** Nothing of the other tenant is in it. */
function expectNothingOf(other: 'acme' | 'globex', text: string, what: string): void {
  expect(text.toLowerCase(), what).not.toContain(WORD[other]);
  const { ids } = world;
  for (const kind of [
    'statement',
    'failed',
    'plan',
    'run',
    'token',
    'userId',
    'rule',
    'result',
    'incident',
  ] as const)
    expect(text, what).not.toContain(ids[other][kind]);
}

test('every operation has a case, and every case an operation', () => {
  const ids = targets.map(({ id }) => id);
  expect(ids.filter((id) => CASES[id] === undefined)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.keys(CASES).filter((id) => !ids.includes(id))).toEqual([]);
});

test('the words are in what a tenant sees of its own: they would show', async () => {
  const { callers, ids } = world;
  const own = { tenant: 'acme', slug: 'acme-sales', ids: ids.acme, isOwn: true, token: callers.acme.admin };
  const silent: string[] = [];
  for (const target of ordinary().filter(({ method }) => method === 'GET'))
    if (!(await ask(target, own)).text.includes(WORD.acme)) silent.push(target.id);
  // Lists of the environment `…_env`, which was only previewed, of perspectives and notifications, which the administrator has none of, of tests, which the folder has none of, and what says nothing of contents.
  expect(silent.toSorted()).toEqual(
    [
      'getCheckRun',
      'getLimits',
      'getMe',
      'getPreferences',
      'getSummary',
      'getTenant',
      'getVersion',
      'listChannels',
      'listDeadLetters',
      'listDeliveries',
      'listEventTypes',
      'listFollowing',
      'listInbox',
      'listNotificationRules',
      'listPerspectives',
      'listRuns',
      'listTenants',
      'listTests',
    ].toSorted(),
  );
});

describe('nothing of the other tenant', () => {
  test('is in anything that a tenant reads of its own, by whoever reads it', async () => {
    const { callers, ids } = world;
    for (const [tenant, other] of [
      ['acme', 'globex'],
      ['globex', 'acme'],
    ] as const)
      for (const [who, token] of Object.entries(callers[tenant]))
        for (const target of ordinary().filter(({ method }) => method === 'GET')) {
          const isOwn = tenant === 'acme';
          const asked = { tenant, slug: `${tenant}-sales`, ids: ids[tenant], isOwn, token };
          expectNothingOf(other, (await ask(target, asked)).text, `${target.id} by ${who} of ${tenant}`);
        }
  }, 300_000);

  test('is in what everybody may read', async () => {
    const { twins } = world;
    for (const path of [
      '/platform-api/reference',
      '/livez',
      '/readyz',
      '/metrics',
      '/platform-api/openapi.json',
      `${PLATFORM}/jwks.json`,
    ]) {
      const { status, text } = await twins.ask('GET', path);
      expect(status, path).toBe(200);
      for (const word of [WORD.acme, WORD.globex, 'acme', 'globex'])
        expect(text, `${word} in ${path}`).not.toContain(word);
    }
    // Pages for people are the same for products that are there and for others, but for the address that was asked.
    for (const page of ['/graphql', '/api/v1/reference']) {
      const shown = async (slug: string) => {
        const address = twins.acme.replace('acme-sales', slug).replace('/api/v1', page);
        const { status, text } = await twins.ask('GET', address, { headers: { accept: 'text/html' } });
        expect(status, address).toBe(200);
        return text.replaceAll(slug, 'SLUG');
      };
      const there = await shown('acme-sales');
      expect(there).toBe(await shown('acme-gonee'));
      expect(there).not.toContain(WORD.acme);
    }
  });

  test('is in the GraphQL schema', async () => {
    const { twins, callers } = world;
    const query = '{ __schema { types { name description fields { name description } } } }';
    const { text } = await twins.ask('POST', twins.acme.replace('/api/v1', '/graphql'), {
      bearer: callers.acme.admin,
      body: { query },
    });
    expect(text).toContain(WORD.acme);
    expectNothingOf('globex', text, 'introspection');
  });

  test.each(['odcs', 'odps', 'openlineage', 'openapi', 'graphql', 'llms.txt'])(
    'is exported as %s',
    async (format) => {
      const { twins, callers } = world;
      const { status, text } = await twins.ask('GET', `${twins.acme}/metadata/export?format=${format}`, {
        bearer: callers.acme.admin,
      });
      expect(status).toBe(200);
      if (format !== 'openapi') expect(text).toContain(WORD.acme);
      expectNothingOf('globex', text, format);
    },
  );

  test('comes down the stream of events', async () => {
    const { twins, callers, ids } = world;
    const stop = new AbortController();
    const answer = await fetch(`${twins.acme}/activity/stream?since=0`, {
      headers: { authorization: `Bearer ${callers.acme.admin}` },
      signal: stop.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    for (const [tenant, sql] of [
      ['globex', `SELECT ${WORD.globex}_column::INTEGER AS x FROM ${ids.globex.model}`],
      ['acme', `SELECT ${WORD.acme}_column::INTEGER AS last FROM ${ids.acme.model}`],
    ] as const) {
      const { body } = await twins.ask('POST', `${twins[tenant]}/query/statement`, {
        bearer: callers[tenant].admin,
        body: { sql, wait: 20 },
      });
      expect(body.status).toBe('FAILED');
      // The event of acme comes last: when it is here, that of globex would be.
      const isOver = (): boolean => tenant === 'globex' || text.includes(body.id);
      for (let i = 0; i < 200 && !isOver(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(isOver(), text).toBe(true);
    }
    stop.abort();
    await reading;
    expectNothingOf('globex', text, 'stream');
  });
});

describe('what is forbidden looks like what is not there', () => {
  let before: unknown;
  beforeAll(async () => {
    before = await held('globex');
  });

  test('to a stranger, at every address of the tenant and the product', async () => {
    const { callers, ids } = world;
    const token = callers.globex.admin;
    for (const target of ordinary().filter(
      ({ door, path }) => door === 'product' || path.includes('{tenant}'),
    )) {
      const there = { token, tenant: 'acme', slug: 'acme-sales', ids: ids.acme, isOwn: false };
      const answers: string[] = [];
      for (const asked of [
        there,
        { ...there, ids: ids.absent },
        { ...there, slug: 'acme-gonee', ids: ids.absent },
        { ...there, tenant: 'nowher', slug: 'nowher-sales', ids: ids.absent },
        { ...there, tenant: 'globex', slug: 'acme-sales', ids: ids.absent },
      ].slice(0, target.door === 'product' ? 5 : 4)) {
        const answer = await ask(target, asked);
        expect(answer.status, `${target.id} ${JSON.stringify(asked)}`).toBe(403);
        answers.push(told(answer, asked));
      }
      expect(new Set(answers).size, `${target.id}\n${answers.join('\n\n')}`).toBe(1);
    }
  }, 300_000);

  test('to those who have no role, or may only read', async () => {
    const { callers, ids } = world;
    let compared = 0;
    for (const token of [callers.acme.nobody, callers.acme.viewer])
      for (const target of ordinary()) {
        if (['requestAccess', 'createToken'].includes(target.id)) continue;
        const there = { token, tenant: 'acme', slug: 'acme-sales', ids: ids.acme, isOwn: true };
        const answer = await ask(target, there);
        if (answer.status < 400) continue;
        // Within a product people are told what to ask for: that they lack a policy is no secret.
        if (/^policy\./.test(answer.body?.code)) continue;
        compared++;
        const absent = { ...there, ids: { ...ids.absent, app: ids.acme.app } };
        const other = await ask(target, absent);
        expect(told(answer, there), target.id).toBe(told(other, absent));
      }
    expect(compared).toBeGreaterThan(50);
  }, 300_000);

  test("in one's own product, with the ids of another's, read or changed", async () => {
    const { callers, ids } = world;
    for (const target of ordinary()) {
      const { path, query, body } = target.known;
      if (path === undefined && query === undefined && body === undefined) continue;
      if (['createUser', 'createServiceAccount', 'createChannel', 'requestAccess'].includes(target.id))
        continue;
      const theirs = {
        token: callers.acme.admin,
        tenant: 'acme',
        slug: 'acme-sales',
        ids: ids.globex,
        isOwn: true,
      };
      const absent = { ...theirs, ids: { ...ids.absent, app: ids.globex.app } };
      const [answer, other] = [await ask(target, theirs), await ask(target, absent)];
      expect(told(answer, theirs), `${target.method} ${target.id}`).toBe(told(other, absent));
    }
  }, 300_000);

  test('and nothing of that has changed the other tenant', async () => {
    expect(await held('globex')).toEqual(before);
  });
});

describe('the audit log', () => {
  const log = async (): Promise<readonly Readonly<Record<string, string>>[]> => {
    const { twins, callers } = world;
    const found: Readonly<Record<string, string>>[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await twins.ask(
        'GET',
        `${PLATFORM}/tenants/acme/audit-log?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`,
        { apikey: callers.acme.admin },
      );
      found.push(...body.items);
      if (body.next_cursor === null) return found;
      cursor = body.next_cursor;
    }
  };

  test('has every change that any operation of the platform makes', async () => {
    const { twins, callers } = world;
    const at = `${PLATFORM}/tenants/acme`;
    const done: Record<string, string> = {};
    const change = async (id: string, path: string, body?: unknown, apikey = callers.acme.admin) => {
      const target = targets.find((each) => each.id === id);
      const answer = await twins.ask(target?.method ?? 'none', path, {
        apikey,
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.status, `${id}: ${answer.text}`).toBeLessThan(300);
      done[id] = answer.headers.get('platform-correlation-id') ?? '';
      return answer.body;
    };
    await change('createTenant', `${PLATFORM}/tenants`, { name: 'changing' }, twins.root);
    await change('deleteTenant', `${PLATFORM}/tenants/changing`, undefined, twins.root);
    await change('createUser', `${at}/users`, { name: 'cora' });
    await change('changeUser', `${at}/users/cora`, { role: 'viewer' });
    await change('createServiceAccount', `${at}/service-accounts`, { name: 'corabot' });
    await change('changeServiceAccount', `${at}/service-accounts/corabot`, { groups: ['bots'] });
    await change('createGroup', `${at}/groups`, { name: 'cores', members: ['cora'] });
    await change('putGroup', `${at}/groups/cores`, { members: ['corabot'] });
    await change('changeGroup', `${at}/groups/cores`, { add: ['cora'] });
    await change('deleteGroup', `${at}/groups/cores`);
    const { id, token } = await change('createToken', `${at}/tokens`, { principal: 'cora' });
    const asked = await change(
      'requestAccess',
      `${at}/access-requests`,
      { app: 'sales', role: 'editor' },
      token,
    );
    await change('approveAccessRequest', `${at}/access-requests/${asked.id}/approve`, {});
    const again = await change(
      'requestAccess',
      `${at}/access-requests`,
      { app: 'sales', role: 'owner' },
      token,
    );
    await change('denyAccessRequest', `${at}/access-requests/${again.id}/deny`, {});
    await change('putGrant', `${at}/resources/apps/sales/grants/cora`, { role: 'consumer' });
    await change('deleteGrant', `${at}/resources/apps/sales/grants/cora`);
    await change('revokeToken', `${at}/tokens/${id}`);
    await change('deleteUser', `${at}/users/cora`);
    await change('deleteServiceAccount', `${at}/service-accounts/corabot`);
    const changing = targets.filter(({ door, method }) => door === 'platform' && method !== 'GET');
    expect(Object.keys(done).toSorted()).toEqual(changing.map((each) => each.id).toSorted());
    const entries = [
      ...(await log()),
      ...(await twins.ask('GET', `${PLATFORM}/tenants/changing/audit-log`, { apikey: twins.root })).body
        .items,
    ];
    for (const [operation, correlation] of Object.entries(done))
      expect(
        entries.find((entry) => entry['correlation_id'] === correlation && entry['outcome'] === 'done'),
        operation,
      ).toBeDefined();
  });

  test('has what config.yaml says of access, and the policies that were applied', async () => {
    const entries = await log();
    const targetsOf = (action: string) =>
      entries.filter((entry) => entry['action'] === action).map(({ target }) => target);
    expect(targetsOf('access.configured')).toEqual([
      expect.stringMatching(/^acme-sales \S+: .*carla is consumer.*eva belongs to eu/),
    ]);
    expect(targetsOf('policy.add').toSorted()).toEqual([
      expect.stringContaining('customers for admin in prod'),
      expect.stringContaining('customers for eu in prod'),
      expect.stringContaining('orders for admin in prod'),
      expect.stringContaining('orders for eu in prod'),
    ]);
  });

  test('has every denial of these tests', async () => {
    expect(denied.length).toBeGreaterThan(100);
    let missing = denied;
    for (let i = 0; i < 20 && missing.length > 0; i++) {
      const known = new Set(
        (await log()).filter(({ outcome }) => outcome === 'denied').map((entry) => entry['correlation_id']),
      );
      missing = denied.filter((id) => !known.has(id));
    }
    expect(missing).toEqual([]);
  });
});

describe('whoever owns the folder of one tenant', () => {
  test('makes nobody in the other tenant, and no administrator of the platform, at the command line', async () => {
    const { twins } = world;
    const made = async (name: string, ...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await twins.other.plinth('user', 'create', name, ...args);
      expect(code, stdout + stderr).toBe(0);
      return newToken(twins.other, '--user', name);
    };
    const statusOf = async (method: string, path: string, token: string): Promise<number> => {
      const credential = path.startsWith('http') ? { bearer: token } : { apikey: token };
      return (await twins.ask(method, path, credential)).status;
    };
    const intruder = await made('mallory', '--tenant', 'acme', '--role', 'admin');
    expect(await statusOf('GET', `${PLATFORM}/me`, intruder)).toBe(401);
    expect(await statusOf('GET', `${twins.acme}/metadata`, intruder)).toBe(401);
    const pretender = await made('pretender', '--role', 'platform-admin');
    const me = await twins.ask('GET', `${PLATFORM}/me`, { apikey: pretender });
    expect(me.body).toMatchObject({ tenant: 'globex', is_platform_admin: false });
    for (const [method, path] of [
      ['GET', `${PLATFORM}/tenants/acme/users`],
      ['GET', `${twins.acme}/metadata`],
      ['DELETE', `${PLATFORM}/tenants/acme`],
    ] as const)
      expect(await statusOf(method, path, pretender), path).toBe(403);
    const users = await twins.ask('GET', `${PLATFORM}/tenants/acme/users?limit=1000`, { apikey: twins.root });
    expect(users.text).not.toContain('mallory');
    const { text } = await twins.ask('GET', `${PLATFORM}/tenants/acme/audit-log`, { apikey: twins.root });
    expect(text).not.toContain('mallory');
  });
});

describe('no secret', () => {
  test('is in what the server writes or keeps, nor is any token', async () => {
    const { twins, secrets } = world;
    const { stdout, stderr } = twins.served.output();
    expect(stderr).toContain('"status":403');
    const files = [twins.served.folder, twins.other.folder].flatMap((folder) =>
      readdirSync(join(folder, '.plinth'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    expect(files.some((file) => file.includes('state.db'))).toBe(true);
    const kept = files.map((file) => readFileSync(file).toString('latin1'));
    for (const secret of secrets) {
      expect(secret).toMatch(/^plt_\w{20,}$/);
      const inner = secret.slice(4, -4);
      for (const [i, text] of [stdout, stderr, ...kept].entries())
        expect(text.includes(inner), `a token in ${i < 2 ? 'the log' : files[i - 2]}`).toBe(false);
    }
  });
});

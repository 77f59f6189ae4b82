/** Roles, groups, grants and requests for access over HTTP, as those who manage and those who ask see them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;
let ask: ServedPlatform['ask'];
let [root, ada, own, eve, bob] = ['', '', '', '', ''];

const T = '/tenants/acme';
const GRANTS = `${T}/resources/apps/sales/grants`;
const SALES = '/plinth/tenants/acme/data-products/acme-sales/api/v1';

beforeAll(async () => {
  served = await servedPlatform([
    'name: sales\ntenant: acme\nusers: [{username: eve, groups: [fixed]}]\naccess: [{principal: cfg, role: editor}]',
    'name: hidden\ntenant: acme\ndiscoverable: false',
    'name: sales\ntenant: globex',
  ]);
  ({ ask, root } = served);
  ada = await served.person('acme', 'ada', { role: 'admin' });
  own = await served.person('acme', 'own');
  eve = await served.person('acme', 'eve');
  bob = await served.person('acme', 'bob');
  await ask(root, 'PUT', `${GRANTS}/own`, { body: { role: 'owner' } });
});
afterAll(() => served?.stop());

/** Whether somebody may read the product at this moment. */
const mayRead = async (token: string): Promise<boolean> =>
  (await ask(token, 'GET', `${SALES}/metadata`)).status === 200;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a principal', () => {
  test('is changed field by field, counts at once, and is in the audit log', async () => {
    const before = await ask(ada, 'GET', `${T}/users/bob`);
    expect(before.body).toMatchObject({ name: 'bob', role: null, groups: [] });
    expect(await mayRead(bob)).toBe(false);
    const changed = await ask(ada, 'PATCH', `${T}/users/bob`, { body: { role: 'viewer' } });
    expect(changed.body).toMatchObject({ name: 'bob', role: 'viewer', groups: [] });
    expect(await mayRead(bob)).toBe(true);
    await ask(ada, 'PATCH', `${T}/users/bob`, { body: { groups: ['g1', 'g2'] } });
    expect((await ask(bob, 'GET', '/me')).body).toMatchObject({
      tenant_role: 'viewer',
      groups: ['g1', 'g2'],
    });
    const back = await ask(ada, 'PATCH', `${T}/users/bob`, { body: { role: null, groups: [] } });
    expect(back.body).toMatchObject({ role: null, groups: [] });
    expect(back.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(await mayRead(bob)).toBe(false);
    const log = await ask(ada, 'GET', `${T}/audit-log?target=bob&action=role`);
    expect(log.body.items.map((each: { action: string }) => each.action)).toEqual(['role.viewer']);
  });

  test('is not changed on the ground of what it was: 412, and nothing happens', async () => {
    const seen = (await ask(ada, 'GET', `${T}/users/eve`)).headers.get('etag') ?? '';
    const change = (role: string | null, tag: string) =>
      ask(ada, 'PATCH', `${T}/users/eve`, { body: { role }, headers: { 'if-match': tag } });
    const first = await change('viewer', seen);
    expect(first.status).toBe(200);
    expect((await change('developer', seen)).code).toBe('412 access.changed');
    expect((await change('developer', `W/${first.headers.get('etag')}`)).code).toBe('412 access.changed');
    expect((await change('developer', 'eve')).code).toBe('400 http.bad-request');
    expect((await ask(ada, 'GET', `${T}/users/eve`)).body.role).toBe('viewer');
    const gone = await ask(ada, 'DELETE', `${T}/users/eve`, { headers: { 'if-match': seen } });
    expect(gone.code).toBe('412 access.changed');
    expect((await change(null, `"x", ${first.headers.get('etag')}`)).status).toBe(200);
    expect((await change(null, '*')).status).toBe(200);
  });

  test('of the other kind, of nobody, or with unknown fields is refused', async () => {
    const at = (kind: string) => `${T}/${kind}/bob`;
    expect((await ask(ada, 'PATCH', at('service-accounts'), { body: { role: 'viewer' } })).status).toBe(404);
    expect((await ask(ada, 'PATCH', `${T}/users/nobody`, { body: { role: null } })).status).toBe(404);
    for (const body of [{}, { name: 'x' }, { role: 'owner' }, { groups: ['a', 'a'] }, { groups: ['-'] }])
      expect((await ask(ada, 'PATCH', at('users'), { body })).status, JSON.stringify(body)).toBe(422);
  });

  test('becomes or stays an administrator of the platform only by one', async () => {
    const admin = { body: { is_platform_admin: true } };
    expect((await ask(ada, 'PATCH', `${T}/users/bob`, admin)).code).toBe('403 access.forbidden');
    expect((await ask(ada, 'PATCH', `${T}/users/root`, { body: { role: 'viewer' } })).code).toBe(
      '403 access.forbidden',
    );
    expect((await ask(root, 'PATCH', `${T}/users/bob`, admin)).body.is_platform_admin).toBe(true);
    expect((await ask(bob, 'GET', '/me')).body.is_platform_admin).toBe(true);
    await ask(root, 'PATCH', `${T}/users/bob`, { body: { is_platform_admin: false } });
    expect((await ask(bob, 'GET', '/me')).body.is_platform_admin).toBe(false);
    const foreign = await served.person('globex', 'gil');
    expect((await ask(root, 'PATCH', '/tenants/globex/users/gil', admin)).code).toBe(
      '422 access.admin-elsewhere',
    );
    expect((await ask(foreign, 'PATCH', `${T}/users/bob`, admin)).code).toBe('403 access.forbidden');
  });
});

describe('an app', () => {
  test('that is discoverable is found by everybody of the tenant, with the way to ask for it; others are not', async () => {
    const list = async (token: string): Promise<readonly string[]> =>
      (await ask(token, 'GET', `${T}/resources/apps`)).body.items.map((app: { name: string }) => app.name);
    expect(await list(ada)).toEqual(['hidden', 'sales']);
    expect(await list(bob)).toEqual(['sales']);
    const found = await ask(bob, 'GET', `${T}/resources/apps/sales`);
    expect(found.body).toMatchObject({
      health: { last_run: null },
      links: { access_requests: '/platform-api/v1/tenants/acme/access-requests' },
    });
    expect((await ask(ada, 'GET', `${T}/resources/apps/sales`)).body.links.access_requests).toBeUndefined();
    expect((await ask(bob, 'GET', `${T}/resources/apps/hidden`)).code).toBe('404 http.not-found');
  });
});

describe('a group', () => {
  test('is made, gets other members, gives them what it was granted, and takes it away with itself', async () => {
    const made = await ask(ada, 'POST', `${T}/groups`, { body: { name: 'finance' } });
    expect([made.status, made.body.members]).toEqual([201, []]);
    expect(made.headers.get('location')).toBe('/platform-api/v1/tenants/acme/groups/finance');
    expect((await ask(ada, 'POST', `${T}/groups`, { body: { name: 'finance' } })).code).toBe(
      '409 access.exists',
    );
    expect((await ask(own, 'PUT', `${GRANTS}/group:finance`, { body: { role: 'consumer' } })).status).toBe(
      200,
    );
    expect(await mayRead(bob)).toBe(false);
    const put = await ask(ada, 'PUT', `${T}/groups/finance`, { body: { members: ['bob', 'eve'] } });
    expect(put.body).toMatchObject({ name: 'finance', members: ['bob', 'eve'], config_members: [] });
    const log = await ask(ada, 'GET', `${T}/audit-log?action=group.members&limit=1`);
    expect(log.body.items).toMatchObject([{ action: 'group.members', target: 'finance: bob, eve' }]);
    expect([await mayRead(bob), await mayRead(eve)]).toEqual([true, true]);
    const changed = await ask(ada, 'PATCH', `${T}/groups/finance`, {
      body: { add: ['ada', 'bob'], remove: ['eve'] },
    });
    expect(changed.body.members).toEqual(['ada', 'bob']);
    expect([await mayRead(bob), await mayRead(eve)]).toEqual([true, false]);
    expect((await ask(ada, 'DELETE', `${T}/groups/finance`)).status).toBe(204);
    expect(await mayRead(bob)).toBe(false);
    expect((await ask(ada, 'GET', `${T}/groups/finance`)).status).toBe(404);
    await ask(ada, 'PUT', `${T}/groups/finance`, { body: { members: ['bob'] } });
    expect(await mayRead(bob), 'grants to the former group are gone').toBe(false);
    await ask(ada, 'DELETE', `${T}/groups/finance`);
  });

  test('has an ETag that follows its members, however they changed', async () => {
    const first = await ask(ada, 'PUT', `${T}/groups/ops`, {
      body: { members: ['bob'] },
      headers: { 'if-none-match': '*' },
    });
    const tag = first.headers.get('etag') ?? '';
    const again = { body: { members: [] }, headers: { 'if-none-match': '*' } };
    expect((await ask(ada, 'PUT', `${T}/groups/ops`, again)).code).toBe('412 access.changed');
    const known = await ask(ada, 'GET', `${T}/groups/ops`, { headers: { 'if-none-match': tag } });
    expect([known.status, known.body]).toEqual([304, undefined]);
    await ask(ada, 'PATCH', `${T}/users/eve`, { body: { groups: ['ops'] } });
    expect(
      (await ask(ada, 'GET', `${T}/groups/ops`, { headers: { 'if-none-match': tag } })).body.members,
    ).toEqual(['bob', 'eve']);
    const late = { body: { members: [] }, headers: { 'if-match': tag } };
    expect((await ask(ada, 'PUT', `${T}/groups/ops`, late)).code).toBe('412 access.changed');
    expect((await ask(ada, 'DELETE', `${T}/groups/ops`, { headers: { 'if-match': tag } })).code).toBe(
      '412 access.changed',
    );
    expect((await ask(ada, 'DELETE', `${T}/groups/ops`)).status).toBe(204);
    expect((await ask(ada, 'GET', `${T}/users/eve`)).body.groups).toEqual([]);
  });

  test('of config.yaml shows who is in it by the file, and cannot be removed', async () => {
    expect((await ask(ada, 'GET', `${T}/groups/fixed`)).body).toEqual({
      name: 'fixed',
      members: [],
      config_members: ['eve'],
      created_at: null,
    });
    expect((await ask(ada, 'DELETE', `${T}/groups/fixed`)).code).toBe('409 access.from-config');
  });

  test('takes no strangers and no odd names, and is for administrators', async () => {
    const put = (name: string, members: string[], as = ada) =>
      ask(as, 'PUT', `${T}/groups/${name}`, { body: { members } });
    expect((await put('g', ['bob', 'nobody'])).code).toBe('422 access.unknown-members');
    expect((await put('-g', [])).code).toBe('422 access.bad-name');
    expect((await put('g', ['bob'], bob)).code).toBe('403 access.forbidden');
    expect(
      (await ask(ada, 'GET', `${T}/groups`)).body.items.map((each: { name: string }) => each.name),
    ).toEqual(['fixed']);
  });
});

describe('a grant', () => {
  test('with an end counts until then and no longer, without anybody doing anything', async () => {
    const put = await ask(own, 'PUT', `${GRANTS}/bob`, { body: { role: 'consumer', expires_in: 1 } });
    expect(put.body).toMatchObject({ principal: 'bob', role: 'consumer', is_active: true });
    expect(await mayRead(bob)).toBe(true);
    await pause(Math.max(0, Date.parse(put.body.expires_at) - Date.now()));
    expect(await mayRead(bob)).toBe(false);
    const [listed] = (await ask(own, 'GET', `${GRANTS}/bob`)).body.items;
    expect(listed).toMatchObject({ principal: 'bob', is_active: false, source: 'granted' });
    expect((await ask(own, 'DELETE', `${GRANTS}/bob`)).status).toBe(204);
    expect((await ask(own, 'GET', `${GRANTS}/bob`)).code).toBe('404 access.not-found');
  });

  test('is replaced and taken back on the ground of its ETag', async () => {
    const put = (role: string, headers: Record<string, string>) =>
      ask(own, 'PUT', `${GRANTS}/bob`, { body: { role }, headers });
    expect((await put('consumer', { 'if-match': '*' })).code).toBe('412 access.changed');
    expect((await put('consumer', { 'if-none-match': '*' })).status).toBe(200);
    expect((await put('consumer', { 'if-none-match': '*' })).code).toBe('412 access.changed');
    const tag = (await ask(own, 'GET', `${GRANTS}/bob`)).headers.get('etag') ?? '';
    expect((await put('editor', { 'if-match': tag })).status).toBe(200);
    expect((await put('owner', { 'if-match': tag })).code).toBe('412 access.changed');
    const taken = await ask(own, 'DELETE', `${GRANTS}/bob`, { headers: { 'if-match': tag } });
    expect(taken.code).toBe('412 access.changed');
    expect((await ask(own, 'DELETE', `${GRANTS}/bob`)).status).toBe(204);
    expect((await ask(own, 'DELETE', `${GRANTS}/bob`)).code).toBe('404 access.not-found');
  });

  test('is the business of owners: others may neither see nor give', async () => {
    for (const [method, body] of [['GET'], ['PUT', { role: 'owner' }], ['DELETE']] as const)
      expect((await ask(bob, method, `${GRANTS}/bob`, { body })).code).toBe('403 access.forbidden');
    expect((await ask(own, 'PUT', `${GRANTS}/group:-`, { body: { role: 'owner' } })).code).toBe(
      '422 access.bad-name',
    );
  });
});

describe('a request for access', () => {
  const R = `${T}/access-requests`;
  const request = (as: string, body: object) => ask(as, 'POST', R, { body: { app: 'sales', ...body } });
  const decide = (as: string, id: string, word: string, body = {}) =>
    ask(as, 'POST', `${R}/${id}/${word}`, { body });

  test('is made once, seen by its maker and by who decides, approved with an end, and ends', async () => {
    const made = await request(bob, { reason: 'quarterly report', expires_in: 3600 });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      app: 'sales',
      principal: 'bob',
      role: 'consumer',
      status: 'pending',
      reason: 'quarterly report',
      expires_in: 3600,
      decided_at: null,
    });
    const again = await request(bob, { reason: 'please' });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    const { id } = made.body;
    for (const [who, seen] of [
      [bob, [id]],
      [own, [id]],
      [ada, [id]],
      [eve, []],
    ] as const)
      expect((await ask(who, 'GET', R)).body.items.map((each: { id: string }) => each.id)).toEqual(seen);
    expect((await ask(eve, 'GET', `${R}/${id}`)).code).toBe('403 access.forbidden');
    expect((await ask(eve, 'GET', `${R}/a_nothing`)).code).toBe('403 access.forbidden');
    expect((await ask(ada, 'GET', `${R}/a_nothing`)).code).toBe('404 access.not-found');
    expect((await decide(bob, id, 'approve')).code).toBe('403 access.forbidden');
    expect(await mayRead(bob)).toBe(false);
    const approved = await decide(own, id, 'approve', { expires_in: 1, note: 'for today' });
    expect(approved.body).toMatchObject({
      status: 'approved',
      granted_role: 'consumer',
      expires_in: 1,
      note: 'for today',
    });
    expect(await mayRead(bob)).toBe(true);
    await pause(Math.max(0, Date.parse(approved.body.expires_at) - Date.now()));
    expect(await mayRead(bob)).toBe(false);
  });

  test('is decided once: the same again changes nothing, another decision is 409', async () => {
    const { id } = (await request(eve, { role: 'editor' })).body;
    const [first, second] = await Promise.all([decide(own, id, 'approve'), decide(ada, id, 'approve')]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body).toEqual(second.body);
    expect((await decide(own, id, 'approve', { role: 'editor' })).body).toEqual(first.body);
    expect((await decide(own, id, 'deny')).code).toBe('409 access.decided');
    expect((await decide(own, id, 'approve', { role: 'owner' })).code).toBe('409 access.decided');
    expect((await decide(own, id, 'approve', { expires_in: 5 })).code).toBe('409 access.decided');
    const other = (await request(bob, { role: 'owner' })).body;
    expect((await decide(ada, other.id, 'deny', { note: 'no' })).body).toMatchObject({
      status: 'denied',
      granted_role: null,
    });
    expect((await decide(ada, other.id, 'deny')).status).toBe(200);
    expect((await decide(ada, other.id, 'approve')).code).toBe('409 access.decided');
    expect(await mayRead(bob)).toBe(false);
  });

  test('gives beside what was granted directly, and does not take that away when it ends', async () => {
    await ask(own, 'PUT', `${GRANTS}/bob`, { body: { role: 'consumer' } });
    const { id } = (await request(bob, { role: 'editor', expires_in: 1 })).body;
    const approved = await decide(own, id, 'approve');
    expect((await ask(bob, 'GET', '/me')).body.product_roles).toEqual({ 'acme-sales': 'editor' });
    await pause(Math.max(0, Date.parse(approved.body.expires_at) - Date.now()));
    expect((await ask(bob, 'GET', '/me')).body.product_roles).toEqual({ 'acme-sales': 'consumer' });
    expect((await request(bob, {})).code).toBe('409 access.has-role');
    await ask(own, 'DELETE', `${GRANTS}/bob`);
    expect(await mayRead(bob)).toBe(false);
  });

  test('for what is hidden, absent or of another tenant is forbidden alike', async () => {
    const codes = await Promise.all(
      ['hidden', 'nothing'].map(async (app) => (await request(bob, { app })).code),
    );
    const foreign = await served.person('globex', 'gus', { role: 'admin' });
    codes.push((await request(foreign, {})).code, (await ask(foreign, 'GET', R)).code);
    expect(new Set(codes)).toEqual(new Set(['403 access.forbidden']));
    expect((await request(bob, { expires_in: 0 })).code).toBe('422 http.invalid');
    expect((await request(bob, { role: 'admin' })).code).toBe('422 http.invalid');
  });

  test('leaves the audit log and the event log with what happened, the reason in neither', async () => {
    const log = (await ask(ada, 'GET', `${T}/audit-log?action=access&limit=1000`)).body.items;
    const actions = new Set(log.map((each: { action: string }) => each.action));
    expect(actions).toEqual(
      new Set([
        'access.configured',
        'access.request.consumer',
        'access.request.editor',
        'access.request.owner',
        'access.approve',
        'access.deny',
      ]),
    );
    const { items } = (await ask(ada, 'GET', `${SALES}/activity?limit=1000`)).body;
    const types = new Set(
      items.map((each: { type: string }) => each.type.replace(/^.*?(?=access|grant|token)/, '')),
    );
    for (const type of [
      'access.requested',
      'access.approved',
      'access.denied',
      'grant.given',
      'grant.revoked',
    ])
      expect(types, type).toContain(type);
    expect(JSON.stringify([log, items])).not.toContain('quarterly report');
  });

  test('is listed by pages and filters', async () => {
    const all = (await ask(ada, 'GET', R)).body.items;
    const seen: unknown[] = [];
    let cursor = '';
    for (let page = 0; page < 20; page++) {
      const { body } = await ask(ada, 'GET', `${R}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items);
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(all);
    const denied = (await ask(ada, 'GET', `${R}?status=denied&app=sales`)).body.items;
    expect(denied.map((each: { principal: string }) => each.principal)).toEqual(['bob']);
    expect((await ask(ada, 'GET', `${R}?app=hidden`)).body.items).toEqual([]);
  });
});

describe('the audit log', () => {
  const names = async (query: string): Promise<string[]> =>
    (await ask(ada, 'GET', `${T}/audit-log?limit=1000&${query}`)).body.items.map(
      (each: { action: string }) => each.action,
    );

  test('is filtered by who, what, outcome, time and correlation', async () => {
    await ask(bob, 'GET', `${T}/users`, { headers: { 'platform-correlation-id': 'corr-7' } });
    const { id } = (await ask(bob, 'GET', '/me')).body;
    expect(await names('correlation_id=corr-7')).toEqual(['listUsers of acme']);
    expect(new Set(await names('action=token'))).toEqual(new Set(['token.create']));
    expect(await names('action=tok')).toEqual([]);
    expect(await names('action=*')).toEqual([]);
    expect((await names(`actor=${id}&outcome=denied`)).length).toBeGreaterThan(2);
    expect(await names('until=2020-01-01')).toEqual([]);
    expect((await names('since=2020-01-01T00:00:00Z')).length).toBe((await names('')).length);
    expect((await ask(ada, 'GET', `${T}/audit-log?since=soon`)).code).toBe('422 http.invalid');
  });

  test('comes in pages that lose and repeat nothing, filters included', async () => {
    const all = await names('outcome=done');
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 50; page++) {
      const { body } = await ask(
        ada,
        'GET',
        `${T}/audit-log?outcome=done&limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...body.items.map((each: { action: string }) => each.action));
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(all);
  });
});

/** What a token makes: never more than it, never longer than it, and gone with it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../src/operations/access/create-token.ts';
import { JwtVerifier } from '../../src/operations/access/jwt-verifier.ts';
import { revokeToken } from '../../src/operations/access/revoke-token.ts';
import { signJwt } from '../../src/operations/access/sign-jwt.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;

beforeAll(async () => {
  served = await servedPlatform(['name: one\ntenant: acme', 'name: two\ntenant: globex']);
});
afterAll(() => served?.stop());

const tokens = (tenant = 'acme'): string => `/tenants/${tenant}/tokens`;
const make = (as: string, body: unknown = {}, tenant = 'acme'): Promise<Answer> =>
  served.ask(as, 'POST', tokens(tenant), { body });
const made = async (as: string, body: unknown = {}, tenant = 'acme'): Promise<Answer['body']> => {
  const answer = await make(as, body, tenant);
  expect(answer.code).toBe('201');
  return answer.body;
};
const isKnown = async (as: string): Promise<boolean> => (await served.ask(as, 'GET', '/me')).status === 200;
const revoke = (as: string, id: string, tenant = 'acme'): Promise<Answer> =>
  served.ask(as, 'DELETE', `${tokens(tenant)}/${id}`);

describe('a token', () => {
  test('that ends makes none that ends later, however it is asked for', async () => {
    const owner = await served.person('acme', 'ida');
    const short = await made(owner, { expires_in: 3600 });
    const endsAt = (body: Answer['body']): number => Date.parse(body.expires_at ?? '9999-01-01');
    const children = [
      await made(short.token),
      await made(short.token, { expires_in: 300_000_000 }),
      await made(short.token, { expires_in: 60 }),
    ];
    for (const child of children) expect(endsAt(child)).toBeLessThanOrEqual(endsAt(short));
    expect(endsAt(children[2])).toBeLessThan(endsAt(short) - 3_000_000);
    const grandchild = await made(children[0].token, { expires_in: 300_000_000 });
    expect(endsAt(grandchild)).toBeLessThanOrEqual(endsAt(short));
  });

  test('that is limited makes none that is less so, and needs the scope for tokens', async () => {
    const owner = await served.person('acme', 'jon');
    const narrow = (await made(owner, { scopes: ['query:read'] })).token;
    const { id } = await made(owner, { name: 'another' });
    expect((await make(narrow, { scopes: ['query:read'] })).code).toBe('403 access.forbidden');
    expect((await served.ask(narrow, 'GET', tokens())).code).toBe('403 access.forbidden');
    expect((await revoke(narrow, id)).code).toBe('403 access.forbidden');
    const manager = (await made(owner, { scopes: ['tokens:manage', 'query:read'] })).token;
    for (const body of [
      {},
      { scopes: ['activity:read'] },
      { scopes: ['admin'] },
      { scopes: ['query:read', 'query:models'] },
    ])
      expect((await make(manager, body)).code, JSON.stringify(body)).toBe('403 access.forbidden');
    expect((await made(manager, { scopes: ['query:read'] })).scopes).toEqual(['query:read']);
    const listed = (await served.ask(manager, 'GET', tokens())).body.items as readonly {
      principal: string;
    }[];
    expect(new Set(listed.map(({ principal }) => principal))).toEqual(new Set(['jon']));
    expect((await revoke(manager, id)).status).toBe(204);
    // Nothing but tokens.
    expect((await served.ask(manager, 'POST', '/tenants/acme/users', { body: { name: 'x' } })).status).toBe(
      403,
    );
    // `admin` is everything, and what it makes says so.
    const all = (await made(served.root, { scopes: ['admin'] })).token;
    expect((await made(all)).scopes).toEqual(['admin']);
  });

  test('that is revoked takes with it what it made, and what that made, at once', async () => {
    const owner = await served.person('acme', 'kim');
    const first = await made(owner);
    const second = await made(first.token);
    const third = await made(second.token);
    const beside = await made(owner);
    expect(await Promise.all([second.token, third.token].map(isKnown))).toEqual([true, true]);
    expect((await revoke(owner, first.id)).status).toBe(204);
    expect(await Promise.all([first, second, third, beside].map(({ token }) => isKnown(token)))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    const listed = (await served.ask(owner, 'GET', tokens())).body.items as readonly {
      id: string;
      parent_id: string | null;
      revoked_at: string | null;
    }[];
    const byId = new Map(listed.map((each) => [each.id, each]));
    expect(byId.get(third.id)).toMatchObject({ parent_id: second.id, revoked_at: expect.any(String) });
    expect(byId.get(beside.id)?.revoked_at).toBeNull();
    // The one in the middle alone: what is above it stays.
    const [a, ownerAgain] = [await made(owner), owner];
    const b = await made(a.token);
    expect((await revoke(ownerAgain, b.id)).status).toBe(204);
    expect(await isKnown(a.token)).toBe(true);
  });

  test('for another principal dies with the one that made it, whichever folder keeps it', async () => {
    const admin = await served.person('acme', 'lea', { role: 'admin' });
    await served.person('globex', 'max');
    const boss = await made(served.root, { name: 'for a day' });
    const ofMax = await made(boss.token, { principal: 'max' }, 'globex');
    const deeper = await made(ofMax.token, {}, 'globex');
    expect(await isKnown(deeper.token)).toBe(true);
    expect((await revoke(served.root, boss.id)).status).toBe(204);
    expect(await isKnown(ofMax.token)).toBe(false);
    expect(await isKnown(deeper.token)).toBe(false);
    await served.person('acme', 'ned');
    const temporary = await made(admin, { name: 'hers' });
    const ofNed = await made(temporary.token, { principal: 'ned' });
    expect(await isKnown(ofNed.token)).toBe(true);
    await revoke(served.root, temporary.id);
    expect(await isKnown(ofNed.token)).toBe(false);
  });

  test('whose owner is gone takes with it what it made for others', async () => {
    const admin = await served.person('acme', 'ole', { role: 'admin' });
    await served.person('acme', 'pia');
    const ofPia = await made(admin, { principal: 'pia' });
    expect(await isKnown(ofPia.token)).toBe(true);
    expect((await served.ask(served.root, 'DELETE', '/tenants/acme/users/ole')).status).toBe(204);
    expect(await isKnown(ofPia.token)).toBe(false);
  });

  test('that is revoked at the command line takes with it what it made through a server', async () => {
    const owner = await served.person('acme', 'quinn');
    const platform = await openPlatform({
      folders: served.folders,
      variables: {},
      executionTime: Date.now(),
    });
    const [home] = platform.products;
    const principals = home?.world.state.principals;
    if (principals === undefined) throw new Error('nothing is open');
    const context = { principals, eventsOf: 'acme', actor: 'test', now: Date.now() };
    const found = (await principals.principals({ tenant: 'acme' })).find(({ name }) => name === 'quinn');
    if (found === undefined) throw new Error(owner);
    const { token, text } = await createToken(context, { principal: found, name: 'by hand' });
    const child = await made(text);
    expect(await isKnown(child.token)).toBe(true);
    await revokeToken(context, 'acme', token.id);
    expect(await isKnown(child.token)).toBe(false);
    await platform.close();
  });
});

test('what a JWT makes ends with it', async () => {
  await served.person('acme', 'rita');
  const platform = await openPlatform({ folders: served.folders, variables: {}, executionTime: Date.now() });
  const expiresAt = Date.now() + 3_600_000;
  const [home] = platform.products;
  if (home === undefined) throw new Error('nothing is open');
  const jwt = await signJwt(home.workspace, { tenant: 'acme', name: 'rita', expiresAt });
  await (await JwtVerifier.open(platform, { now: Date.now, onProblem: () => undefined })).identityOf(jwt);
  await platform.close();
  for (const body of [{}, { expires_in: 300_000_000 }]) {
    const answer = await fetch(`${served.url}/platform-api/v1${tokens()}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const child = (await answer.json()) as { expires_at: string };
    expect([answer.status, Date.parse(child.expires_at) <= expiresAt]).toEqual([201, true]);
  }
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEntry, Token } from '../../../domain/principal.ts';
import type { StateStore } from '../../../domain/state-store.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { sqliteStateStore } from './sqlite-state-store.ts';

let folder: string;
let file: string;
/** One whose thread works, as in a server, and one as another process would have it. */
let served: StateStore;
let other: StateStore;

const audit: AuditEntry = {
  at: 1,
  tenant: 'acme',
  actor: 'me',
  action: 'test',
  target: 'it',
  outcome: 'done',
};
const token: Token = { id: 'k1', principalId: 'u1', name: 'first', hash: 'ab'.repeat(32), createdAt: 1 };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-reader-'));
  file = join(folder, 'state.db');
  served = await sqliteStateStore({ file, thread: 'at-once' });
  other = await sqliteStateStore({ file, thread: 'never' });
  const principal = { id: 'u1', tenant: 'acme', name: 'cleo', kind: 'user' as const };
  await served.principals.createPrincipal(
    { ...principal, isPlatformAdmin: false, groups: [], createdAt: 1 },
    audit,
  );
});

afterEach(async () => {
  await served.close();
  await other.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what another connection commits is seen by the next question: a token that is revoked is revoked at once', async () => {
  for (let round = 0; round < 50; round++) {
    const own = { ...token, id: `k${round}`, hash: `${round}`.padStart(64, '0') };
    expect(await served.principals.tokenOwner(own.hash)).toBeUndefined();
    await other.principals.createToken(own, audit, []);
    expect((await served.principals.tokenOwner(own.hash))?.token.revokedAt).toBeUndefined();
    await other.principals.revokeToken({ tenant: 'acme', id: own.id, at: 7 }, audit, []);
    expect((await served.principals.tokenOwner(own.hash))?.token.revokedAt).toBe(7);
  }
});

test('what the thread of the store has committed is seen, and answers are those of the store itself', async () => {
  await served.principals.createToken(token, audit, []);
  const here = await served.principals.tokenOwner(token.hash);
  expect(here?.principal.name).toBe('cleo');
  // Nothing was written since: it is not read again.
  expect(await served.principals.tokenOwner(token.hash)).toBe(here);
  // What was written since gives and takes nothing: the same object is the same caller.
  await other.statements.refuse('a fingerprint', 7);
  expect(await served.principals.tokenOwner(token.hash)).toBe(here);
  expect(here).toEqual(await other.principals.tokenOwner(token.hash));
  expect(await served.principals.principalNamed('acme', 'cleo')).toEqual(
    await other.principals.principalNamed('acme', 'cleo'),
  );
  expect(await served.statements.statement('nobody')).toBeUndefined();
});

test('with the owner of a token come their own grants and those of groups, and nobody else’s', async () => {
  const grant = { tenant: 'acme', product: 'acme-shop', role: 'consumer', createdAt: 1 } as const;
  for (const principal of ['cleo', 'cleo2', 'clea', 'group:eu', 'group', 'groups', 'hank'])
    await other.principals.grant({ ...grant, principal }, { audit, events: [] });
  await other.principals.grant({ ...grant, tenant: 'globex', principal: 'cleo' }, { audit, events: [] });
  await served.principals.createToken(token, audit, []);
  const names = (found: { readonly grants: readonly { readonly principal: string }[] } | undefined) =>
    found?.grants.map(({ principal }) => principal).sort();
  expect(names(await served.principals.tokenOwner(token.hash))).toEqual(['cleo', 'group:eu']);
  expect(names(await served.principals.principalNamed('acme', 'cleo'))).toEqual(['cleo', 'group:eu']);
});

test('an answer that is kept changes with the grants, the groups and the life of its principal', async () => {
  await served.principals.createToken(token, audit, []);
  const seen = async (): Promise<readonly unknown[]> => {
    const found = await served.principals.tokenOwner(token.hash);
    return [found?.principal.groups, found?.grants.map(({ role }) => role)];
  };
  const grant = {
    tenant: 'acme',
    product: 'acme-shop',
    principal: 'cleo',
    role: 'editor',
    createdAt: 1,
  } as const;
  const told = { audit, events: [] };
  expect(await seen()).toEqual([[], []]);
  await other.principals.grant(grant, told);
  expect(await seen()).toEqual([[], ['editor']]);
  await other.principals.changePrincipal('u1', { groups: ['eu'] }, audit);
  expect(await seen()).toEqual([['eu'], ['editor']]);
  await other.principals.revokeGrant(grant, told);
  expect(await seen()).toEqual([['eu'], []]);
  await other.principals.removePrincipal('u1', audit);
  expect(await seen()).toEqual([undefined, undefined]);
});

test('only small reads are answered here, never writes', () => {
  const reader = new SqliteReader(file);
  expect(reader.answer('tokenOwner', [token.hash])).toEqual({ value: undefined });
  expect(reader.answer('runs', [{ limit: 1 }])).toBeUndefined();
  expect(reader.answer('createToken', [token, { audit, events: [] }])).toBeUndefined();
  reader.close();
  expect(reader.answer('tokenOwner', [token.hash])).toBeUndefined();
});

test('a file that cannot be read is left to the store', () => {
  const reader = new SqliteReader(join(folder, 'nowhere.db'));
  expect(reader.answer('tokenOwner', [token.hash])).toBeUndefined();
  reader.close();
});

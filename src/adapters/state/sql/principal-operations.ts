import type { ChangeOutcome, LogEntries } from '../../../domain/access-store.ts';
import { grantsTag, isExpected, principalTag } from '../../../domain/entity-tag.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { AuditEntry, Grant, Principal, Tenant, Token } from '../../../domain/principal.ts';
import type { PrincipalStore } from '../../../domain/principal-store.ts';
import { appendAudit, tell } from './audit-operations.ts';
import { appendEvents } from './event-operations.ts';
import { replaceRow } from './replace-row.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';

export function* readTenants(state: StateSql): Steps<readonly Tenant[]> {
  return (yield* state.rows('SELECT name, created_at FROM tenants ORDER BY name')).map((row) => ({
    name: row['name'] as string,
    createdAt: row['created_at'] as number,
  }));
}

export function* readPrincipals(
  state: StateSql,
  { tenant }: { readonly tenant: string },
): Steps<readonly Principal[]> {
  return (yield* state.rows('SELECT * FROM principals WHERE tenant = ? ORDER BY name', tenant)).map(
    principalOf,
  );
}

export function* readTokens(
  state: StateSql,
  { tenant, principalId }: Parameters<PrincipalStore['tokens']>[0],
): Steps<readonly Token[]> {
  return (yield* state.rows(
    `SELECT tokens.* FROM tokens JOIN principals ON principals.id = tokens.principal_id
       WHERE principals.tenant = ? ${principalId === undefined ? '' : 'AND tokens.principal_id = ?'} ORDER BY tokens.id`,
    tenant,
    ...(principalId === undefined ? [] : [principalId]),
  )).map(tokenOf);
}

export function* readToken(state: StateSql, id: string): Steps<Token | undefined> {
  const row = yield* state.row('SELECT * FROM tokens WHERE id = ?', id);
  return row === undefined ? undefined : tokenOf(row);
}

export function* readGrants(
  state: StateSql,
  { tenant, product }: Parameters<PrincipalStore['grants']>[0],
): Steps<readonly Grant[]> {
  return (yield* state.rows(
    `SELECT * FROM grants WHERE tenant = ? ${product === undefined ? '' : 'AND product = ?'} ORDER BY product, principal, request_id`,
    tenant,
    ...(product === undefined ? [] : [product]),
  )).map(grantOf);
}

export function* readTokenOwner(
  state: StateSql,
  hash: string,
): Steps<
  { readonly token: Token; readonly principal: Principal; readonly grants: readonly Grant[] } | undefined
> {
  const row = yield* state.row('SELECT * FROM tokens WHERE hash = ?', hash);
  if (row === undefined) return undefined;
  const owner = yield* state.row('SELECT * FROM principals WHERE id = ?', row['principal_id'] as string);
  if (owner === undefined) return undefined;
  const principal = principalOf(owner);
  return { token: tokenOf(row), principal, grants: yield* grantsFor(state, principal) };
}

export function* readPrincipalNamed(
  state: StateSql,
  tenant: string,
  name: string,
): Steps<{ readonly principal: Principal; readonly grants: readonly Grant[] } | undefined> {
  const row = yield* state.row('SELECT * FROM principals WHERE tenant = ? AND name = ?', tenant, name);
  if (row === undefined) return undefined;
  const principal = principalOf(row);
  return { principal, grants: yield* grantsFor(state, principal) };
}

/** Asked with every request, so not of all the thousands that a tenant may have. Which groups count is not known here alone. */
function* grantsFor(state: StateSql, { tenant, name }: Principal): Steps<readonly Grant[]> {
  return (yield* state.rows(
    `SELECT * FROM grants WHERE tenant = ? AND principal = ?
       UNION ALL SELECT * FROM grants WHERE tenant = ? AND principal >= 'group:' AND principal < 'group;'`,
    tenant,
    name,
    tenant,
  )).map(grantOf);
}

export function* createTenant(
  state: StateSql,
  { name, createdAt }: Tenant,
  audit: AuditEntry,
): Steps<boolean> {
  const made = yield* state.run(
    'INSERT INTO tenants (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
    name,
    createdAt,
  );
  if (made > 0) yield* appendAudit(state, [audit]);
  return made > 0;
}

export function* removeTenant(state: StateSql, name: string, audit: AuditEntry): Steps<boolean> {
  if ((yield* state.row('SELECT 1 FROM principals WHERE tenant = ? LIMIT 1', name)) !== undefined)
    return false;
  if ((yield* state.run('DELETE FROM tenants WHERE name = ?', name)) === 0) return false;
  for (const table of ['grants', 'groups', 'access_requests'])
    yield* state.run(`DELETE FROM ${table} WHERE tenant = ?`, name);
  yield* appendAudit(state, [audit]);
  return true;
}

/** The tenant comes with its first principal. */
export function* createPrincipal(state: StateSql, principal: Principal, audit: AuditEntry): Steps<boolean> {
  const { id, tenant, name, kind, role, isPlatformAdmin, groups, createdAt } = principal;
  const made = yield* state.run(
    `INSERT INTO principals (id, tenant, name, kind, role, is_platform_admin, groups, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    id,
    tenant,
    name,
    kind,
    role ?? null,
    isPlatformAdmin ? 1 : 0,
    JSON.stringify(groups),
    createdAt,
  );
  if (made === 0) return false;
  yield* state.run(
    'INSERT INTO tenants (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
    tenant,
    createdAt,
  );
  yield* appendAudit(state, [audit]);
  return true;
}

export function* changePrincipal(
  state: StateSql,
  id: string,
  {
    change: { role, groups, isPlatformAdmin, expected },
    audit,
  }: { readonly change: Parameters<PrincipalStore['changePrincipal']>[1]; readonly audit: AuditEntry },
): Steps<ChangeOutcome> {
  const row = yield* state.row('SELECT * FROM principals WHERE id = ?', id);
  if (row === undefined) return 'missing';
  const before = principalOf(row);
  if (!isExpected(principalTag(before), expected)) return 'differs';
  yield* state.run(
    'UPDATE principals SET role = ?, groups = ?, is_platform_admin = ? WHERE id = ?',
    (role === undefined ? before.role : role) ?? null,
    JSON.stringify(groups ?? before.groups),
    (isPlatformAdmin ?? before.isPlatformAdmin) ? 1 : 0,
    id,
  );
  yield* appendAudit(state, [audit]);
  return 'done';
}

/** Its undecided access requests are removed with it. */
export function* removePrincipal(
  state: StateSql,
  id: string,
  { audit, expected }: { readonly audit: AuditEntry; readonly expected?: readonly string[] | undefined },
): Steps<ChangeOutcome> {
  const row = yield* state.row('SELECT * FROM principals WHERE id = ?', id);
  if (row === undefined) return 'missing';
  const { tenant, name, ...rest } = principalOf(row);
  if (!isExpected(principalTag({ tenant, name, ...rest }), expected)) return 'differs';
  for (const token of yield* state.rows('SELECT id FROM tokens WHERE principal_id = ?', id))
    yield* revokeMadeBy(state, token['id'] as string, audit.at);
  yield* state.run('DELETE FROM tokens WHERE principal_id = ?', id);
  yield* state.run('DELETE FROM grants WHERE tenant = ? AND principal = ?', tenant, name);
  yield* state.run("DELETE FROM access_requests WHERE principal_id = ? AND status = 'pending'", id);
  yield* state.run('DELETE FROM principals WHERE id = ?', id);
  yield* appendAudit(state, [audit]);
  return 'done';
}

export function* createToken(
  state: StateSql,
  token: Token,
  { audit, events }: { readonly audit: AuditEntry; readonly events: readonly NewEvent[] },
): Steps<void> {
  yield* state.run(
    `INSERT INTO tokens (id, hash, principal_id, name, scopes, created_at, expires_at, parent_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.hash,
    token.principalId,
    token.name,
    token.scopes === undefined ? null : JSON.stringify(token.scopes),
    token.createdAt,
    token.expiresAt ?? null,
    token.parentId ?? null,
  );
  yield* appendAudit(state, [audit]);
  yield* appendEvents(state, events);
}

export function* revokeToken(
  state: StateSql,
  { tenant, id, at }: Parameters<PrincipalStore['revokeToken']>[0],
  { audit, events }: { readonly audit: AuditEntry; readonly events: readonly NewEvent[] },
): Steps<boolean> {
  const revoked = yield* state.run(
    `UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL
     AND principal_id IN (SELECT id FROM principals WHERE tenant = ?)`,
    at,
    id,
    tenant,
  );
  if (revoked === 0) return false;
  yield* revokeMadeBy(state, id, at);
  yield* appendAudit(state, [audit]);
  yield* appendEvents(state, events);
  return true;
}

/** Whatever was made by a token, at any remove; UNION ends circles. */
function* revokeMadeBy(state: StateSql, id: string, at: number): Steps<void> {
  yield* state.run(
    `WITH RECURSIVE made (id) AS (
       SELECT id FROM tokens WHERE parent_id = ? UNION SELECT tokens.id FROM tokens JOIN made ON tokens.parent_id = made.id)
     UPDATE tokens SET revoked_at = ? WHERE revoked_at IS NULL AND id IN (SELECT id FROM made)`,
    id,
    at,
  );
}

export function* touchTokens(state: StateSql, used: Readonly<Record<string, number>>): Steps<void> {
  for (const [id, at] of Object.entries(used))
    yield* state.run(
      'UPDATE tokens SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?',
      at,
      id,
      at,
    );
}

export function* grantRole(
  state: StateSql,
  grant: Grant,
  { log, expected }: { readonly log: LogEntries; readonly expected?: readonly string[] | 'none' | undefined },
): Steps<'done' | 'differs'> {
  const tag = grantsTag(yield* grantsTo(state, grant));
  if (expected === 'none' ? tag !== undefined : !isExpected(tag, expected)) return 'differs';
  yield* writeGrant(state, grant);
  yield* tell(state, log);
  return 'done';
}

export function* revokeGrant(
  state: StateSql,
  { tenant, product, principal }: Pick<Grant, 'tenant' | 'product' | 'principal'>,
  { log, expected }: { readonly log: LogEntries; readonly expected?: readonly string[] | undefined },
): Steps<ChangeOutcome> {
  const before = yield* grantsTo(state, { tenant, product, principal });
  if (before.length === 0) return 'missing';
  if (!isExpected(grantsTag(before), expected)) return 'differs';
  yield* state.run(
    'DELETE FROM grants WHERE tenant = ? AND product = ? AND principal = ?',
    tenant,
    product,
    principal,
  );
  yield* tell(state, log);
  return 'done';
}

function* grantsTo(
  state: StateSql,
  { tenant, product, principal }: Pick<Grant, 'tenant' | 'product' | 'principal'>,
): Steps<readonly Grant[]> {
  return (yield* state.rows(
    'SELECT * FROM grants WHERE tenant = ? AND product = ? AND principal = ? ORDER BY request_id',
    tenant,
    product,
    principal,
  )).map(grantOf);
}

/** What a request gave and what was granted directly do not touch each other. */
export function* writeGrant(state: StateSql, grant: Grant): Steps<void> {
  yield* state.run(
    replaceRow(
      'grants',
      ['tenant', 'product', 'principal', 'request_id'],
      ['role', 'created_at', 'expires_at'],
    ),
    grant.tenant,
    grant.product,
    grant.principal,
    grant.requestId ?? '',
    grant.role,
    grant.createdAt,
    grant.expiresAt ?? null,
  );
}

export function principalOf(row: Row): Principal {
  return {
    id: row['id'] as string,
    tenant: row['tenant'] as string,
    name: row['name'] as string,
    kind: row['kind'] as Principal['kind'],
    ...(row['role'] === null ? {} : { role: row['role'] as NonNullable<Principal['role']> }),
    isPlatformAdmin: row['is_platform_admin'] === 1,
    groups: JSON.parse(row['groups'] as string) as readonly string[],
    createdAt: row['created_at'] as number,
  };
}

function tokenOf(row: Row): Token {
  const number = (name: string): number | undefined => (row[name] as number | null) ?? undefined;
  const [expiresAt, lastUsedAt, revokedAt] = [
    number('expires_at'),
    number('last_used_at'),
    number('revoked_at'),
  ];
  return {
    id: row['id'] as string,
    principalId: row['principal_id'] as string,
    name: row['name'] as string,
    hash: row['hash'] as string,
    ...(row['parent_id'] === null ? {} : { parentId: row['parent_id'] as string }),
    ...(row['scopes'] === null
      ? {}
      : { scopes: JSON.parse(row['scopes'] as string) as NonNullable<Token['scopes']> }),
    createdAt: row['created_at'] as number,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  };
}

function grantOf(row: Row): Grant {
  return {
    tenant: row['tenant'] as string,
    product: row['product'] as string,
    principal: row['principal'] as string,
    role: row['role'] as Grant['role'],
    createdAt: row['created_at'] as number,
    ...(row['expires_at'] === null ? {} : { expiresAt: row['expires_at'] as number }),
    ...(row['request_id'] === '' ? {} : { requestId: row['request_id'] as string }),
  };
}

import type { ChangeOutcome, Told } from '../../../domain/access-store.ts';
import { grantsTag, isExpected, principalTag } from '../../../domain/entity-tag.ts';
import type {
  AuditEntry,
  Grant,
  Principal,
  StoredAuditEntry,
  Tenant,
  Token,
} from '../../../domain/principal.ts';
import type { PrincipalStore } from '../../../domain/principal-store.ts';
import type { NewEvent } from '../../../domain/state-store.ts';
import type { Row, StateDatabase } from './database.ts';
import { appendEvents } from './event-operations.ts';

export function readTenants(database: StateDatabase): readonly Tenant[] {
  return database
    .all('SELECT name, created_at FROM tenants ORDER BY name')
    .map((row) => ({ name: row['name'] as string, createdAt: row['created_at'] as number }));
}

export function readPrincipals(
  database: StateDatabase,
  { tenant }: { readonly tenant: string },
): readonly Principal[] {
  return database.all('SELECT * FROM principals WHERE tenant = ? ORDER BY name', tenant).map(principalOf);
}

export function readTokens(
  database: StateDatabase,
  { tenant, principalId }: Parameters<PrincipalStore['tokens']>[0],
): readonly Token[] {
  return database
    .all(
      `SELECT tokens.* FROM tokens JOIN principals ON principals.id = tokens.principal_id
       WHERE principals.tenant = ? AND (? IS NULL OR tokens.principal_id = ?) ORDER BY tokens.id`,
      tenant,
      principalId ?? null,
      principalId ?? null,
    )
    .map(tokenOf);
}

export function readToken(database: StateDatabase, id: string): Token | undefined {
  const row = database.get('SELECT * FROM tokens WHERE id = ?', id);
  return row === undefined ? undefined : tokenOf(row);
}

export function readGrants(
  database: StateDatabase,
  { tenant, product }: Parameters<PrincipalStore['grants']>[0],
): readonly Grant[] {
  return database
    .all(
      'SELECT * FROM grants WHERE tenant = ? AND (? IS NULL OR product = ?) ORDER BY product, principal, request_id',
      tenant,
      product ?? null,
      product ?? null,
    )
    .map(grantOf);
}

export function readTokenOwner(
  database: StateDatabase,
  hash: string,
): { readonly token: Token; readonly principal: Principal; readonly grants: readonly Grant[] } | undefined {
  const row = database.get('SELECT * FROM tokens WHERE hash = ?', hash);
  if (row === undefined) return undefined;
  const owner = database.get('SELECT * FROM principals WHERE id = ?', row['principal_id'] as string);
  if (owner === undefined) return undefined;
  const principal = principalOf(owner);
  return { token: tokenOf(row), principal, grants: grantsFor(database, principal) };
}

export function readPrincipalNamed(
  database: StateDatabase,
  tenant: string,
  name: string,
): { readonly principal: Principal; readonly grants: readonly Grant[] } | undefined {
  const row = database.get('SELECT * FROM principals WHERE tenant = ? AND name = ?', tenant, name);
  if (row === undefined) return undefined;
  const principal = principalOf(row);
  return { principal, grants: grantsFor(database, principal) };
}

/** Asked with every request, so not of all the thousands that a tenant may have. Which groups count is not known here alone. */
function grantsFor(database: StateDatabase, { tenant, name }: Principal): readonly Grant[] {
  return database
    .all(
      `SELECT * FROM grants WHERE tenant = ? AND principal = ?
       UNION ALL SELECT * FROM grants WHERE tenant = ? AND principal >= 'group:' AND principal < 'group;'`,
      tenant,
      name,
      tenant,
    )
    .map(grantOf);
}

export function readAuditLog(
  database: StateDatabase,
  { tenant, before, limit, ...filter }: Parameters<PrincipalStore['auditLog']>[0],
): readonly StoredAuditEntry[] {
  const conditions: readonly (readonly [string, string | number | undefined])[] = [
    ['tenant = ?', tenant],
    ['sequence < ?', before],
    ['actor = ?', filter.actor],
    ["(action || '.') GLOB ? || '.*'", filter.action?.replaceAll(/[*?[]/g, '[$&]')],
    ['target = ?', filter.target],
    ['outcome = ?', filter.outcome],
    ['correlation_id = ?', filter.correlationId],
    ['at >= ?', filter.since],
    ['at < ?', filter.until],
  ];
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return database
    .all(
      `SELECT * FROM audit_log WHERE ${given.map(({ sql }) => sql).join(' AND ')} ORDER BY sequence DESC LIMIT ?`,
      ...given.map(({ value }) => value),
      limit,
    )
    .map((row) => ({
      sequence: row['sequence'] as number,
      at: row['at'] as number,
      tenant: row['tenant'] as string,
      actor: row['actor'] as string,
      action: row['action'] as string,
      target: row['target'] as string,
      outcome: row['outcome'] as AuditEntry['outcome'],
      ...(row['correlation_id'] === null ? {} : { correlationId: row['correlation_id'] as string }),
    }));
}

export function createTenant(
  database: StateDatabase,
  { name, createdAt }: Tenant,
  audit: AuditEntry,
): boolean {
  const made = database.run(
    'INSERT OR IGNORE INTO tenants (name, created_at) VALUES (?, ?)',
    name,
    createdAt,
  );
  if (made > 0) appendAudit(database, [audit]);
  return made > 0;
}

export function removeTenant(database: StateDatabase, name: string, audit: AuditEntry): boolean {
  if (database.get('SELECT 1 FROM principals WHERE tenant = ? LIMIT 1', name) !== undefined) return false;
  if (database.run('DELETE FROM tenants WHERE name = ?', name) === 0) return false;
  for (const table of ['grants', 'groups', 'access_requests'])
    database.run(`DELETE FROM ${table} WHERE tenant = ?`, name);
  appendAudit(database, [audit]);
  return true;
}

/** The tenant comes with its first principal. */
export function createPrincipal(database: StateDatabase, principal: Principal, audit: AuditEntry): boolean {
  const { id, tenant, name, kind, role, isPlatformAdmin, groups, createdAt } = principal;
  const made = database.run(
    `INSERT OR IGNORE INTO principals (id, tenant, name, kind, role, is_platform_admin, groups, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
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
  database.run('INSERT OR IGNORE INTO tenants (name, created_at) VALUES (?, ?)', tenant, createdAt);
  appendAudit(database, [audit]);
  return true;
}

export function changePrincipal(
  database: StateDatabase,
  id: string,
  {
    change: { role, groups, isPlatformAdmin, expected },
    audit,
  }: { readonly change: Parameters<PrincipalStore['changePrincipal']>[1]; readonly audit: AuditEntry },
): ChangeOutcome {
  const row = database.get('SELECT * FROM principals WHERE id = ?', id);
  if (row === undefined) return 'missing';
  const before = principalOf(row);
  if (!isExpected(principalTag(before), expected)) return 'differs';
  database.run(
    'UPDATE principals SET role = ?, groups = ?, is_platform_admin = ? WHERE id = ?',
    (role === undefined ? before.role : role) ?? null,
    JSON.stringify(groups ?? before.groups),
    (isPlatformAdmin ?? before.isPlatformAdmin) ? 1 : 0,
    id,
  );
  appendAudit(database, [audit]);
  return 'done';
}

/** What it asked for and nobody decided is gone with it. */
export function removePrincipal(
  database: StateDatabase,
  id: string,
  { audit, expected }: { readonly audit: AuditEntry; readonly expected?: readonly string[] | undefined },
): ChangeOutcome {
  const row = database.get('SELECT * FROM principals WHERE id = ?', id);
  if (row === undefined) return 'missing';
  const { tenant, name, ...rest } = principalOf(row);
  if (!isExpected(principalTag({ tenant, name, ...rest }), expected)) return 'differs';
  for (const token of database.all('SELECT id FROM tokens WHERE principal_id = ?', id))
    revokeMadeBy(database, token['id'] as string, audit.at);
  database.run('DELETE FROM tokens WHERE principal_id = ?', id);
  database.run('DELETE FROM grants WHERE tenant = ? AND principal = ?', tenant, name);
  database.run("DELETE FROM access_requests WHERE principal_id = ? AND status = 'pending'", id);
  database.run('DELETE FROM principals WHERE id = ?', id);
  appendAudit(database, [audit]);
  return 'done';
}

export function createToken(
  database: StateDatabase,
  token: Token,
  { audit, events }: { readonly audit: AuditEntry; readonly events: readonly NewEvent[] },
): void {
  database.run(
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
  appendAudit(database, [audit]);
  appendEvents(database, events);
}

export function revokeToken(
  database: StateDatabase,
  { tenant, id, at }: Parameters<PrincipalStore['revokeToken']>[0],
  { audit, events }: { readonly audit: AuditEntry; readonly events: readonly NewEvent[] },
): boolean {
  const revoked = database.run(
    `UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL
     AND principal_id IN (SELECT id FROM principals WHERE tenant = ?)`,
    at,
    id,
    tenant,
  );
  if (revoked === 0) return false;
  revokeMadeBy(database, id, at);
  appendAudit(database, [audit]);
  appendEvents(database, events);
  return true;
}

/** Whatever was made by a token, at any remove; UNION ends circles. */
function revokeMadeBy(database: StateDatabase, id: string, at: number): void {
  database.run(
    `WITH RECURSIVE made (id) AS (
       SELECT id FROM tokens WHERE parent_id = ? UNION SELECT tokens.id FROM tokens JOIN made ON tokens.parent_id = made.id)
     UPDATE tokens SET revoked_at = ? WHERE revoked_at IS NULL AND id IN (SELECT id FROM made)`,
    id,
    at,
  );
}

export function touchTokens(database: StateDatabase, used: Readonly<Record<string, number>>): void {
  for (const [id, at] of Object.entries(used))
    database.run('UPDATE tokens SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?', at, id);
}

export function grantRole(
  database: StateDatabase,
  grant: Grant,
  { told, expected }: { readonly told: Told; readonly expected?: readonly string[] | 'none' | undefined },
): 'done' | 'differs' {
  const tag = grantsTag(grantsTo(database, grant));
  if (expected === 'none' ? tag !== undefined : !isExpected(tag, expected)) return 'differs';
  writeGrant(database, grant);
  tell(database, told);
  return 'done';
}

export function revokeGrant(
  database: StateDatabase,
  { tenant, product, principal }: Pick<Grant, 'tenant' | 'product' | 'principal'>,
  { told, expected }: { readonly told: Told; readonly expected?: readonly string[] | undefined },
): ChangeOutcome {
  const before = grantsTo(database, { tenant, product, principal });
  if (before.length === 0) return 'missing';
  if (!isExpected(grantsTag(before), expected)) return 'differs';
  database.run(
    'DELETE FROM grants WHERE tenant = ? AND product = ? AND principal = ?',
    tenant,
    product,
    principal,
  );
  tell(database, told);
  return 'done';
}

function grantsTo(
  database: StateDatabase,
  { tenant, product, principal }: Pick<Grant, 'tenant' | 'product' | 'principal'>,
): readonly Grant[] {
  return database
    .all(
      'SELECT * FROM grants WHERE tenant = ? AND product = ? AND principal = ? ORDER BY request_id',
      tenant,
      product,
      principal,
    )
    .map(grantOf);
}

/** What a request gave and what was granted directly do not touch each other. */
export function writeGrant(database: StateDatabase, grant: Grant): void {
  database.run(
    `INSERT OR REPLACE INTO grants (tenant, product, principal, request_id, role, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    grant.tenant,
    grant.product,
    grant.principal,
    grant.requestId ?? '',
    grant.role,
    grant.createdAt,
    grant.expiresAt ?? null,
  );
}

export function tell(database: StateDatabase, { audit, events }: Told): void {
  appendAudit(database, [audit]);
  appendEvents(database, events);
}

export function appendAudit(database: StateDatabase, entries: readonly AuditEntry[]): void {
  for (const { at, tenant, actor, action, target, outcome, correlationId } of entries)
    database.run(
      'INSERT INTO audit_log (at, tenant, actor, action, target, outcome, correlation_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
      at,
      tenant,
      actor,
      action,
      target,
      outcome,
      correlationId ?? null,
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

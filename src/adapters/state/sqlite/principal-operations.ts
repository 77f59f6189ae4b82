import type {
  AuditEntry,
  Grant,
  Principal,
  StoredAuditEntry,
  Tenant,
  Token,
} from '../../../domain/principal.ts';
import type { NewEvent, PrincipalStore } from '../../../domain/state-store.ts';
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

export function readGrants(
  database: StateDatabase,
  { tenant, product }: Parameters<PrincipalStore['grants']>[0],
): readonly Grant[] {
  return database
    .all(
      'SELECT * FROM grants WHERE tenant = ? AND (? IS NULL OR product = ?) ORDER BY product, principal',
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
  return { token: tokenOf(row), principal, grants: readGrants(database, { tenant: principal.tenant }) };
}

export function readPrincipalNamed(
  database: StateDatabase,
  tenant: string,
  name: string,
): { readonly principal: Principal; readonly grants: readonly Grant[] } | undefined {
  const row = database.get('SELECT * FROM principals WHERE tenant = ? AND name = ?', tenant, name);
  return row === undefined
    ? undefined
    : { principal: principalOf(row), grants: readGrants(database, { tenant }) };
}

export function readAuditLog(
  database: StateDatabase,
  { tenant, before, limit }: Parameters<PrincipalStore['auditLog']>[0],
): readonly StoredAuditEntry[] {
  return database
    .all(
      'SELECT * FROM audit_log WHERE tenant = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?',
      tenant,
      before ?? Number.MAX_SAFE_INTEGER,
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
  database.run('DELETE FROM grants WHERE tenant = ?', name);
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
    change: { role, groups },
    audit,
  }: { readonly change: Parameters<PrincipalStore['changePrincipal']>[1]; readonly audit: AuditEntry },
): boolean {
  const changed = database.run(
    `UPDATE principals SET role = CASE WHEN ? = 1 THEN ? ELSE role END, groups = coalesce(?, groups) WHERE id = ?`,
    role === undefined ? 0 : 1,
    role ?? null,
    groups === undefined ? null : JSON.stringify(groups),
    id,
  );
  if (changed > 0) appendAudit(database, [audit]);
  return changed > 0;
}

export function removePrincipal(database: StateDatabase, id: string, audit: AuditEntry): boolean {
  const row = database.get('SELECT tenant, name FROM principals WHERE id = ?', id);
  if (row === undefined) return false;
  database.run('DELETE FROM tokens WHERE principal_id = ?', id);
  database.run(
    'DELETE FROM grants WHERE tenant = ? AND principal = ?',
    row['tenant'] as string,
    row['name'] as string,
  );
  database.run('DELETE FROM principals WHERE id = ?', id);
  appendAudit(database, [audit]);
  return true;
}

export function createToken(
  database: StateDatabase,
  token: Token,
  { audit, events }: { readonly audit: AuditEntry; readonly events: readonly NewEvent[] },
): void {
  database.run(
    `INSERT INTO tokens (id, hash, principal_id, name, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.hash,
    token.principalId,
    token.name,
    token.scopes === undefined ? null : JSON.stringify(token.scopes),
    token.createdAt,
    token.expiresAt ?? null,
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
  appendAudit(database, [audit]);
  appendEvents(database, events);
  return true;
}

export function touchTokens(database: StateDatabase, used: Readonly<Record<string, number>>): void {
  for (const [id, at] of Object.entries(used))
    database.run('UPDATE tokens SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?', at, id);
}

export function grantRole(
  database: StateDatabase,
  { tenant, product, principal, role, createdAt }: Grant,
  audit: AuditEntry,
): void {
  database.run(
    `INSERT INTO grants (tenant, product, principal, role, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenant, product, principal) DO UPDATE SET role = excluded.role, created_at = excluded.created_at`,
    tenant,
    product,
    principal,
    role,
    createdAt,
  );
  appendAudit(database, [audit]);
}

export function revokeGrant(
  database: StateDatabase,
  { tenant, product, principal }: Pick<Grant, 'tenant' | 'product' | 'principal'>,
  audit: AuditEntry,
): boolean {
  const gone = database.run(
    'DELETE FROM grants WHERE tenant = ? AND product = ? AND principal = ?',
    tenant,
    product,
    principal,
  );
  if (gone > 0) appendAudit(database, [audit]);
  return gone > 0;
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

function principalOf(row: Row): Principal {
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
  };
}

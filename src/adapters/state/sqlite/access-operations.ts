import type { AccessRequestFilter, AccessStore, ChangeOutcome, Told } from '../../../domain/access-store.ts';
import { groupTag, isExpected } from '../../../domain/entity-tag.ts';
import type { AccessRequest, AuditEntry, Grant, Group } from '../../../domain/principal.ts';
import type { Row, StateDatabase } from './database.ts';
import { appendAudit, principalOf, tell, writeGrant } from './principal-operations.ts';

export function readGroups(
  database: StateDatabase,
  { tenant }: { readonly tenant: string },
): readonly Group[] {
  return database
    .all('SELECT * FROM groups WHERE tenant = ? ORDER BY name', tenant)
    .map((row) => ({ tenant, name: row['name'] as string, createdAt: row['created_at'] as number }));
}

export function putGroup(
  database: StateDatabase,
  { tenant, name, createdAt }: Group,
  {
    members,
    expected,
    isNew = false,
    audit,
  }: Parameters<AccessStore['putGroup']>[1] & { readonly audit: AuditEntry },
): ChangeOutcome {
  const tag = tagOf(database, { tenant, name });
  if (isNew ? tag !== undefined : !isExpected(tag, expected)) return 'differs';
  database.run(
    'INSERT OR IGNORE INTO groups (tenant, name, created_at) VALUES (?, ?, ?)',
    tenant,
    name,
    createdAt,
  );
  setMembers(database, { tenant, name }, new Set(members));
  appendAudit(database, [audit]);
  return 'done';
}

export function removeGroup(
  database: StateDatabase,
  { tenant, name }: Pick<Group, 'tenant' | 'name'>,
  { expected, audit }: { readonly expected?: readonly string[] | undefined; readonly audit: AuditEntry },
): ChangeOutcome {
  const tag = tagOf(database, { tenant, name });
  if (tag === undefined) return 'missing';
  if (!isExpected(tag, expected)) return 'differs';
  setMembers(database, { tenant, name }, new Set());
  database.run('DELETE FROM groups WHERE tenant = ? AND name = ?', tenant, name);
  database.run('DELETE FROM grants WHERE tenant = ? AND principal = ?', tenant, `group:${name}`);
  appendAudit(database, [audit]);
  return 'done';
}

function tagOf(
  database: StateDatabase,
  { tenant, name }: Pick<Group, 'tenant' | 'name'>,
): string | undefined {
  const row = database.get('SELECT created_at FROM groups WHERE tenant = ? AND name = ?', tenant, name);
  const members = database
    .all('SELECT * FROM principals WHERE tenant = ? ORDER BY name', tenant)
    .map(principalOf)
    .filter(({ groups }) => groups.includes(name));
  return groupTag(
    members.map((member) => member.name),
    row?.['created_at'] as number | undefined,
  );
}

function setMembers(
  database: StateDatabase,
  { tenant, name }: Pick<Group, 'tenant' | 'name'>,
  members: ReadonlySet<string>,
): void {
  for (const row of database.all('SELECT * FROM principals WHERE tenant = ?', tenant)) {
    const { id, name: member, groups } = principalOf(row);
    if (groups.includes(name) === members.has(member)) continue;
    const after = members.has(member) ? [...groups, name] : groups.filter((group) => group !== name);
    database.run('UPDATE principals SET groups = ? WHERE id = ?', JSON.stringify(after), id);
  }
}

export function readRequests(
  database: StateDatabase,
  { tenant, product, seenBy, status, before, limit }: AccessRequestFilter,
): readonly AccessRequest[] {
  const conditions: readonly (readonly [string, string | undefined])[] = [
    ['tenant = ?', tenant],
    ['product = ?', product],
    [
      `EXISTS (SELECT 1 FROM json_each(?) AS seen
       WHERE seen.value = 'principal ' || principal_id OR seen.value = 'product ' || product)`,
      seenBy &&
        JSON.stringify([
          `principal ${seenBy.principalId}`,
          ...seenBy.products.map((each) => `product ${each}`),
        ]),
    ],
    ['status = ?', status],
    ['id < ?', before],
  ];
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = given.map(({ sql }) => sql).join(' AND ');
  return database
    .all(
      `SELECT body FROM access_requests WHERE ${where} ORDER BY id DESC LIMIT ?`,
      ...given.map(({ value }) => value),
      limit,
    )
    .map(requestOf);
}

export function readRequest(database: StateDatabase, id: string): AccessRequest | undefined {
  const row = database.get('SELECT body FROM access_requests WHERE id = ?', id);
  return row === undefined ? undefined : requestOf(row);
}

/** One that waits for the same is enough: asking twice is asking once. */
export function createRequest(
  database: StateDatabase,
  request: AccessRequest,
  told: Told,
): AccessRequest | undefined {
  const { id, tenant, product, principalId, role, status } = request;
  const waiting = database
    .all(
      "SELECT body FROM access_requests WHERE principal_id = ? AND product = ? AND status = 'pending' ORDER BY id",
      principalId,
      product,
    )
    .map(requestOf)
    .find((each) => each.role === role);
  if (waiting !== undefined) return waiting;
  database.run(
    'INSERT INTO access_requests (id, tenant, product, principal_id, status, body) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    tenant,
    product,
    principalId,
    status,
    JSON.stringify(request),
  );
  tell(database, told);
  return undefined;
}

export function decideRequest(
  database: StateDatabase,
  decided: AccessRequest,
  { grant, told }: { readonly grant?: Grant; readonly told: Told },
): { readonly isDone: boolean; readonly request: AccessRequest } | undefined {
  const before = readRequest(database, decided.id);
  if (before === undefined) return undefined;
  if (before.status !== 'pending') return { isDone: false, request: before };
  database.run(
    'UPDATE access_requests SET status = ?, body = ? WHERE id = ?',
    decided.status,
    JSON.stringify(decided),
    decided.id,
  );
  if (grant !== undefined) writeGrant(database, grant);
  tell(database, told);
  return { isDone: true, request: decided };
}

const requestOf = (row: Row): AccessRequest => JSON.parse(row['body'] as string) as AccessRequest;

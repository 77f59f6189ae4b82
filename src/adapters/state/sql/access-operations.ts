import type {
  AccessRequestFilter,
  AccessStore,
  ChangeOutcome,
  LogEntries,
} from '../../../domain/access-store.ts';
import { groupTag, isExpected } from '../../../domain/entity-tag.ts';
import type { AccessRequest, AuditEntry, Grant, Group } from '../../../domain/principal.ts';
import { appendAudit, tell } from './audit-operations.ts';
import { principalOf, writeGrant } from './principal-operations.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';

export function* readGroups(
  state: StateSql,
  { tenant }: { readonly tenant: string },
): Steps<readonly Group[]> {
  return (yield* state.rows('SELECT * FROM groups WHERE tenant = ? ORDER BY name', tenant)).map((row) => ({
    tenant,
    name: row['name'] as string,
    createdAt: row['created_at'] as number,
  }));
}

export function* putGroup(
  state: StateSql,
  { tenant, name, createdAt }: Group,
  {
    members,
    expected,
    isNew = false,
    audit,
  }: Parameters<AccessStore['putGroup']>[1] & { readonly audit: AuditEntry },
): Steps<ChangeOutcome> {
  const tag = yield* tagOf(state, { tenant, name });
  if (isNew ? tag !== undefined : !isExpected(tag, expected)) return 'differs';
  yield* state.run(
    'INSERT INTO groups (tenant, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    tenant,
    name,
    createdAt,
  );
  yield* setMembers(state, { tenant, name }, new Set(members));
  yield* appendAudit(state, [audit]);
  return 'done';
}

export function* removeGroup(
  state: StateSql,
  { tenant, name }: Pick<Group, 'tenant' | 'name'>,
  { expected, audit }: { readonly expected?: readonly string[] | undefined; readonly audit: AuditEntry },
): Steps<ChangeOutcome> {
  const tag = yield* tagOf(state, { tenant, name });
  if (tag === undefined) return 'missing';
  if (!isExpected(tag, expected)) return 'differs';
  yield* setMembers(state, { tenant, name }, new Set());
  yield* state.run('DELETE FROM groups WHERE tenant = ? AND name = ?', tenant, name);
  yield* state.run('DELETE FROM grants WHERE tenant = ? AND principal = ?', tenant, `group:${name}`);
  yield* appendAudit(state, [audit]);
  return 'done';
}

function* tagOf(
  state: StateSql,
  { tenant, name }: Pick<Group, 'tenant' | 'name'>,
): Steps<string | undefined> {
  const row = yield* state.row('SELECT created_at FROM groups WHERE tenant = ? AND name = ?', tenant, name);
  const members = (yield* state.rows('SELECT * FROM principals WHERE tenant = ? ORDER BY name', tenant))
    .map(principalOf)
    .filter(({ groups }) => groups.includes(name));
  return groupTag(
    members.map((member) => member.name),
    row?.['created_at'] as number | undefined,
  );
}

function* setMembers(
  state: StateSql,
  { tenant, name }: Pick<Group, 'tenant' | 'name'>,
  members: ReadonlySet<string>,
): Steps<void> {
  for (const row of yield* state.rows('SELECT * FROM principals WHERE tenant = ?', tenant)) {
    const { id, name: member, groups } = principalOf(row);
    if (groups.includes(name) === members.has(member)) continue;
    const after = members.has(member) ? [...groups, name] : groups.filter((group) => group !== name);
    yield* state.run('UPDATE principals SET groups = ? WHERE id = ?', JSON.stringify(after), id);
  }
}

export function* readRequests(
  state: StateSql,
  { tenant, product, seenBy, status, before, limit }: AccessRequestFilter,
): Steps<readonly AccessRequest[]> {
  const conditions: readonly (readonly [string, string | undefined])[] = [
    ['tenant = ?', tenant],
    ['product = ?', product],
    [
      `EXISTS (SELECT 1 FROM ${state.dialect.elements('?', 'seen')}
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
  return (yield* state.rows(
    `SELECT body FROM access_requests WHERE ${where} ORDER BY id DESC LIMIT ?`,
    ...given.map(({ value }) => value),
    limit,
  )).map(requestOf);
}

export function* readRequest(state: StateSql, id: string): Steps<AccessRequest | undefined> {
  const row = yield* state.row('SELECT body FROM access_requests WHERE id = ?', id);
  return row === undefined ? undefined : requestOf(row);
}

/** One that waits for the same is enough: asking twice is asking once. */
export function* createRequest(
  state: StateSql,
  request: AccessRequest,
  log: LogEntries,
): Steps<AccessRequest | undefined> {
  const { id, tenant, product, principalId, role, status } = request;
  const waiting = (yield* state.rows(
    "SELECT body FROM access_requests WHERE principal_id = ? AND product = ? AND status = 'pending' ORDER BY id",
    principalId,
    product,
  ))
    .map(requestOf)
    .find((each) => each.role === role);
  if (waiting !== undefined) return waiting;
  yield* state.run(
    'INSERT INTO access_requests (id, tenant, product, principal_id, status, body) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    tenant,
    product,
    principalId,
    status,
    JSON.stringify(request),
  );
  yield* tell(state, log);
  return undefined;
}

export function* decideRequest(
  state: StateSql,
  decided: AccessRequest,
  { grant, log }: { readonly grant?: Grant; readonly log: LogEntries },
): Steps<{ readonly isDone: boolean; readonly request: AccessRequest } | undefined> {
  const before = yield* readRequest(state, decided.id);
  if (before === undefined) return undefined;
  if (before.status !== 'pending') return { isDone: false, request: before };
  yield* state.run(
    'UPDATE access_requests SET status = ?, body = ? WHERE id = ?',
    decided.status,
    JSON.stringify(decided),
    decided.id,
  );
  if (grant !== undefined) yield* writeGrant(state, grant);
  yield* tell(state, log);
  return { isDone: true, request: decided };
}

const requestOf = (row: Row): AccessRequest => JSON.parse(row['body'] as string) as AccessRequest;

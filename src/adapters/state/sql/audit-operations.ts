import type { LogEntries } from '../../../domain/access-store.ts';
import type { AuditEntry, StoredAuditEntry } from '../../../domain/principal.ts';
import type { PrincipalStore } from '../../../domain/principal-store.ts';
import { appendEvents } from './event-operations.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { beginsWith, prefixRange } from './text-prefix.ts';

export function* readAuditLog(
  state: StateSql,
  { tenant, before, limit, ...filter }: Parameters<PrincipalStore['auditLog']>[0],
): Steps<readonly StoredAuditEntry[]> {
  const conditions: readonly (readonly [string, ...(string | number | undefined)[]])[] = [
    ['tenant = ?', tenant],
    ['sequence < ?', before],
    ['actor = ?', filter.actor],
    [
      beginsWith("(action || '.')"),
      ...(filter.action === undefined ? [undefined] : prefixRange(`${filter.action}.`)),
    ],
    ['target = ?', filter.target],
    ['outcome = ?', filter.outcome],
    ['correlation_id = ?', filter.correlationId],
    ['at >= ?', filter.since],
    ['at < ?', filter.until],
  ];
  const given = conditions.flatMap(([sql, ...values]) => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? [] : [{ sql, values: known }];
  });
  return (yield* state.rows(
    `SELECT * FROM audit_log WHERE ${given.map(({ sql }) => sql).join(' AND ')} ORDER BY sequence DESC LIMIT ?`,
    ...given.flatMap(({ values }) => values),
    limit,
  )).map((row) => ({
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

export function* tell(state: StateSql, { audit, events }: LogEntries): Steps<void> {
  yield* appendAudit(state, [audit]);
  yield* appendEvents(state, events);
}

export function* appendAudit(state: StateSql, entries: readonly AuditEntry[]): Steps<void> {
  for (const { at, tenant, actor, action, target, outcome, correlationId } of entries)
    yield* state.run(
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

/*
 * A submission becomes a statement, in one change: a kept answer, work under way that it joins, or new work.
 */
import type { SubmitOutcome, SubmitRequest } from '../../../domain/state-store.ts';
import { answerFingerprint, type NewStatement, type Statement } from '../../../domain/statement.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { factsOf, resultOf, WAITING } from './statement-reading.ts';

/** So much longer than needed a kept answer is kept when it is used again. */
const AHEAD_MS = 60_000;

interface KeptExecution {
  readonly id: string;
  readonly expiresAt: number;
  readonly outcome: string;
  readonly lines: Uint8Array;
}

export function* submitStatement(
  state: StateSql,
  statement: NewStatement,
  request: SubmitRequest,
): Steps<StoredSubmission> {
  const { now } = request;
  if ((yield* promotionOf(state, statement.environment)) !== statement.trust.promotionId)
    return { kind: 'moved' };
  const fingerprint = answerFingerprint(request.question, request.versions);
  const until = yield* refusedUntil(state, fingerprint);
  if (until !== undefined && until > now) return { kind: 'refused', until };
  if (request.isShared) {
    const kept = yield* keptExecution(state, fingerprint, request);
    if (kept !== undefined) {
      const { id: executionId, outcome, lines } = kept;
      // The row has the lines of the answer in it: it is not written again for every question, but a little ahead.
      if (kept.expiresAt < now + request.keptMs)
        yield* state.run(
          'UPDATE executions SET expires_at = ? WHERE id = ?',
          now + request.keptMs + Math.min(AHEAD_MS, Math.floor(request.keptMs / 100)),
          executionId,
        );
      yield* insertStatement(state, statement, {
        executionId,
        strategy: 'from_cache',
        status: 'SUCCESS',
        at: now,
        expiresAt: now + request.keptMs,
      });
      return { kind: 'kept', fingerprint, outcome, lines };
    }
    const shared = yield* state.row(
      `SELECT id, status FROM executions WHERE fingerprint = ? AND is_shared = 1 AND ${WAITING} AND timeout_ms = ? LIMIT 1`,
      fingerprint,
      request.task.timeoutMs,
    );
    if (shared !== undefined) {
      const status = shared['status'] as 'QUEUED' | 'IN_PROGRESS';
      const executionId = shared['id'] as string;
      yield* insertStatement(state, statement, { executionId, strategy: 'await_primary', status, at: now });
      return { kind: 'begun', fingerprint, strategy: 'await_primary', status };
    }
  }
  if (request.room === 'none') return { kind: 'full' };
  const status = request.room === 'start' ? 'IN_PROGRESS' : 'QUEUED';
  yield* state.run(
    'INSERT INTO executions (id, fingerprint, is_shared, timeout_ms, status, worker, attempt, tenant, principal_id, started_at, task) VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)',
    statement.id,
    fingerprint,
    request.isShared ? 1 : 0,
    request.task.timeoutMs,
    status,
    request.worker,
    statement.tenant,
    statement.principalId,
    status === 'IN_PROGRESS' ? now : null,
    JSON.stringify(request.task),
  );
  yield* insertStatement(state, statement, {
    executionId: statement.id,
    strategy: 'execute',
    status,
    at: now,
  });
  return { kind: 'begun', fingerprint, strategy: 'execute', status };
}

/** What a submission became, in few words where the caller knows the rest: it goes from thread to thread. */
type StoredSubmission =
  | Exclude<SubmitOutcome, { readonly kind: 'accepted' }>
  | {
      readonly kind: 'kept';
      readonly fingerprint: string;
      readonly outcome: string;
      readonly lines: Uint8Array;
    }
  | {
      readonly kind: 'begun';
      readonly fingerprint: string;
      readonly strategy: 'execute' | 'await_primary';
      readonly status: 'QUEUED' | 'IN_PROGRESS';
    };

/** The outcome of a submission, with what the caller has of it. */
export function outcomeOf(
  stored: StoredSubmission,
  statement: NewStatement,
  { now, task, keptMs }: SubmitRequest,
): SubmitOutcome {
  if (stored.kind === 'kept') {
    const { fingerprint, outcome, lines } = stored;
    const result = resultOf(outcome, lines);
    return {
      kind: 'accepted',
      statement: {
        ...statement,
        fingerprint,
        strategy: 'from_cache',
        status: 'SUCCESS',
        version: 1,
        startedAt: now,
        finishedAt: now,
        expiresAt: now + keptMs,
        ...factsOf({ submittedAt: statement.submittedAt, startedAt: now, finishedAt: now }, result),
      },
      result,
    };
  }
  if (stored.kind !== 'begun') return stored;
  const { kind: _, ...place } = stored;
  const { id, tenant, principalId } = statement;
  const { fingerprint, status } = place;
  return {
    kind: 'accepted',
    statement: begun(statement, { ...place, at: now }),
    ...(place.strategy === 'await_primary'
      ? {}
      : {
          work: {
            id,
            fingerprint,
            task,
            tenant,
            principalId,
            attempt: 1,
            ...(status === 'IN_PROGRESS' ? { startedAt: now } : {}),
          },
        }),
  };
}

function* promotionOf(state: StateSql, environment: string): Steps<string | undefined> {
  const row = yield* state.row('SELECT promotion_id FROM environments WHERE name = ?', environment);
  return row?.['promotion_id'] as string | undefined;
}

function* refusedUntil(state: StateSql, fingerprint: string): Steps<number | undefined> {
  const row = yield* state.row('SELECT until FROM refused_fingerprints WHERE fingerprint = ?', fingerprint);
  return row?.['until'] as number | undefined;
}

function* keptExecution(
  state: StateSql,
  fingerprint: string,
  { cachedSince, now }: SubmitRequest,
): Steps<KeptExecution | undefined> {
  if (cachedSince === undefined) return undefined;
  const row = yield* state.row(
    "SELECT id, expires_at, outcome, lines FROM executions WHERE fingerprint = ? AND is_shared = 1 AND status = 'SUCCESS' AND finished_at >= ? AND expires_at > ? ORDER BY finished_at DESC, id DESC LIMIT 1",
    fingerprint,
    cachedSince,
    now,
  );
  if (row === undefined) return undefined;
  return {
    id: row['id'] as string,
    expiresAt: row['expires_at'] as number,
    outcome: row['outcome'] as string,
    lines: row['lines'] as Uint8Array,
  };
}

function* insertStatement(
  state: StateSql,
  { id, principalId, submittedAt, ...head }: NewStatement,
  place: {
    readonly executionId: string;
    readonly strategy: Statement['strategy'];
    readonly status: 'QUEUED' | 'IN_PROGRESS' | 'SUCCESS';
    readonly at: number;
    readonly expiresAt?: number;
  },
): Steps<void> {
  yield* state.run(
    'INSERT INTO statements (id, execution_id, principal_id, status, version, strategy, submitted_at, started_at, finished_at, expires_at, head) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)',
    id,
    place.executionId,
    principalId,
    place.status,
    place.strategy,
    submittedAt,
    place.status === 'QUEUED' ? null : place.at,
    place.status === 'SUCCESS' ? place.at : null,
    place.expiresAt ?? null,
    JSON.stringify(head),
  );
}

/** A statement as it is read right after it was stored. */
function begun(
  statement: NewStatement,
  place: {
    readonly fingerprint: string;
    readonly strategy: Statement['strategy'];
    readonly status: 'QUEUED' | 'IN_PROGRESS';
    readonly at: number;
  },
): Statement {
  const { at, ...rest } = place;
  const isStarted = place.status === 'IN_PROGRESS';
  return {
    ...statement,
    ...rest,
    version: 1,
    ...(isStarted ? { startedAt: at } : {}),
    stats: isStarted ? { queuedMs: Math.max(0, at - statement.submittedAt) } : {},
    isTruncated: false,
  };
}

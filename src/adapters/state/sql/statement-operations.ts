/*
 * Statements and the work behind them. Every change is compare-and-set: it names the status it starts from, and a
 * change of work also who held it and for which time, so a worker that was taken for dead can do nothing any more.
 *
 *   statements ──execution_id──▶ executions ──worker──▶ statement_workers
 *
 * An execution keeps the time it was first begun, however often it is begun again; a statement shows the last time.
 */
import { LEASE_MS } from '../../../domain/lease.ts';
import type { Execution, ExecutionEnd, Statement, StatementError } from '../../../domain/statement.ts';
import { appendEvents } from './event-operations.ts';
import { isGone, ownProcess } from './process-identity.ts';
import { replaceRow } from './replace-row.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';
import { factsOf, knownStatement, type Outcome, WAITING } from './statement-reading.ts';

const ATTEMPTS_MAX = 2;
const REFUSED = replaceRow('refused_fingerprints', ['fingerprint'], ['until']);

/** Work as its holder names it. */
type Attempt = Pick<Execution, 'id' | 'attempt'>;

export function* startExecution(
  state: StateSql,
  { id, attempt }: Attempt,
  { worker, now }: { readonly worker: string; readonly now: number },
): Steps<readonly string[]> {
  const changed = yield* state.run(
    "UPDATE executions SET status = 'IN_PROGRESS', started_at = coalesce(started_at, ?) WHERE id = ? AND worker = ? AND attempt = ? AND status = 'QUEUED'",
    now,
    id,
    worker,
    attempt,
  );
  if (changed === 0) return [];
  const started = yield* state.rows(
    "UPDATE statements SET status = 'IN_PROGRESS', started_at = ?, version = version + 1 WHERE execution_id = ? AND status = 'QUEUED' RETURNING id",
    now,
    id,
  );
  return started.map((row) => row['id'] as string);
}

export function* finishExecution(
  state: StateSql,
  { id, attempt, isKnown }: Attempt & { readonly isKnown: boolean },
  request: {
    readonly worker: string;
    readonly end: ExecutionEnd;
    readonly now: number;
    readonly keptMs: number;
  },
): Steps<readonly (EndedStatement | Statement)[]> {
  const { worker, end, now, keptMs } = request;
  const outcome = outcomeOf(end);
  const lines = end.kind === 'success' && end.result.place.kind === 'inline' ? end.result.place.lines : null;
  const fingerprint = (end.kind === 'success' ? end.fingerprint : undefined) ?? null;
  const changed = yield* state.run(
    "UPDATE executions SET status = ?, fingerprint = coalesce(?, fingerprint), is_shared = is_shared * ?, finished_at = ?, expires_at = ?, outcome = ?, bytes = ?, lines = ? WHERE id = ? AND worker = ? AND attempt = ? AND status = 'IN_PROGRESS'",
    end.kind === 'success' ? 'SUCCESS' : 'FAILED',
    fingerprint,
    fingerprint === null ? 0 : 1,
    now,
    now + keptMs,
    outcome === undefined ? null : JSON.stringify(outcome),
    outcome?.bytes ?? 0,
    lines,
    id,
    worker,
    attempt,
  );
  if (changed === 0) return [];
  const ended: (EndedStatement | Statement)[] = [];
  for (const each of yield* endStatements(state, id, { end, now, keptMs }))
    ended.push(isKnown && each.id === id ? each : yield* knownStatement(state, each.id));
  return ended;
}

/** What only the store knows of a statement that has ended, for callers who know the rest. */
export interface EndedStatement {
  readonly id: string;
  readonly version: number;
  readonly startedAt: number | null;
}

/** A statement that has ended, of what it was when it was submitted. */
export function endedStatement(
  before: Statement,
  { version, startedAt }: EndedStatement,
  { end, now, keptMs }: { readonly end: ExecutionEnd; readonly now: number; readonly keptMs: number },
): Statement {
  const { startedAt: _, ...statement } = before;
  const times = { submittedAt: before.submittedAt, startedAt, finishedAt: now };
  const fingerprint = end.kind === 'success' ? end.fingerprint : undefined;
  return {
    ...statement,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    status: end.kind === 'success' ? 'SUCCESS' : 'FAILED',
    version,
    ...(startedAt === null ? {} : { startedAt }),
    finishedAt: now,
    expiresAt: now + keptMs,
    ...factsOf(times, end.kind === 'success' ? end.result : undefined),
    ...(end.kind === 'failed' ? { error: end.error } : {}),
  };
}

function outcomeOf(end: ExecutionEnd): Outcome | undefined {
  if (end.kind !== 'success') return undefined;
  const { place, ...facts } = end.result;
  return { ...facts, ...(place.kind === 'file' ? { name: place.name } : {}) };
}

/** All statements that wait for an execution end with it; failures go into the log, and the fingerprint is refused where that is asked for. */
function* endStatements(
  state: StateSql,
  executionId: string,
  { end, now, keptMs }: { readonly end: ExecutionEnd; readonly now: number; readonly keptMs: number },
): Steps<readonly EndedStatement[]> {
  const error = end.kind === 'failed' ? end.error : undefined;
  const ended = (yield* state.rows(
    `UPDATE statements SET status = ?, finished_at = ?, expires_at = ?, error = ?, version = version + 1 WHERE execution_id = ? AND ${WAITING} RETURNING id, version, started_at`,
    end.kind === 'success' ? 'SUCCESS' : 'FAILED',
    now,
    now + keptMs,
    error === undefined ? null : JSON.stringify(error),
    executionId,
  )).map((row) => ({
    id: row['id'] as string,
    version: row['version'] as number,
    startedAt: row['started_at'] as number | null,
  }));
  if (end.kind === 'failed') {
    const failed: Statement[] = [];
    for (const { id } of ended) failed.push(yield* knownStatement(state, id));
    yield* appendEvents(
      state,
      failed.map(({ id, environment, principalId, fingerprint }) => ({
        at: now,
        event: 'statement.failed',
        environment,
        data: { statementId: id, principalId, fingerprint, code: end.error.code, message: end.error.message },
      })),
    );
    const fingerprint = failed[0]?.fingerprint;
    if (end.refuseUntil !== undefined && fingerprint !== undefined)
      yield* state.run(REFUSED, fingerprint, end.refuseUntil);
  }
  return ended;
}

export function* refuseFingerprint(state: StateSql, fingerprint: string, until: number): Steps<void> {
  yield* state.run(REFUSED, fingerprint, until);
}

/** The work waits once more, and its statements with it. */
export function* retryExecution(state: StateSql, { id, attempt }: Execution, worker: string): Steps<boolean> {
  const changed = yield* state.run(
    "UPDATE executions SET status = 'QUEUED' WHERE id = ? AND worker = ? AND attempt = ? AND status = 'IN_PROGRESS'",
    id,
    worker,
    attempt,
  );
  if (changed > 0) yield* queueAgain(state, id);
  return changed > 0;
}

function* queueAgain(state: StateSql, executionId: string): Steps<void> {
  yield* state.run(
    "UPDATE statements SET status = 'QUEUED', started_at = NULL, version = version + 1 WHERE execution_id = ? AND status = 'IN_PROGRESS'",
    executionId,
  );
}

export function* cancelStatement(
  state: StateSql,
  id: string,
  { now, keptMs }: { readonly now: number; readonly keptMs: number },
): Steps<
  { readonly statement: Statement; readonly isChanged: boolean; readonly stopped?: string } | undefined
> {
  const row = yield* state.row('SELECT execution_id FROM statements WHERE id = ?', id);
  if (row === undefined) return undefined;
  const executionId = row['execution_id'] as string;
  const changed = yield* state.run(
    `UPDATE statements SET status = 'CANCELLED', finished_at = ?, expires_at = ?, version = version + 1 WHERE id = ? AND ${WAITING}`,
    now,
    now + keptMs,
    id,
  );
  const statement = yield* knownStatement(state, id);
  const isChanged = changed > 0;
  if (!isChanged) return { statement, isChanged };
  const other = yield* state.row(
    `SELECT 1 FROM statements WHERE execution_id = ? AND ${WAITING} LIMIT 1`,
    executionId,
  );
  if (other !== undefined) return { statement, isChanged };
  const stopped = yield* state.run(
    `UPDATE executions SET status = 'CANCELLED', finished_at = ?, expires_at = ? WHERE id = ? AND ${WAITING}`,
    now,
    now + keptMs,
    executionId,
  );
  return stopped === 0 ? { statement, isChanged } : { statement, isChanged, stopped: executionId };
}

interface BeatRequest {
  readonly running: readonly string[];
  readonly now: number;
  readonly keptMs: number;
  readonly refusedMs: number;
}

export function* beatWorker(
  state: StateSql,
  worker: string,
  request: BeatRequest,
): Steps<{ readonly taken: readonly Execution[]; readonly lost: readonly string[] }> {
  const { running, now } = request;
  yield* state.run(
    'INSERT INTO statement_workers VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at',
    worker,
    ownProcess(),
    now + LEASE_MS,
  );
  for (const row of yield* state.rows('SELECT * FROM statement_workers WHERE id <> ?', worker)) {
    // A clock that was set back must not make a dead worker live for longer than a lease lasts.
    const expiresAt = Math.min(row['expires_at'] as number, now + LEASE_MS);
    if (expiresAt <= now || isGone(row['process'] as string)) yield* leaveWorker(state, row['id'] as string);
  }
  const orphans = yield* state.rows(
    `SELECT * FROM executions WHERE ${WAITING} AND worker NOT IN (SELECT id FROM statement_workers) ORDER BY id`,
  );
  const taken: Execution[] = [];
  for (const row of orphans) taken.push(...(yield* takeOver(state, row, { worker, request })));
  const lost: string[] = [];
  for (const id of running) {
    const own = yield* state.row(
      // What it has put back to wait, and still calls running, is its own.
      "SELECT 1 FROM executions WHERE id = ? AND worker = ? AND status IN ('QUEUED', 'IN_PROGRESS')",
      id,
      worker,
    );
    if (own === undefined) lost.push(id);
  }
  return { taken, lost };
}

/** What only waited goes on waiting; what was being done is done again, unless its worker was lost over it twice. */
function* takeOver(
  state: StateSql,
  row: Row,
  { worker, request }: { readonly worker: string; readonly request: BeatRequest },
): Steps<readonly Execution[]> {
  const id = row['id'] as string;
  const wasRunning = row['status'] === 'IN_PROGRESS';
  const attempt = (row['attempt'] as number) + (wasRunning ? 1 : 0);
  if (attempt > ATTEMPTS_MAX) {
    const { now, keptMs, refusedMs } = request;
    yield* state.run(
      "UPDATE executions SET status = 'FAILED', finished_at = ?, expires_at = ? WHERE id = ?",
      now,
      now + keptMs,
      id,
    );
    yield* endStatements(state, id, {
      end: { kind: 'failed', error: LOST_TWICE, refuseUntil: now + refusedMs },
      now,
      keptMs,
    });
    return [];
  }
  yield* state.run(
    "UPDATE executions SET worker = ?, attempt = ?, status = 'QUEUED' WHERE id = ?",
    worker,
    attempt,
    id,
  );
  yield* queueAgain(state, id);
  return [
    {
      id,
      fingerprint: row['fingerprint'] as string,
      task: JSON.parse(row['task'] as string),
      tenant: row['tenant'] as string,
      principalId: row['principal_id'] as string,
      attempt,
      ...(row['started_at'] === null ? {} : { startedAt: row['started_at'] as number }),
    },
  ];
}

/** In the words of the catalog, which is not loaded in this thread; a test compares them. */
const LOST_TWICE: StatementError = {
  code: 'statement.worker-lost',
  message: 'The statement was given up: the process that worked on it was lost twice.',
  hint: 'submit it again; if it is lost once more, ask for less',
};

export function* leaveWorker(state: StateSql, worker: string): Steps<void> {
  yield* state.run('DELETE FROM statement_workers WHERE id = ?', worker);
}

/** The result of work goes; its statements say so. */
export function* dropResult(state: StateSql, executionId: string): Steps<void> {
  yield* state.run(
    "UPDATE executions SET lines = NULL, outcome = NULL, bytes = 0, status = 'EXPIRED' WHERE id = ?",
    executionId,
  );
}

export function* expireStatements(
  state: StateSql,
  { now, keptMs }: { readonly now: number; readonly keptMs: number },
): Steps<readonly string[]> {
  yield* state.run('DELETE FROM refused_fingerprints WHERE until <= ?', now);
  yield* state.run('DELETE FROM statements WHERE expires_at <= ?', now - keptMs);
  const gone = yield* state.rows(
    "SELECT id, outcome FROM executions WHERE expires_at <= ? AND status = 'SUCCESS'",
    now,
  );
  for (const { id } of gone) yield* dropResult(state, id as string);
  yield* state.run(
    'DELETE FROM executions WHERE expires_at <= ? AND NOT EXISTS (SELECT 1 FROM statements WHERE execution_id = executions.id)',
    now,
  );
  return gone.flatMap(({ outcome }) => (JSON.parse(outcome as string) as Outcome).name ?? []);
}

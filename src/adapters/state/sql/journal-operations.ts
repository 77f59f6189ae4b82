import type { LedgerSummary } from '../../../domain/engine.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { LeaseAnswer, TablesAnswer } from '../../../domain/lease.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { Intent, Run } from '../../../domain/run.ts';
import type { JournalReader, JournalStore, PlanRecord } from '../../../domain/state-store.ts';
import { appendEvents } from './event-operations.ts';
import { addLedgerRows, addRestatement, setFromLedger } from './interval-operations.ts';
import {
  environmentLease,
  extendLeases,
  grantLeases,
  leaseNamed,
  presentMark,
  releaseAllLeases,
  releaseLeases,
  tableLease,
} from './lease-operations.ts';
import { replaceRow } from './replace-row.ts';
import { StateProblem } from './state-problem.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { compress, decompress } from './stored-text.ts';

export function* startRun(
  state: StateSql,
  run: Run,
  { now, events }: Parameters<JournalStore['startRun']>[1],
): Steps<LeaseAnswer> {
  const answer = yield* grantLeases(state, {
    names: [environmentLease(run.environment)],
    holder: run.id,
    who: run.who,
    now,
  });
  if (answer.kind === 'granted') {
    yield* saveRun(state, run);
    yield* appendEvents(state, events);
  }
  return answer;
}

export function* startBackfill(
  state: StateSql,
  intent: Intent,
  { tables, who, now }: Parameters<JournalStore['startBackfill']>[1],
): Steps<TablesAnswer> {
  yield* refuseLostRun(state, intent.runId, intent.environment);
  const names = tables.map((table) => tableLease(tableKey(table)));
  const answer = yield* grantLeases(state, { names, holder: intent.runId, who, now });
  if (answer.kind === 'held') return answer;
  yield* state.run(
    replaceRow('intents', ['id'], ['run_id', 'environment', 'at', 'stage']),
    intent.id,
    intent.runId,
    intent.environment,
    intent.at,
    JSON.stringify(intent.stage),
  );
  return { ...answer, mark: yield* presentMark(state) };
}

export function* finishBackfill(
  state: StateSql,
  intentId: string,
  { rows, events, restated }: Parameters<JournalStore['finishBackfill']>[1],
): Steps<void> {
  // Recovery has written all of it.
  if (
    restated !== undefined &&
    (yield* state.row('SELECT 1 FROM intents WHERE id = ?', intentId)) === undefined
  )
    return;
  yield* addLedgerRows(state, rows);
  for (const below of restated?.tables ?? []) yield* addRestatement(state, restated?.by ?? '', below);
  yield* state.run('DELETE FROM intents WHERE id = ?', intentId);
  yield* appendEvents(state, events);
}

export function* dropIntent(state: StateSql, intentId: string, events: readonly NewEvent[]): Steps<void> {
  yield* state.run('DELETE FROM intents WHERE id = ?', intentId);
  yield* appendEvents(state, events);
}

export function* releaseTables(state: StateSql, runId: string, tables: readonly TableId[]): Steps<void> {
  yield* releaseLeases(
    state,
    runId,
    tables.map((table) => tableLease(tableKey(table))),
  );
}

/** False for a run that others have declared interrupted, whatever it still holds. */
export function* heartbeat(state: StateSql, runId: string, now: number): Steps<boolean> {
  const holdsAll = yield* extendLeases(state, runId, now);
  return (
    holdsAll && (yield* state.row('SELECT status FROM runs WHERE id = ?', runId))?.['status'] === 'running'
  );
}

export function* finishRun(state: StateSql, run: Run, events: readonly NewEvent[]): Steps<void> {
  const before = (yield* state.row('SELECT status FROM runs WHERE id = ?', run.id))?.['status'];
  // Others went on in the belief that it was dead; its own results are still worth keeping.
  const ended: Run = before === 'interrupted' ? { ...run, status: 'interrupted' } : run;
  yield* saveRun(state, ended);
  yield* endRun(state, ended);
  yield* appendEvents(state, events);
}

export function* reconcile(
  state: StateSql,
  summaries: readonly LedgerSummary[],
  { interruptedRuns, now }: { readonly interruptedRuns: readonly string[]; readonly now: number },
): Steps<void> {
  for (const summary of summaries) yield* setFromLedger(state, summary);
  for (const id of interruptedRuns) {
    const run = yield* readRun(state, id);
    if (run === undefined || run.status !== 'running') continue;
    const lease = yield* leaseNamed(state, environmentLease(run.environment));
    // It came back to life since the caller looked.
    if (lease !== undefined && lease.holder === id && lease.expiresAt > now) continue;
    const ended: Run = { ...run, status: 'interrupted', endedAt: now };
    yield* saveRun(state, ended);
    yield* endRun(state, ended);
    yield* appendEvents(state, yield* interruptedEvents(state, ended, now));
  }
}

function* interruptedEvents(state: StateSql, run: Run, at: number): Steps<readonly NewEvent[]> {
  const { models, ...reported } = run;
  const { id: runId, environment, planId, who } = run;
  const failed = {
    at,
    event: 'run.failed',
    environment,
    runId,
    data: { run: reported, models: models.length },
  };
  if (planId === undefined) return [failed];
  // It may have died behind its promotion: then the environment is what the plan says.
  const isPromoted = (yield* state.row('SELECT 1 FROM promotions WHERE plan_id = ?', planId)) !== undefined;
  const event = isPromoted ? 'plan.applied' : 'plan.failed';
  return [failed, { at, event, environment, runId, data: { planId, who } }];
}

/** Refuses work of a run that others have declared interrupted, or whose environment has passed to another. */
export function* refuseLostRun(state: StateSql, runId: string, environment: string): Steps<void> {
  const status = (yield* state.row('SELECT status FROM runs WHERE id = ?', runId))?.['status'];
  const lease = yield* leaseNamed(state, environmentLease(environment));
  const isPassedOn = lease !== undefined && lease.holder !== runId;
  if (!isPassedOn && (status === undefined || status === 'running')) return;
  const now = isPassedOn ? `it is held by ${lease.who} now` : `it is already ${status}`;
  throw new StateProblem('state.lease-lost', { run: runId, environment, detail: now });
}

export function* readIntents(state: StateSql): Steps<readonly Intent[]> {
  return (yield* state.rows('SELECT * FROM intents ORDER BY at, id')).map((row) => ({
    id: row['id'] as string,
    runId: row['run_id'] as string,
    environment: row['environment'] as string,
    stage: JSON.parse(row['stage'] as string) as Intent['stage'],
    at: row['at'] as number,
  }));
}

export function* readRun(state: StateSql, id: string): Steps<Run | undefined> {
  const row = yield* state.row('SELECT body FROM runs WHERE id = ?', id);
  return row === undefined ? undefined : (JSON.parse(decompress(row['body'])) as Run);
}

/** JSON of the list, newest first. */
export function* readRuns(
  state: StateSql,
  { environment, status, before, limit }: Parameters<JournalReader['runs']>[0],
): Steps<string> {
  const conditions: string[] = [];
  const parameters: string[] = [];
  if (environment !== undefined) {
    conditions.push('environment = ?');
    parameters.push(environment);
  }
  if (status !== undefined) {
    conditions.push('status = ?');
    parameters.push(status);
  }
  if (before !== undefined) {
    conditions.push('id < ?');
    parameters.push(before);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const sql = `SELECT body FROM runs ${where} ORDER BY started_at DESC, rowid DESC LIMIT ?`;
  return `[${(yield* state.rows(sql, ...parameters, limit))
    .map((row) => decompress(row['body']))
    .join(',')}]`;
}

export function* saveRun(state: StateSql, run: Run): Steps<void> {
  yield* state.run(
    `INSERT INTO runs (id, environment, status, plan_id, started_at, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body`,
    run.id,
    run.environment,
    run.status,
    run.planId ?? null,
    run.startedAt,
    compress(JSON.stringify(run)),
  );
}

function* endRun(state: StateSql, run: Run): Steps<void> {
  yield* state.run('DELETE FROM intents WHERE run_id = ?', run.id);
  yield* releaseAllLeases(state, run.id);
  if (run.planId !== undefined && run.status !== 'running') {
    yield* state.run('UPDATE plans SET status = ? WHERE id = ?', PLAN_STATUS[run.status], run.planId);
  }
}

/** What becomes of a plan when the run that applied it ends. */
const PLAN_STATUS: Readonly<Record<Exclude<Run['status'], 'running'>, PlanRecord['status']>> = {
  succeeded: 'applied',
  failed: 'failed',
  cancelled: 'interrupted',
  interrupted: 'interrupted',
};

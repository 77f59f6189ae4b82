import type { LedgerSummary } from '../../../domain/engine.ts';
import type { LeaseAnswer, TablesAnswer } from '../../../domain/lease.ts';
import { type TableId, tableKey } from '../../../domain/relation.ts';
import type { Intent, Run } from '../../../domain/run.ts';
import type { JournalReader, JournalStore, NewEvent, PlanRecord } from '../../../domain/state-store.ts';
import { compress, decompress, type StateDatabase } from './database.ts';
import { appendEvents } from './event-operations.ts';
import { addLedgerRows, setFromLedger } from './interval-operations.ts';
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
import { StateProblem } from './state-problem.ts';

export function startRun(
  database: StateDatabase,
  run: Run,
  { now, events }: Parameters<JournalStore['startRun']>[1],
): LeaseAnswer {
  const answer = grantLeases(database, {
    names: [environmentLease(run.environment)],
    holder: run.id,
    who: run.who,
    now,
  });
  if (answer.kind === 'granted') {
    saveRun(database, run);
    appendEvents(database, events);
  }
  return answer;
}

export function startBackfill(
  database: StateDatabase,
  intent: Intent,
  { tables, who, now }: Parameters<JournalStore['startBackfill']>[1],
): TablesAnswer {
  refuseLostRun(database, intent.runId, intent.environment);
  const names = tables.map((table) => tableLease(tableKey(table)));
  const answer = grantLeases(database, { names, holder: intent.runId, who, now });
  if (answer.kind === 'held') return answer;
  database.run(
    'INSERT OR REPLACE INTO intents (id, run_id, environment, at, stage) VALUES (?, ?, ?, ?, ?)',
    intent.id,
    intent.runId,
    intent.environment,
    intent.at,
    JSON.stringify(intent.stage),
  );
  return { ...answer, mark: presentMark(database) };
}

export function finishBackfill(
  database: StateDatabase,
  intentId: string,
  { rows, events }: Parameters<JournalStore['finishBackfill']>[1],
): void {
  addLedgerRows(database, rows);
  database.run('DELETE FROM intents WHERE id = ?', intentId);
  appendEvents(database, events);
}

export function dropIntent(database: StateDatabase, intentId: string, events: readonly NewEvent[]): void {
  database.run('DELETE FROM intents WHERE id = ?', intentId);
  appendEvents(database, events);
}

export function releaseTables(database: StateDatabase, runId: string, tables: readonly TableId[]): void {
  releaseLeases(
    database,
    runId,
    tables.map((table) => tableLease(tableKey(table))),
  );
}

/** A run that others have declared interrupted is told so, whatever it still holds. */
export function heartbeat(database: StateDatabase, runId: string, now: number): boolean {
  const holdsAll = extendLeases(database, runId, now);
  return holdsAll && database.get('SELECT status FROM runs WHERE id = ?', runId)?.['status'] === 'running';
}

export function finishRun(database: StateDatabase, run: Run, events: readonly NewEvent[]): void {
  const before = database.get('SELECT status FROM runs WHERE id = ?', run.id)?.['status'];
  // Others went on in the belief that it was dead; its own results are still worth keeping.
  const ended: Run = before === 'interrupted' ? { ...run, status: 'interrupted' } : run;
  saveRun(database, ended);
  endRun(database, ended);
  appendEvents(database, events);
}

export function reconcile(
  database: StateDatabase,
  summaries: readonly LedgerSummary[],
  { interruptedRuns, now }: { readonly interruptedRuns: readonly string[]; readonly now: number },
): void {
  for (const summary of summaries) setFromLedger(database, summary);
  for (const id of interruptedRuns) {
    const run = readRun(database, id);
    if (run === undefined || run.status !== 'running') continue;
    const lease = leaseNamed(database, environmentLease(run.environment));
    // It came back to life since the caller looked.
    if (lease !== undefined && lease.holder === id && lease.expiresAt > now) continue;
    const ended: Run = { ...run, status: 'interrupted', endedAt: now };
    saveRun(database, ended);
    endRun(database, ended);
    appendEvents(database, interruptedEvents(database, ended, now));
  }
}

function interruptedEvents(database: StateDatabase, run: Run, at: number): readonly NewEvent[] {
  const { models, ...told } = run;
  const { id: runId, environment, planId, who } = run;
  const failed = { at, event: 'run.failed', environment, runId, data: { run: told, models: models.length } };
  if (planId === undefined) return [failed];
  // It may have died behind its promotion: then the environment is what the plan says.
  const isPromoted = database.get('SELECT 1 FROM promotions WHERE plan_id = ?', planId) !== undefined;
  const event = isPromoted ? 'plan.applied' : 'plan.failed';
  return [failed, { at, event, environment, runId, data: { planId, who } }];
}

/** Refuses work of a run that others have declared interrupted, or whose environment has passed to another. */
export function refuseLostRun(database: StateDatabase, runId: string, environment: string): void {
  const status = database.get('SELECT status FROM runs WHERE id = ?', runId)?.['status'];
  const lease = leaseNamed(database, environmentLease(environment));
  const isPassedOn = lease !== undefined && lease.holder !== runId;
  if (!isPassedOn && (status === undefined || status === 'running')) return;
  const now = isPassedOn ? `it is held by ${lease.who} now` : `it is already ${status}`;
  throw new StateProblem('state.lease-lost', { run: runId, environment, detail: now });
}

export function readIntents(database: StateDatabase): readonly Intent[] {
  return database.all('SELECT * FROM intents ORDER BY at, id').map((row) => ({
    id: row['id'] as string,
    runId: row['run_id'] as string,
    environment: row['environment'] as string,
    stage: JSON.parse(row['stage'] as string) as Intent['stage'],
    at: row['at'] as number,
  }));
}

export function readRun(database: StateDatabase, id: string): Run | undefined {
  const row = database.get('SELECT body FROM runs WHERE id = ?', id);
  return row === undefined ? undefined : (JSON.parse(decompress(row['body'])) as Run);
}

/** JSON of the list, newest first. */
export function readRuns(
  database: StateDatabase,
  { environment, status, before, limit }: Parameters<JournalReader['runs']>[0],
): string {
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
  return `[${database
    .all(sql, ...parameters, limit)
    .map((row) => decompress(row['body']))
    .join(',')}]`;
}

export function saveRun(database: StateDatabase, run: Run): void {
  database.run(
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

function endRun(database: StateDatabase, run: Run): void {
  database.run('DELETE FROM intents WHERE run_id = ?', run.id);
  releaseAllLeases(database, run.id);
  if (run.planId !== undefined && run.status !== 'running') {
    database.run('UPDATE plans SET status = ? WHERE id = ?', PLAN_STATUS[run.status], run.planId);
  }
}

/** What becomes of a plan when the run that applied it ends. */
const PLAN_STATUS: Readonly<Record<Exclude<Run['status'], 'running'>, PlanRecord['status']>> = {
  succeeded: 'applied',
  failed: 'failed',
  cancelled: 'interrupted',
  interrupted: 'interrupted',
};

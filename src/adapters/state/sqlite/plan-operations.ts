import type { Run } from '../../../domain/run.ts';
import type { NewEvent, PlanRecord, SnapshotReader } from '../../../domain/state-store.ts';
import { compress, decompress, type StateDatabase } from './database.ts';
import { appendEvents } from './event-operations.ts';
import { addRestatement } from './interval-operations.ts';
import { refuseLostRun } from './journal-operations.ts';
import type { PackedContents } from './pack-content.ts';
import type { PackedPlan } from './pack-plan.ts';
import { readContents, saveContents, saveSnapshots } from './snapshot-operations.ts';
import { StateProblem } from './state-problem.ts';

/** A plan that is only planned may be saved again; one that was begun stays what it is. */
export function savePlan(
  database: StateDatabase,
  plan: PackedPlan,
  { who, events }: { readonly who: string; readonly events: readonly NewEvent[] },
): void {
  saveContents(database, plan.contents);
  savePlanRow(database, plan, who);
  appendEvents(database, events);
}

function savePlanRow(database: StateDatabase, plan: PackedPlan, who: string): void {
  database.run(
    `INSERT INTO plans (id, environment, created_at, who, status, changes, stages, base_promotion_id, fingerprints, body)
     VALUES (?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET changes = excluded.changes, stages = excluded.stages,
       fingerprints = excluded.fingerprints, body = excluded.body WHERE status = 'planned'`,
    plan.id,
    plan.environment,
    plan.createdAt,
    who,
    plan.changes,
    plan.stages,
    plan.basePromotionId ?? null,
    JSON.stringify(plan.snapshots.map(({ fingerprint }) => fingerprint)),
    compress(plan.body),
  );
}

export function beginPlan(
  database: StateDatabase,
  plan: PackedPlan,
  { run, events }: { readonly run: Run; readonly events: readonly NewEvent[] },
): void {
  refuseLostRun(database, run.id, plan.environment);
  refuseMoved(database, plan);
  const added = saveSnapshots(database, plan.snapshots, plan);
  saveContents(database, plan.contents, { replacing: added });
  savePlanRow(database, plan, run.who);
  for (const restatement of plan.restatements) addRestatement(database, plan.id, restatement);
  database.run("UPDATE plans SET status = 'applying' WHERE id = ?", plan.id);
  appendEvents(database, events);
}

function refuseMoved(database: StateDatabase, { environment, basePromotionId }: PackedPlan): void {
  const row = database.get(
    `SELECT environments.promotion_id, promotions.plan_id, promotions.at FROM environments
     JOIN promotions ON promotions.id = environments.promotion_id WHERE environments.name = ?`,
    environment,
  );
  if ((row?.['promotion_id'] ?? undefined) === basePromotionId) return;
  const detail =
    row === undefined
      ? 'it is gone'
      : `plan ${row['plan_id']} changed it at ${new Date(row['at'] as number).toISOString()}`;
  throw new StateProblem('environment.moved', { environment, detail });
}

/** A plan of a state that is built again: its environment is what it says already. */
export function adoptPlan(database: StateDatabase, plan: PackedPlan, who: string): void {
  saveContents(database, plan.contents);
  saveSnapshots(database, plan.snapshots, plan);
  savePlanRow(database, plan, who);
  database.run("UPDATE plans SET status = 'applied' WHERE id = ?", plan.id);
}

export function readPlan(
  database: StateDatabase,
  id: string,
): { readonly body: string; readonly contents: PackedContents } | undefined {
  const row = database.get('SELECT body, fingerprints FROM plans WHERE id = ?', id);
  if (row === undefined) return undefined;
  const fingerprints = JSON.parse(row['fingerprints'] as string) as string[];
  return { body: decompress(row['body']), contents: readContents(database, fingerprints) };
}

/** JSON of the plan without contents. */
export function readPlanOutline(database: StateDatabase, id: string): string | undefined {
  const row = database.get('SELECT body FROM plans WHERE id = ?', id);
  return row === undefined ? undefined : decompress(row['body']);
}

export function readPlans(
  database: StateDatabase,
  { id, environment, status, before, limit }: Parameters<SnapshotReader['plans']>[0],
): readonly PlanRecord[] {
  const wanted = Object.entries({ id, environment, status }).filter(([, value]) => value !== undefined);
  const conditions = [
    ...wanted.map(([name]) => `${name} = ?`),
    ...(before === undefined ? [] : ['plans.id < ?']),
  ];
  const where = conditions.join(' AND ') || 'TRUE';
  const rows = database.all(
    `SELECT id, environment, created_at, who, status, changes, stages, promoted_at FROM plans
     LEFT JOIN (SELECT plan_id, MAX(at) AS promoted_at FROM promotions GROUP BY plan_id) AS shown ON shown.plan_id = plans.id
     WHERE ${where} ORDER BY created_at DESC, plans.rowid DESC LIMIT ?`,
    ...wanted.map(([, value]) => value as string),
    ...(before === undefined ? [] : [before]),
    limit,
  );
  return rows.map((row) => ({
    id: row['id'] as string,
    environment: row['environment'] as string,
    createdAt: row['created_at'] as number,
    who: row['who'] as string,
    status: row['status'] as PlanRecord['status'],
    ...(row['promoted_at'] === null ? {} : { promotedAt: row['promoted_at'] as number }),
    changes: row['changes'] as number,
    stages: row['stages'] as number,
  }));
}

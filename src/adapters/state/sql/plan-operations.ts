import type { NewEvent } from '../../../domain/event.ts';
import type { Run } from '../../../domain/run.ts';
import type { PlanRecord, SnapshotReader } from '../../../domain/state-store.ts';
import { appendEvents } from './event-operations.ts';
import { addRestatement } from './interval-operations.ts';
import { refuseLostRun } from './journal-operations.ts';
import type { PackedContents } from './pack-content.ts';
import type { PackedPlan } from './pack-plan.ts';
import { readContents, saveContents, saveSnapshots } from './snapshot-operations.ts';
import { StateProblem } from './state-problem.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { compress, decompress } from './stored-text.ts';

/** A plan that is only planned may be saved again; one that was begun stays what it is. */
export function* savePlan(
  state: StateSql,
  plan: PackedPlan,
  { who, events }: { readonly who: string; readonly events: readonly NewEvent[] },
): Steps<void> {
  yield* saveContents(state, plan.contents);
  yield* savePlanRow(state, plan, who);
  yield* appendEvents(state, events);
}

function* savePlanRow(state: StateSql, plan: PackedPlan, who: string): Steps<void> {
  yield* state.run(
    `INSERT INTO plans (id, environment, created_at, who, status, changes, stages, base_promotion_id, fingerprints, body)
     VALUES (?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET changes = excluded.changes, stages = excluded.stages,
       fingerprints = excluded.fingerprints, body = excluded.body WHERE plans.status = 'planned'`,
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

export function* beginPlan(
  state: StateSql,
  plan: PackedPlan,
  { run, events }: { readonly run: Run; readonly events: readonly NewEvent[] },
): Steps<void> {
  yield* refuseLostRun(state, run.id, plan.environment);
  yield* refuseMoved(state, plan);
  const added = yield* saveSnapshots(state, plan.snapshots, plan);
  yield* saveContents(state, plan.contents, { replacing: added });
  yield* savePlanRow(state, plan, run.who);
  for (const restatement of plan.restatements) yield* addRestatement(state, plan.id, restatement);
  yield* state.run("UPDATE plans SET status = 'applying' WHERE id = ?", plan.id);
  yield* appendEvents(state, events);
}

function* refuseMoved(state: StateSql, { environment, basePromotionId }: PackedPlan): Steps<void> {
  const row = yield* state.row(
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
export function* adoptPlan(state: StateSql, plan: PackedPlan, who: string): Steps<void> {
  yield* saveContents(state, plan.contents);
  yield* saveSnapshots(state, plan.snapshots, plan);
  yield* savePlanRow(state, plan, who);
  yield* state.run("UPDATE plans SET status = 'applied' WHERE id = ?", plan.id);
}

export function* readPlan(
  state: StateSql,
  id: string,
): Steps<{ readonly body: string; readonly contents: PackedContents } | undefined> {
  const row = yield* state.row('SELECT body, fingerprints FROM plans WHERE id = ?', id);
  if (row === undefined) return undefined;
  const fingerprints = JSON.parse(row['fingerprints'] as string) as string[];
  return { body: decompress(row['body']), contents: yield* readContents(state, fingerprints) };
}

/** JSON of the plan without contents. */
export function* readPlanOutline(state: StateSql, id: string): Steps<string | undefined> {
  const row = yield* state.row('SELECT body FROM plans WHERE id = ?', id);
  return row === undefined ? undefined : decompress(row['body']);
}

export function* readPlans(
  state: StateSql,
  { id, environment, status, before, limit }: Parameters<SnapshotReader['plans']>[0],
): Steps<readonly PlanRecord[]> {
  const wanted = Object.entries({ id, environment, status }).filter(([, value]) => value !== undefined);
  const conditions = [
    ...wanted.map(([name]) => `${name} = ?`),
    ...(before === undefined ? [] : ['plans.id < ?']),
  ];
  const where = conditions.join(' AND ') || 'TRUE';
  const rows = yield* state.rows(
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

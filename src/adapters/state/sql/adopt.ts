import type { Environment } from '../../../domain/environment.ts';
import type { Adoption } from '../../../domain/state-store.ts';
import { addPromotion } from './environment-operations.ts';
import { appendEvents } from './event-operations.ts';
import type { PackedPlan } from './pack-plan.ts';
import { adoptPlan } from './plan-operations.ts';
import { StateProblem } from './state-problem.ts';
import type { StateSql, Steps } from './state-sql.ts';

/** An adoption as it crosses threads. */
export type PackedAdoption = Omit<Adoption, 'plans'> & {
  /** With what each environment shows from then on. */
  readonly plans: readonly { readonly plan: PackedPlan; readonly target?: Environment }[];
};

/** Whether nothing was ever applied. */
export function* isEmpty(state: StateSql): Steps<boolean> {
  for (const table of ['snapshots', 'promotions', 'intervals'])
    if ((yield* state.row(`SELECT 1 FROM ${table} LIMIT 1`)) !== undefined) return false;
  return true;
}

/** Builds a state that was lost from what is left of it. Users and tokens that were made since stay. */
export function* adopt(state: StateSql, adoption: PackedAdoption): Steps<void> {
  if (!(yield* isEmpty(state))) throw new StateProblem('state.not-empty', { file: state.place });
  const { warehouseId, plans, unproven, who, at, events } = adoption;
  yield* state.run("UPDATE meta SET value = ? WHERE key = 'warehouse-id'", warehouseId);
  for (const snapshot of unproven)
    yield* state.run(
      'INSERT INTO snapshots (fingerprint, model, head) VALUES (?, ?, ?)',
      snapshot.fingerprint,
      snapshot.model,
      JSON.stringify(snapshot),
    );
  for (const { plan, target } of plans) {
    yield* adoptPlan(state, plan, who);
    if (target !== undefined) yield* addPromotion(state, target, at);
  }
  yield* appendEvents(state, events);
}

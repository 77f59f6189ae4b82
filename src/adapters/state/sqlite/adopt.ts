import type { Environment } from '../../../domain/environment.ts';
import type { Adoption } from '../../../domain/state-store.ts';
import type { StateDatabase } from './database.ts';
import { addPromotion } from './environment-operations.ts';
import { appendEvents } from './event-operations.ts';
import type { PackedPlan } from './pack-plan.ts';
import { adoptPlan } from './plan-operations.ts';
import { StateProblem } from './state-problem.ts';

/** An adoption as it crosses threads. */
export type PackedAdoption = Omit<Adoption, 'plans'> & {
  /** With what each environment shows from then on. */
  readonly plans: readonly { readonly plan: PackedPlan; readonly target?: Environment }[];
};

/** Whether nothing was ever applied. */
export function isEmpty(database: StateDatabase): boolean {
  return ['snapshots', 'promotions', 'intervals'].every(
    (table) => database.get(`SELECT 1 FROM ${table} LIMIT 1`) === undefined,
  );
}

/** Builds a state that was lost from what is left of it. Users and tokens that were made since stay. */
export function adopt(database: StateDatabase, adoption: PackedAdoption): void {
  if (!isEmpty(database)) throw new StateProblem('state.not-empty', { file: database.file });
  const { warehouseId, plans, unproven, who, at, events } = adoption;
  database.run("UPDATE meta SET value = ? WHERE key = 'warehouse-id'", warehouseId);
  for (const snapshot of unproven)
    database.run(
      'INSERT INTO snapshots (fingerprint, model, head) VALUES (?, ?, ?)',
      snapshot.fingerprint,
      snapshot.model,
      JSON.stringify(snapshot),
    );
  for (const { plan, target } of plans) {
    adoptPlan(database, plan, who);
    if (target !== undefined) addPromotion(database, target, at);
  }
  appendEvents(database, events);
}

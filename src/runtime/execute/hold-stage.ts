/*
 * A stage knows which audits others demand of its tables, and which audited views lie over them, from when it was made.
 * A run that promotes a new demand holds the leases of the tables it concerns. So once the leases are ours, what is
 * demanded cannot grow any more, and it is looked at again if anything was promoted since:
 *
 *   leases, with the mark of all promotions ─┬─ the stage's own ──────────────────────────────▶ write
 *                                            └─ another ─▶ demands again ┬─ the same tables ──▶ write
 *                                                 ▲                      └─ more views: let go of all, take more
 *                                                 └───────────────────────────────────────────────┘
 */

import { withPresentDemands } from '../../compiler/plan/with-present-demands.ts';
import type { BackfillStage } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { holdTables } from './hold-tables.ts';
import type { DemandedStage, HeldTables } from './prepared-tables.ts';
import { migratedKeys, shownEnvironmentsAt } from './read-shown-environments.ts';
import type { RunContext } from './run-context.ts';

/** Takes the leases of everything the stage writes and audits, waiting for other runs, and brings its demands up to date. */
export async function holdStage(
  context: RunContext,
  requested: BackfillStage,
): Promise<DemandedStage & { readonly held: HeldTables }> {
  const { journal } = context.world.state;
  let known: DemandedStage = asPlanned(context, requested);
  for (;;) {
    const { stage } = known;
    const tables = tablesOf(stage);
    const unlock = await context.viewLocks.take(tables.map(tableKey));
    let isKept = false;
    try {
      const held = await holdTables(context, stage, tables);
      known = await withDemandsAt(context, known, held.mark);
      isKept = isCovered(known.stage, tables);
      if (isKept) return { ...known, held, unlock };
      await journal.dropIntent(held.intentId, []);
      await journal.releaseTables(context.execution.run.id, tables);
    } finally {
      if (!isKept) unlock();
    }
  }
}

/** The stage with the demands that were known when it was made. */
export function asPlanned({ contents }: RunContext, stage: BackfillStage): DemandedStage {
  return { stage, namesIn: (environment) => contents.namesIn(environment) };
}

/** The stage as it must be written under this mark. */
export async function withDemandsAt(
  context: RunContext,
  known: DemandedStage,
  mark: string,
): Promise<DemandedStage> {
  const { stage } = known;
  if (stage.mark === mark) return known;
  const { environments, begun, snapshots, namesIn } = await shownEnvironmentsAt(context, mark);
  const { entries, run } = context.execution;
  const fresh = withPresentDemands(stage, {
    environments: [...environments, ...begun],
    snapshots,
    entries,
    environment: run.environment,
    migrated: migratedKeys(context),
  });
  return { stage: { ...fresh, mark }, namesIn };
}

/** Whether these tables are all that a stage needs. */
export function isCovered(stage: BackfillStage, tables: readonly TableId[]): boolean {
  const keys = new Set(tables.map(tableKey));
  return tablesOf(stage).every((table) => keys.has(tableKey(table)));
}

/** Every table that a backfill needs the lease of: those it writes, and the views it audits, so that no other process changes what they show. */
export function tablesOf(stage: BackfillStage): readonly TableId[] {
  return uniqueTables([...stage.members, ...stage.auditedViews].map(({ table }) => table));
}

/** Each table once. */
export function uniqueTables(tables: readonly TableId[]): readonly TableId[] {
  return [...new Map(tables.map((table) => [tableKey(table), table])).values()];
}

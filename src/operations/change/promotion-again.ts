import type { RunInput, RunOutcome } from '../../compiler/plan/make-run.ts';
import { type PromoteWork, promotionBetween } from '../../compiler/plan/plan-promotion.ts';
import { type Environment, type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { outOfStep, type PromotionDrift } from '../../runtime/execute/promotion-drift.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/**
 * A warehouse that is older than the state shows again what the state says once this run has filled it. Refused when the state is the
 * older of the two, or when a table would still be missing.
 */
export async function promotionAgain(
  { state }: OpenedWorldReader,
  {
    environment,
    drift,
    due,
    input,
    selection,
  }: {
    readonly environment: Environment;
    readonly drift: PromotionDrift | undefined;
    readonly due: RunOutcome;
    readonly input: Omit<RunInput, 'ready'>;
    readonly selection?: string;
  },
): Promise<PromoteWork | undefined> {
  if (drift === undefined) return undefined;
  const filled = new Set(due.missing.map(({ model }) => model));
  const shown = environment.entries.filter((entry) => tableOf(entry) !== undefined);
  const isThere = (entry: EnvironmentEntry): boolean => {
    const table = tableOf(entry);
    return table === undefined || filled.has(entry.model) || input.intervals.has(tableKey(table));
  };
  if (drift.older === 'state' || selection !== undefined || !shown.every(isThere)) throw outOfStep(drift);
  const contents = await state.snapshots.contents(shown.map(({ fingerprint }) => fingerprint));
  return promotionBetween(environment, environment, {
    withStatements: shown
      .filter(({ fingerprint }) => contents.get(fingerprint)?.model.virtualUpdateHash !== undefined)
      .map(({ model }) => model),
    lost: new Set(shown.map(({ model }) => model)),
    shown: drift.shown,
  });
}

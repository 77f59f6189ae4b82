import type { PlanOptions } from '../../domain/plan.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import { type SelectableModel, selectModels } from './select-models.ts';

/** Models that a plan may fill: none with `--skip-backfill`, those of `--backfill-model` with all they read; undefined: all. */
export function chosenFills(
  { skipBackfill, backfillModels = [] }: Pick<PlanOptions, 'skipBackfill' | 'backfillModels'>,
  models: readonly SelectableModel[],
): { readonly chosen: ReadonlySet<string> | undefined; readonly diagnostics: readonly Diagnostic[] } {
  if (skipBackfill) return { chosen: new Set(), diagnostics: [] };
  if (backfillModels.length === 0) return { chosen: undefined, diagnostics: [] };
  const found = backfillModels.map((expression) => selectModels(expression, { models }));
  const names = found.flatMap((each) => [...each.names]);
  const parents = new Map(models.map((model) => [model.name, model.parents]));
  return {
    chosen: new Set([...names, ...reachable(names, (model) => parents.get(model) ?? [])]),
    diagnostics: found.flatMap((each) => each.diagnostics),
  };
}

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { tableKey } from '../../domain/relation.ts';
import { type Diagnostic, hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../foundation/time/ranges.ts';
import { type DecidedModels, selectableModels } from './decide-models.ts';
import { heldTables } from './held-tables.ts';
import { leftBehind } from './left-behind.ts';
import { planFills } from './plan-fills.ts';
import type { PlanInput } from './plan-input.ts';
import { type PlannedRestatements, planRestatements } from './plan-restatements.ts';
import { effectiveFroms } from './target-entries.ts';
import { withPending } from './with-pending.ts';

/** What is filled for the environment, and what was. */
export interface FilledModels {
  readonly restatement: PlannedRestatements;
  readonly filled: ReadonlyMap<string, RangeSet>;
  readonly restated: ReadonlyMap<string, RangeSet>;
  readonly missing: ReadonlyMap<string, RangeSet>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Restatements, and the intervals that are missing once they are pending. */
export function fillModels(decided: DecidedModels): FilledModels {
  const { input, bounds, effectiveFrom, world, decisions, known, built, chosen } = decided;
  const { options, prepared } = input;
  const isProd = prepared.environment === 'prod';
  const shown = { name: prepared.environment, entries: built.map(({ entry }) => entry) };
  // Rows that are left out on purpose are left out of own tables only.
  const isShared = options.isShared && !options.emptyBackfill;
  const held = heldTables(shown, input.environments, known, { isShared });
  const behind = leftBehind(shown.entries, known);
  const restatement = planRestatements({
    environment: prepared.environment,
    models: built,
    selectable: selectableModels(built, world),
    filled: withPending(input),
    options,
    bounds,
    effective: isProd ? effectiveFroms(decisions, { prod: world.prod, known, effectiveFrom }) : new Map(),
    environments: [...input.environments.filter(({ name }) => name !== shown.name), shown],
    snapshots: known,
    held,
    leftBehind: behind,
  });
  const diagnostics = [...leftBehindDiagnostics(input, behind), ...restatement.diagnostics];
  const { filled, restated } = afterRestating(input, restatement.ranges);
  // What is wrong already may be what makes the question meaningless.
  if (hasErrors([...decided.diagnostics, ...diagnostics]))
    return { restatement, filled, restated, missing: new Map(), diagnostics };
  const { missing, diagnostics: ofFills } = planFills(input, {
    ...world,
    all: built,
    filled,
    restated,
    held,
    leftBehind: behind,
    known,
    bounds,
    effectiveFrom,
    chosen,
  });
  return { restatement, filled, restated, missing, diagnostics: [...diagnostics, ...ofFills] };
}

/** Readers that a selection leaves to a later plan; those that are not shown as the project has them are reported. */
function leftBehindDiagnostics(
  { prepared: { environment, unbuilt } }: PlanInput,
  behind: ReadonlyMap<string, readonly string[]>,
): readonly Diagnostic[] {
  return [...behind].flatMap(([model, parents]) =>
    unbuilt.has(model)
      ? []
      : [diagnostic('plan.left-behind', { model, parents: parents.join(', '), environment })],
  );
}

/** What counts as filled once the plan's own restatements are pending, and everything that is. */
function afterRestating(
  { intervals, pending }: PlanInput,
  ranges: ReadonlyMap<string, RangeSet>,
): { readonly filled: ReadonlyMap<string, RangeSet>; readonly restated: ReadonlyMap<string, RangeSet> } {
  const filled = new Map(intervals);
  const restated = new Map(ranges);
  for (const [key, again] of ranges) filled.set(key, subtractRanges(filled.get(key) ?? [], again));
  for (const { table, ranges: waiting } of pending) {
    const key = tableKey(table);
    restated.set(key, unionRanges(restated.get(key) ?? [], subtractRanges(waiting, filled.get(key) ?? [])));
  }
  return { filled, restated };
}

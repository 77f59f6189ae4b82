import type { Environment } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten } from '../../domain/snapshot.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import type { ModelDiff } from './prepare-plan.ts';
import type { BuiltModel } from './stage-input.ts';

/**
 * With `--skip-backfill` or `--backfill-model` only what exists or is filled now can be shown. Another model whose table was never built, or a view whose new text reads
 * one, stays as the environment has it, or is left out where it has none; the next plan finds it changed still. With why.
 */
export function unbuiltModels(
  models: readonly BuiltModel[],
  context: {
    readonly diffs: readonly ModelDiff[];
    readonly environments: readonly Environment[];
    readonly filled: ReadonlyMap<string, RangeSet>;
    /** Models that the plan fills. */
    readonly chosen: ReadonlySet<string>;
  },
): ReadonlyMap<string, string> {
  const { diffs, environments, filled, chosen } = context;
  const shown = new Set(
    environments.flatMap(({ entries }) =>
      entries.flatMap(({ model, version }) => (version === undefined ? [] : tableKey({ model, version }))),
    ),
  );
  const isOwnText = new Set(
    diffs.flatMap(({ draft, change }) => (change === 'direct' || change === 'added' ? draft.model : [])),
  );
  const unbuilt = new Map<string, string>();
  for (const { entry, snapshot } of models) {
    const { model, version } = entry;
    const key = version === undefined ? undefined : tableKey({ model, version });
    if (key !== undefined && (shown.has(key) || (filled.get(key)?.length ?? 0) > 0)) continue;
    if (isWritten(snapshot.kind)) {
      if (chosen.has(model)) continue;
      unbuilt.set(model, 'its table is not built yet');
      continue;
    }
    const parent = snapshot.parents.find((name) => unbuilt.has(name));
    if (parent !== undefined && isOwnText.has(model))
      unbuilt.set(model, `it reads ${parent}, which is not built yet`);
  }
  return unbuilt;
}

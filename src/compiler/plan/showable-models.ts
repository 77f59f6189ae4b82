import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import type { BuiltModel } from './build-stages.ts';

/**
 * With `--skip-backfill` only what exists can be shown. A model whose table was never built, or a view over one, stays
 * as the environment has it, or is left out where the environment has none; the next plan finds it changed still.
 */
export function showableModels(
  models: readonly BuiltModel[],
  around: {
    readonly isNeeded: boolean;
    readonly environment: string;
    readonly environments: readonly Environment[];
    readonly present: ReadonlyMap<string, EnvironmentEntry>;
    readonly filled: ReadonlyMap<string, RangeSet>;
    readonly known: ReadonlyMap<string, Snapshot>;
  },
): { readonly models: readonly BuiltModel[]; readonly diagnostics: readonly Diagnostic[] } {
  if (!around.isNeeded) return { models, diagnostics: [] };
  const { environment, environments, present, filled, known } = around;
  const shown = new Set(
    environments.flatMap(({ entries }) =>
      entries.flatMap(({ model, version }) => (version === undefined ? [] : tableKey({ model, version }))),
    ),
  );
  const held = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const kept = models.flatMap((built): readonly BuiltModel[] => {
    const { entry, snapshot } = built;
    const { model } = entry;
    const key = entry.version === undefined ? undefined : tableKey({ model, version: entry.version });
    const exists = key === undefined || shown.has(key) || (filled.get(key)?.length ?? 0) > 0;
    const missingParent = snapshot.parents.find((parent) => held.has(parent));
    const isReady = isWritten(snapshot.kind) ? exists : exists || missingParent === undefined;
    // An EMBEDDED model over something that is not there makes what it is inlined into unready.
    if (key === undefined && missingParent !== undefined) held.add(model);
    if (isReady) return [built];
    held.add(model);
    const reason = isWritten(snapshot.kind)
      ? 'its table is not built yet'
      : `it reads ${missingParent}, which is not built yet`;
    diagnostics.push(diagnostic('plan.not-shown', { model, environment, reason }));
    const before = present.get(model);
    const previous = before && known.get(before.fingerprint);
    return before === undefined || previous === undefined ? [] : [{ entry: before, snapshot: previous }];
  });
  return { models: kept, diagnostics };
}

import type { RollupTable, RollupTables } from '../../compiler/semantic/rollups/choose-rollup.ts';
import { type RollupShape, rollupShapes } from '../../compiler/semantic/rollups/rollup-shape.ts';
import { rollupSources } from '../../compiler/semantic/rollups/rollup-sources.ts';
import type { SemanticIndex } from '../../compiler/semantic/semantic-index.ts';
import type { Environment } from '../../domain/environment.ts';
import { viewRelation } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** The rollups over these models that an environment shows; whether they are up to date is asked by the query that uses them. */
export async function rollupTables(
  { engine, state, naming }: OpenedWorldReader,
  environment: Environment,
  { index, reads }: { readonly index: SemanticIndex; readonly reads: readonly string[] },
): Promise<RollupTables> {
  const entries = new Map(environment.entries.map((entry) => [entry.model, entry]));
  const shapes = [...rollupShapes(index)].filter((each): each is [string, RollupShape] => {
    const [, shape] = each;
    return !('reason' in shape) && reads.includes(shape.fact.model) && entries.has(shape.model);
  });
  if (shapes.length === 0) return new Map();
  const known = new Map<string, SnapshotContent>();
  const contentOf = async (names: readonly string[]): Promise<void> => {
    const wanted = names.flatMap((name) => entries.get(name)?.fingerprint ?? []);
    const missing = [...new Set(wanted)].filter((fingerprint) => !known.has(fingerprint));
    if (missing.length === 0) return;
    for (const [fingerprint, content] of await state.snapshots.contents(missing))
      known.set(fingerprint, content);
  };
  await contentOf(shapes.flatMap(([, shape]) => shape.reads));
  const tables = new Map<string, RollupTable>();
  for (const [name, shape] of shapes) {
    // As applied: what is in the folder may be another thing by now.
    const sources = await rollupSources(shape.reads, async (model) => {
      await contentOf([model]);
      return known.get(entries.get(model)?.fingerprint ?? '')?.model;
    });
    if (sources.kind === 'unknown') continue;
    const below = sources.models.map((model) => ({ model, version: entries.get(model)?.version ?? '' }));
    tables.set(name, {
      relation: viewRelation(shape.model, naming(environment.name)),
      versionSql: await engine.dataVersionSql(below),
    });
  }
  return tables;
}

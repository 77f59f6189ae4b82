import { definitionHashes, hashesOfSemantics, isSemanticKey } from '../compiler/plan/definition-hashes.ts';
import { hasSameSemantics } from '../compiler/plan/plan-changes.ts';
import type { Environment } from '../domain/environment.ts';
import { Failure } from '../domain/failure.ts';
import type { AppliedSemantics } from '../domain/plan.ts';
import type { Project } from '../domain/project.ts';
import type { WorldReader } from '../runtime/world.ts';

/** What an environment was applied with, where the project has something else; undefined where there is nothing to compare. */
export async function semanticsToCompare(
  world: WorldReader,
  project: Project,
  base: Environment | undefined,
): Promise<AppliedSemantics | undefined> {
  if (base === undefined || hasSameSemantics(base.definitions, definitionHashes(project))) return undefined;
  return semanticsOf(world, base);
}

/** Semantic models and metrics of an environment as they were applied; undefined for environments older than this record. */
export async function semanticsOf(
  { state }: Pick<WorldReader, 'state'>,
  environment: Pick<Environment, 'semantics'>,
): Promise<AppliedSemantics | undefined> {
  if (environment.semantics === undefined) return undefined;
  return (await state.snapshots.plan(environment.semantics))?.semantics;
}

/**
 * The same for those who ask: `unreadable` when the environment has semantics and their record is missing, cut short or changed.
 * What its policies say is unknown then, so they must not count as none.
 */
export async function readableSemantics(
  world: Pick<WorldReader, 'state'>,
  environment: Environment,
): Promise<AppliedSemantics | 'unreadable'> {
  const { definitions } = environment;
  if (environment.semantics === undefined)
    return Object.keys(definitions).some(isSemanticKey) ? 'unreadable' : { semanticModels: [], metrics: [] };
  try {
    const found = await semanticsOf(world, environment);
    if (found === undefined) return 'unreadable';
    return hasSameSemantics(definitions, hashesOfSemantics(found)) ? found : 'unreadable';
  } catch (error) {
    // What may be there in a moment is asked for again; what cannot be unpacked stays so.
    if (error instanceof Failure && error.isRetryable) throw error;
    return 'unreadable';
  }
}

/** All that questions to an environment are compiled from, without the project's files: semantics, and the models below them. */
export async function appliedSemantics(
  world: WorldReader,
  environment: Environment,
): Promise<Pick<Project, 'semanticModels' | 'metrics' | 'models'> | 'unreadable'> {
  const semantics = await readableSemantics(world, environment);
  if (semantics === 'unreadable') return semantics;
  const wanted = new Set(semantics.semanticModels.map(({ model }) => model.value.toLowerCase()));
  const fingerprints = environment.entries
    .filter(({ model }) => wanted.has(model.toLowerCase()))
    .map(({ fingerprint }) => fingerprint);
  const contents = await world.state.snapshots.contents(fingerprints);
  return { ...semantics, models: [...contents.values()].map(({ model }) => model) };
}

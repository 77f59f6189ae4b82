import { selectModels } from '../../compiler/plan/select-models.ts';
import type { Environment } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** The models an expression means among those of an environment. */
export async function selectedModels(
  { state }: OpenedWorldReader,
  { entries }: Environment,
  expression: string,
  { withUpstream }: { readonly withUpstream: boolean } = { withUpstream: false },
): Promise<ReadonlySet<string>> {
  const contents = await state.snapshots.contents(entries.map(({ fingerprint }) => fingerprint));
  const models = entries.flatMap(({ fingerprint }) => {
    const model = contents.get(fingerprint)?.model;
    return model === undefined
      ? []
      : [{ name: model.name, tags: model.tags, file: model.file, parents: model.dependencies }];
  });
  const { names, diagnostics } = selectModels(expression, { models });
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  if (hasErrors(diagnostics) && first !== undefined) throw new Failure(first);
  if (!withUpstream) return names;
  const parents = new Map(models.map((model) => [model.name, model.parents]));
  return new Set([...names, ...reachable([...names], (model) => parents.get(model) ?? [])]);
}

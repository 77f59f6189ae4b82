import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { IndexedModel } from './indexed-model.ts';
import { type NamedModel, pathTo } from './name-paths.ts';
import type { QuestionContext } from './question-context.ts';

/** The semantic model whose rows a query without measures walks: the one that reaches all that are named to-one, best one of these themselves. */
export function baseModelOf(
  context: QuestionContext,
  named: readonly NamedModel[],
): IndexedModel | undefined {
  const { index, report } = context;
  const reachesAll = (candidate: IndexedModel): boolean =>
    named.every((each) => {
      const path = pathTo(index, candidate, each, context);
      return !('code' in path) && path.every(({ isToOne }) => isToOne);
    });
  const own = unique(named.map(({ model }) => model));
  const [first] = own.filter(reachesAll);
  if (first !== undefined) return first;
  const between = new Set<string>();
  for (const { roles } of named) for (const { owner } of roles) between.add(owner);
  for (const a of own)
    for (const b of own)
      for (const name of index.between(a.name.toLowerCase(), b.name.toLowerCase())) between.add(name);
  const found = [...between].flatMap((name) => index.models.get(name) ?? []).filter(reachesAll);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  report(diagnostic('semantic.no-base', { models: own.map(({ name }) => name).join(', ') }));
  return undefined;
}

function unique(models: readonly IndexedModel[]): readonly IndexedModel[] {
  return [...new Set(models)];
}

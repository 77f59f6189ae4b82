import type { VisibleJoin } from '../../../domain/visible-semantics.ts';
import { edgeKey } from '../../load/yaml/join-graph.ts';
import type { IndexedModel, Path } from '../indexed-model.ts';
import { namedModel, pathTo } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';

/** Bounds of what is shown, not of what can be asked: farther words are still words. */
const CROSSINGS_MAX = 4;
const TRIED_MAX = 6_000;
const TRIED_MIN = 30;

interface Found {
  readonly join: VisibleJoin & { readonly joins: VisibleJoin[] };
  readonly path: Path;
}

/** Trees of joins by name of the semantic model they begin at, over these models only. A word is where it means just the way that leads there, so each is at most once in a tree. */
export function visibleJoins(
  index: SemanticIndex,
  models: readonly IndexedModel[],
): ReadonlyMap<string, readonly VisibleJoin[]> {
  const seen = new Set(models.map(({ name }) => name.toLowerCase()));
  const triedMax = Math.max(TRIED_MIN, Math.floor(TRIED_MAX / Math.max(1, models.length)));
  return new Map(models.map((model) => [model.name, joinsFrom(index, model, { seen, triedMax })]));
}

function joinsFrom(
  index: SemanticIndex,
  root: IndexedModel,
  { seen, triedMax }: { readonly seen: ReadonlySet<string>; readonly triedMax: number },
): readonly VisibleJoin[] {
  const top: VisibleJoin[] = [];
  const words = new Set<string>();
  let tried = 0;
  // The nearest first, so that bounds cut what is far.
  const open: { readonly path: Path; readonly joins: VisibleJoin[] }[] = [{ path: [], joins: top }];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const { word, path } of waysOn(index, root, at.path)) {
      if (tried++ >= triedMax) return top;
      if (words.has(word.toLowerCase()) || !path.every(({ to }) => seen.has(to))) continue;
      const found = meant(index, root, { word, path });
      if (found === undefined) continue;
      words.add(word.toLowerCase());
      at.joins.push(found.join);
      if (path.length < CROSSINGS_MAX) open.push({ path, joins: found.join.joins });
    }
  }
  return top;
}

/** Where one can go on to from the end of a path without coming by a model twice. */
function waysOn(
  index: SemanticIndex,
  root: IndexedModel,
  path: Path,
): readonly { readonly word: string; readonly path: Path }[] {
  const rootKey = root.name.toLowerCase();
  const end = path.at(-1)?.to ?? rootKey;
  const visited = new Set([rootKey, ...path.map(({ to }) => to)]);
  const edges = (index.models.get(end)?.edges ?? []).map((edge) => ({
    word: edge.isReversed ? (index.models.get(edge.to)?.name ?? edge.to) : edge.role,
    way: [edge],
  }));
  const bridged = [...index.roles.values()]
    .flat()
    .filter(({ owner }) => owner === end)
    .flatMap(({ name, endings }) =>
      endings.filter(({ length }) => length > 1).map((way) => ({ word: name, way })),
    );
  return [...edges, ...bridged]
    .filter(({ way }) => way.every(({ to }) => !visited.has(to)))
    .map(({ word, way }) => ({ word, path: [...path, ...way] }));
}

/** Only when the compiler, asked about the root, would go the same way for this word. */
function meant(
  index: SemanticIndex,
  root: IndexedModel,
  { word, path }: { readonly word: string; readonly path: Path },
): Found | undefined {
  const named = namedModel(index, word);
  if (named === undefined || named.model.name.toLowerCase() !== path.at(-1)?.to) return undefined;
  if (index.metrics.has(word.toLowerCase()) && named.isRole) return undefined;
  const found = pathTo(index, root, named);
  if ('code' in found || wordsOf(found) !== wordsOf(path)) return undefined;
  const isToOne = path.every((edge) => edge.isToOne);
  return { join: { word, model: named.model.name, isToOne, joins: [] }, path };
}

const wordsOf = (path: Path): string => path.map(edgeKey).join(' ');

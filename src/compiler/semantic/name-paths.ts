import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Role } from '../load/yaml/join-graph.ts';
import { type PathGoal, pathWords } from '../load/yaml/join-paths.ts';
import type { IndexedModel, Path } from './indexed-model.ts';
import type { SemanticIndex } from './semantic-index.ts';

/** A semantic model as a query names it: by itself or by the role of a join. */
export interface NamedModel {
  readonly word: string;
  readonly model: IndexedModel;
  /** Joins of that name which lead to the model. */
  readonly roles: readonly Role[];
  /** The word is not a model, so only paths that end with such a join are meant. */
  readonly isRole: boolean;
}

/** What a question says about the paths to what it names. */
export interface PathChoice {
  /** Lists of stops on a path. */
  readonly hints: readonly (readonly string[])[];
  /** The path over joins that conditions of SQL have chosen; undefined where they do not lead there. */
  readonly chosen?: (fact: IndexedModel, named: NamedModel) => Path | undefined;
}

const ANY_PATH: PathChoice = { hints: [] };

const knownOf = new WeakMap<SemanticIndex, Map<string, Omit<NamedModel, 'word'>>>();

/** What the first part of a member means; undefined when there is no such model or role. */
export function namedModel(index: SemanticIndex, word: string): NamedModel | undefined {
  const key = word.toLowerCase();
  let names = knownOf.get(index);
  if (names === undefined) {
    names = new Map();
    knownOf.set(index, names);
  }
  let found = names.get(key);
  if (found === undefined) {
    found = readName(index, key);
    if (found === undefined) return undefined;
    names.set(key, found);
  }
  return { word, model: found.model, roles: found.roles, isRole: found.isRole };
}

function readName(index: SemanticIndex, key: string): Omit<NamedModel, 'word'> | undefined {
  const goal = index.joinPaths.goal(key);
  const model = goal && index.models.get(goal.model);
  return goal && model && { model, roles: goal.roles, isRole: goal.isRole };
}

/** The one path from a fact to what is named. */
export function pathTo(
  index: SemanticIndex,
  fact: IndexedModel,
  named: NamedModel,
  { hints, chosen }: PathChoice = ANY_PATH,
): Path | Diagnostic {
  const joined = chosen?.(fact, named);
  if (joined !== undefined) return joined;
  const { joinPaths } = index;
  const from = fact.name.toLowerCase();
  const goal: PathGoal = {
    word: named.word.toLowerCase(),
    model: named.model.name.toLowerCase(),
    roles: named.roles,
    isRole: named.isRole,
  };
  const found = hints.length === 0 ? joinPaths.plain(from, goal) : joinPaths.hinted(from, goal, hints);
  if (found.kind === 'one') return found.path;
  if (found.kind === 'none') return diagnostic('semantic.no-path', { from: fact.name, to: named.word });
  const nameOf = (model: string): string => index.models.get(model)?.name ?? model;
  const [path = []] = found.paths;
  const example = [...path.map(({ to }) => nameOf(to)).slice(0, -1), named.word];
  return diagnostic(
    'semantic.ambiguous-path',
    {
      from: nameOf(found.from),
      to: found.to === goal.word ? named.word : nameOf(found.to),
      paths: pathWords(found.paths, nameOf),
    },
    {
      hint: `name the role of a join in place of the model, or say the way: joinHints [${JSON.stringify(example)}]`,
    },
  );
}

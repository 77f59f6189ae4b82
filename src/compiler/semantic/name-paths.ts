/*
 * Which way a name means, seen from a fact: the paths to the model or role, less those that a role or the join hints rule out.
 * Exactly one must be left.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { IndexedModel, Path } from './indexed-model.ts';
import type { Role, SemanticIndex } from './semantic-index.ts';

/** A semantic model as a query names it: by itself or by the role of a join. */
export interface NamedModel {
  readonly word: string;
  readonly model: IndexedModel;
  /** Joins of that name which lead to the model. */
  readonly roles: readonly Role[];
  /** The word is no model, so only paths that end with such a join are meant. */
  readonly isRole: boolean;
}

/** What names and ways of an index have been found to mean; at most one entry for each model, role and pair of them. */
interface Known {
  readonly names: Map<string, Omit<NamedModel, 'word'>>;
  /** By fact and name, without hints. */
  readonly paths: Map<string, Path>;
}

const knownOf = new WeakMap<SemanticIndex, Known>();

function known(index: SemanticIndex): Known {
  let found = knownOf.get(index);
  if (found === undefined) {
    found = { names: new Map(), paths: new Map() };
    knownOf.set(index, found);
  }
  return found;
}

/** What the first part of a member means; undefined when there is no such model or role. */
export function namedModel(index: SemanticIndex, word: string): NamedModel | undefined {
  const key = word.toLowerCase();
  const { names } = known(index);
  let found = names.get(key);
  if (found === undefined) {
    found = readName(index, key);
    if (found === undefined) return undefined;
    names.set(key, found);
  }
  return { word, model: found.model, roles: found.roles, isRole: found.isRole };
}

function readName(index: SemanticIndex, key: string): Omit<NamedModel, 'word'> | undefined {
  const own = index.models.get(key);
  const roles = index.roles.get(key) ?? [];
  if (own !== undefined) return { model: own, roles: roles.filter(({ to }) => to === key), isRole: false };
  const model = index.models.get(roles[0]?.to ?? '');
  if (model === undefined) return undefined;
  const to = model.name.toLowerCase();
  return { model, roles: roles.filter((role) => role.to === to), isRole: true };
}

/** The one path from a fact to what is named; without hints it is looked for once. */
export function pathTo(
  index: SemanticIndex,
  fact: IndexedModel,
  named: NamedModel,
  hints: readonly (readonly string[])[],
): Path | Diagnostic {
  if (hints.length > 0) return findPath(index, fact, named, hints);
  const { paths } = known(index);
  const key = `${fact.name}\n${named.word.toLowerCase()}`;
  const before = paths.get(key);
  if (before !== undefined) return before;
  const path = findPath(index, fact, named, hints);
  if (!('code' in path)) paths.set(key, path);
  return path;
}

function findPath(
  index: SemanticIndex,
  fact: IndexedModel,
  named: NamedModel,
  hints: readonly (readonly string[])[],
): Path | Diagnostic {
  const from = fact.name.toLowerCase();
  const to = named.model.name.toLowerCase();
  // The commonest answer is found without looking at all the others, of which there may be very many.
  const near = hints.length > 0 ? undefined : index.toOnePaths(from, to);
  const toOnes = near?.paths ?? [];
  const plain = named.roles.length === 0 ? toOnes : toOnes.filter((path) => endsWithRole(path, named.roles));
  const { paths: all, isComplete } = plain.length > 0 && near !== undefined ? near : index.paths(from, to);
  let paths = plain.length > 0 ? plain : all;
  if (named.isRole) paths = paths.filter((path) => endsWithRole(path, named.roles));
  if (paths.length > 1)
    for (const hint of hints) {
      const left = paths.filter((path) => visits(from, path, hint));
      if (left.length > 0) paths = left;
    }
  // Hints say what is meant, the name of a join only suggests it.
  if (paths.length > 1 && !named.isRole) {
    const direct = paths.filter((path) => endsWithRole(path, named.roles));
    if (direct.length > 0) paths = direct;
  }
  // Two facts that share two dimensions lead to either of them over the other, which nobody means.
  if (paths.length > 1) {
    const toOne = paths.filter((each) => each.every(({ isToOne }) => isToOne));
    if (toOne.length > 0) paths = toOne;
  }
  const [path] = paths;
  // What was not looked at may be another way, except where each that can be meant begins here and is seen at once.
  const isSeen =
    isComplete ||
    (hints.length === 0 &&
      path?.length === 1 &&
      endsWithRole(path, named.roles) &&
      named.roles.every(({ owner }) => owner === from));
  if (paths.length < 2 && !isSeen)
    return diagnostic('semantic.too-many-paths', { from: fact.name, to: named.word });
  if (path === undefined) return diagnostic('semantic.no-path', { from: fact.name, to: named.word });
  if (paths.length === 1) return path;
  const words = paths.slice(0, SHOWN_MAX).map(pathWords);
  if (paths.length > SHOWN_MAX) words.push('…');
  return diagnostic(
    'semantic.ambiguous-path',
    { from: fact.name, to: named.word, paths: words.join('; ') },
    { hint: 'name the role of a join in place of the model, or add joinHints' },
  );
}

const SHOWN_MAX = 4;

function pathWords(path: Path): string {
  return path.map(({ role }) => role).join(' → ');
}

function endsWithRole(path: Path, roles: readonly Role[]): boolean {
  return roles.some(({ endings }) =>
    endings.some((ending) => {
      const from = path.length - ending.length;
      return (
        from >= 0 &&
        ending.every((edge, i) => {
          const crossed = path[from + i];
          return crossed?.join === edge.join && crossed.isReversed === edge.isReversed;
        })
      );
    }),
  );
}

/** Whether the path comes by all of these models and roles, in this order. */
function visits(from: string, path: Path, hint: readonly string[]): boolean {
  const stops = [[from], ...path.map(({ role, to }) => [role.toLowerCase(), to])];
  let at = 0;
  for (const word of hint) {
    const key = word.toLowerCase();
    while (at < stops.length && !stops[at]?.includes(key)) at++;
    if (at === stops.length) return false;
  }
  return true;
}

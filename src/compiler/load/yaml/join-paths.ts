/*
 * Which path a name means, seen from a semantic model. The first of these that leads there decides:
 *
 *   a direct join ─▶ the only path that is to-one ─▶ the only path over a join of that name ─▶ the only path
 *
 * A list of hints is a path of its own: each of its names in turn, by the same steps. Several paths are never chosen from, except
 * that of several direct joins the one that has the name is meant, then the one that is to-one. All of it takes time with the edges.
 */
import { type Edge, edgeKey, endsWithRole, type JoinGraph, type Path, type Role } from './join-graph.ts';
import { fewestSteps } from './simple-paths.ts';

/** Where a path leads: a semantic model, or a role of joins to it. */
export interface PathGoal {
  /** Lower-case names, like all here. */
  readonly word: string;
  readonly model: string;
  /** Joins of that name which lead to the model. */
  readonly roles: readonly Role[];
  /** The word is not a model, so only paths that end with such a join are meant. */
  readonly isRole: boolean;
}

export type FoundPath =
  | { readonly kind: 'one'; readonly path: Path; readonly isDirect: boolean }
  | { readonly kind: 'none' }
  /** Two or more; between which names. */
  | { readonly kind: 'several'; readonly paths: readonly Path[]; readonly from: string; readonly to: string };

const NO_PATH: FoundPath = { kind: 'none' };
const NONE: ReadonlySet<string> = new Set();
/** One more than messages show. */
const PATHS_MAX = 5;

/** Finds paths over joins, and remembers those without hints. */
export class JoinPaths {
  readonly #graph: JoinGraph;
  readonly #toOne = new Map<string, readonly Edge[]>();
  readonly #known = new Map<string, FoundPath>();

  constructor(graph: JoinGraph) {
    this.#graph = graph;
  }

  /** What a word of a question or an expression means; undefined for nothing. */
  goal(word: string): PathGoal | undefined {
    const { edges, roles } = this.#graph;
    const key = word.toLowerCase();
    const all = roles.get(key) ?? [];
    const isModel = edges.has(key);
    const model = isModel ? key : all[0]?.to;
    if (model === undefined) return undefined;
    return { word: key, model, roles: all.filter(({ to }) => to === model), isRole: !isModel };
  }

  /** The path when nothing but the joins says which. */
  plain(from: string, goal: PathGoal): FoundPath {
    const key = `${from}\n${goal.word}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#find(from, goal, NONE);
      this.#known.set(key, found);
    }
    return found;
  }

  /** The path when lists of stops may say it: one that ends with the goal first, others only where no direct join leads there. */
  hinted(from: string, goal: PathGoal, hints: readonly (readonly string[])[]): FoundPath {
    if (!goal.isRole && from === goal.model) return this.plain(from, goal);
    const isAbout = (hint: readonly string[]): boolean => {
      const last = this.goal(hint.at(-1) ?? '');
      if (last?.word === goal.word) return true;
      return last?.isRole === true && !goal.isRole && last.model === goal.model;
    };
    for (const hint of hints.filter(isAbout)) {
      const found = this.#over(from, goal, hint);
      if (found.kind !== 'none') return found;
    }
    const plain = this.plain(from, goal);
    if (plain.kind === 'one' && plain.isDirect) return plain;
    for (const hint of hints) {
      const found = isAbout(hint) ? NO_PATH : this.#over(from, goal, hint);
      if (found.kind === 'one') return found;
    }
    return plain;
  }

  /** From stop to stop; what comes later is not passed before. */
  #over(from: string, goal: PathGoal, hint: readonly string[]): FoundPath {
    const words = hint.map((word) => word.toLowerCase());
    if (words.at(-1) !== goal.word) words.push(goal.word);
    let path: Path = [];
    for (const [i, word] of words.entries()) {
      const at = path.at(-1)?.to ?? from;
      const stop = this.goal(word);
      if (stop === undefined) return NO_PATH;
      if (!stop.isRole && word === at) continue;
      const later = i === words.length - 1 ? [] : [...words.slice(i + 1), goal.model];
      const passed = new Set([from, ...path.map(({ to }) => to), ...later]);
      passed.delete(at);
      const leg = this.#leg(at, stop, passed);
      if (leg.kind !== 'one') return leg;
      path = [...path, ...leg.path];
    }
    return path.at(-1)?.to === goal.model ? { kind: 'one', path, isDirect: path.length === 1 } : NO_PATH;
  }

  /** To a model, or over a join in either direction. */
  #leg(from: string, stop: PathGoal, passed: ReadonlySet<string>): FoundPath {
    const forth = this.#find(from, stop, passed);
    if (forth.kind !== 'none' || !stop.isRole) return forth;
    const back = stop.roles.flatMap(({ owner, endings: [ending] }): readonly Path[] => {
      const [edge, ...more] = ending ?? [];
      if (edge === undefined || more.length > 0 || owner === from || passed.has(owner)) return [];
      const found = this.#find(from, this.#model(edge.to), new Set([...passed, owner]));
      const crossed = this.#edges(edge.to).find(({ join, isReversed }) => join === edge.join && isReversed);
      return found.kind === 'one' && crossed !== undefined ? [[...found.path, crossed]] : [];
    });
    return this.#only(back, from, stop);
  }

  #model(name: string): PathGoal {
    return this.goal(name) as PathGoal;
  }

  #edges(name: string): readonly Edge[] {
    return this.#graph.edges.get(name) ?? [];
  }

  #toOneEdges(name: string): readonly Edge[] {
    let edges = this.#toOne.get(name);
    if (edges === undefined) {
      edges = this.#edges(name).filter(({ isToOne }) => isToOne);
      this.#toOne.set(name, edges);
    }
    return edges;
  }

  /** `isLeg`: to the owner of a join, whose own name suggests nothing. */
  #find(from: string, goal: PathGoal, passed: ReadonlySet<string>, isLeg = false): FoundPath {
    const { model, roles, isRole } = goal;
    if (!isRole && from === model) return { kind: 'one', path: [], isDirect: false };
    const isNamed = (path: Path): boolean => endsWithRole(path, roles);
    const direct = this.#direct(from, goal, passed);
    if (direct.length > 0)
      return this.#only(preferring(preferring(direct, isNamed), isNear), from, goal, true);
    if (!isRole) {
      const near = this.#few((name) => this.#toOneEdges(name), { start: from, goal: model, passed });
      const named = near.length > 1 ? roles.flatMap((role) => this.#nearBy(from, role, passed)) : [];
      if (near.length > 0) return this.#only(named.length > 0 ? named : near, from, goal);
    }
    const named = isLeg && !isRole ? [] : roles.flatMap((role) => this.#pathsBy(from, role, passed));
    if (isRole || named.length > 0) return this.#only(preferring(named, isNear), from, goal);
    return this.#only(
      this.#few((name) => this.#edges(name), { start: from, goal: model, passed }),
      from,
      goal,
    );
  }

  #few(
    edgesOf: (name: string) => readonly Edge[],
    search: Parameters<typeof fewestSteps>[1],
  ): readonly Path[] {
    return fewestSteps(edgesOf, search, PATHS_MAX);
  }

  /** Joins between the two, a many-to-many of that name included. */
  #direct(from: string, { model, roles, isRole }: PathGoal, passed: ReadonlySet<string>): readonly Path[] {
    const own = roles.flatMap(({ owner, endings }) => (owner === from ? endings : []));
    const edges = isRole ? [] : this.#edges(from).filter(({ to }) => to === model);
    const paths = [...edges.map((edge) => [edge]), ...own];
    return paths.filter((path) => path.every(({ to }) => !passed.has(to)));
  }

  /** Paths that are to-one up to a join and over it. */
  #nearBy(from: string, { owner, endings }: Role, passed: ReadonlySet<string>): readonly Path[] {
    return endings.filter(isNear).flatMap((ending) => {
      const later = new Set([...passed, ...ending.map(({ to }) => to)]);
      const edgesOf = (name: string): readonly Edge[] => this.#toOneEdges(name);
      return this.#few(edgesOf, { start: from, goal: owner, passed: later }).map((found) => [
        ...found,
        ...ending,
      ]);
    });
  }

  /** Paths to the owner of a join and over it. */
  #pathsBy(from: string, { owner, endings }: Role, passed: ReadonlySet<string>): readonly Path[] {
    return endings.flatMap((ending): readonly Path[] => {
      const later = ending.map(({ to }) => to);
      if (later.some((to) => to === from || passed.has(to))) return [];
      if (owner === from) return [ending];
      const found = this.#find(from, this.#model(owner), new Set([...passed, ...later]), true);
      const paths = found.kind === 'one' ? [found.path] : found.kind === 'several' ? found.paths : [];
      return paths.map((path) => [...path, ...ending]);
    });
  }

  #only(paths: readonly Path[], from: string, goal: PathGoal, isDirect = false): FoundPath {
    const different = [...new Map(paths.map((path) => [path.map(edgeKey).join(''), path])).values()];
    const [path, other] = different;
    if (path === undefined) return NO_PATH;
    if (other === undefined) return { kind: 'one', path, isDirect };
    return { kind: 'several', paths: different, from, to: goal.word };
  }
}

function isNear(path: Path): boolean {
  return path.every(({ isToOne }) => isToOne);
}

/** Those that are such, if any are. */
function preferring(paths: readonly Path[], isSuch: (path: Path) => boolean): readonly Path[] {
  const found = paths.filter(isSuch);
  return found.length > 0 ? found : paths;
}

/** Paths in words, each by the names that a hint could have: of models, and of joins that are called otherwise. */
export function pathWords(paths: readonly Path[], nameOf: (model: string) => string): string {
  const shown = paths
    .slice(0, PATHS_MAX - 1)
    .map((path) => path.map((edge) => stopWords(edge, nameOf)).join(' → '));
  return [...shown, ...(paths.length >= PATHS_MAX ? ['…'] : [])].join('; ');
}

function stopWords({ role, from, to, isReversed }: Edge, nameOf: (model: string) => string): string {
  if (!isReversed) return role;
  const key = role.toLowerCase();
  return key === from || key === to ? nameOf(to) : `${nameOf(to)} (${role})`;
}

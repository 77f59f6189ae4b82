/* Edges, paths and roles of the rules page, by walking everything. */
import { Refused } from './refused.ts';
import { keyOf, type Row } from './value.ts';
import { modelOf, type World, type WorldJoin, type WorldModel } from './world.ts';

/** A join, crossed from its owner (`forward`) or back. */
export interface Step {
  readonly owner: string;
  readonly join: WorldJoin;
  readonly forward: boolean;
}

export type Path = readonly Step[];

export const stepKey = ({ owner, join, forward }: Step): string =>
  `${owner}.${join.name}${forward ? '>' : '<'}`;
export const pathKey = (path: Path): string => path.map(stepKey).join('/');
export const targetOf = ({ owner, join, forward }: Step): string => (forward ? join.model : owner);
const sourceOf = ({ owner, join, forward }: Step): string => (forward ? owner : join.model);

export function isToOne({ join, forward }: Step): boolean {
  if (join.type === 'one_to_one') return true;
  return forward ? join.type === 'many_to_one' : join.type === 'one_to_many';
}

const remembered = new WeakMap<World, Map<string, readonly Path[]>>();

/** Every way that visits no model twice. Many-to-many joins are no edges of their own. */
export function pathsBetween(world: World, from: string, to: string): readonly Path[] {
  const known = remembered.get(world) ?? new Map<string, readonly Path[]>();
  remembered.set(world, known);
  const key = `${from} ${to}`;
  const paths = known.get(key) ?? searchPaths(world, from, to);
  known.set(key, paths);
  return paths;
}

function searchPaths(world: World, from: string, to: string): readonly Path[] {
  const steps: Step[] = world.models.flatMap(({ name: owner, joins }) =>
    joins
      .filter(({ type }) => type !== 'many_to_many')
      .flatMap((join) => [
        { owner, join, forward: true },
        { owner, join, forward: false },
      ]),
  );
  const found: Path[] = [];
  const walk = (at: string, path: Path, seen: readonly string[]): void => {
    if (at === to) {
      found.push(path);
      return;
    }
    for (const step of steps)
      if (sourceOf(step) === at && !seen.includes(targetOf(step)))
        walk(targetOf(step), [...path, step], [...seen, targetOf(step)]);
  };
  walk(from, [], [from]);
  return found;
}

/** What the first word of a member means: the semantic model its members are of. */
export function modelNamed(world: World, name: string): WorldModel {
  const model = world.models.find((each) => each.name === name);
  return model ?? modelOf(world, roleNamed(world, name).join.model);
}

interface Role {
  readonly owner: string;
  readonly join: WorldJoin;
}

function rolesNamed(world: World, name: string): readonly Role[] {
  return world.models.flatMap(({ name: owner, joins }) =>
    joins.filter((join) => join.name === name).map((join) => ({ owner, join })),
  );
}

function roleNamed(world: World, name: string): Role {
  const [role] = rolesNamed(world, name);
  if (role === undefined) throw new Error(`${name} is neither a model nor a role`);
  return role;
}

/** Whether a path ends with the join of a role, or with the two edges of its bridge. */
function endsWith(path: Path, { owner, join }: Role): boolean {
  const last = path.at(-1);
  if (last === undefined) return false;
  if (join.type !== 'many_to_many') return last.join === join && last.forward;
  const before = path.at(-2);
  return (
    before !== undefined &&
    sourceOf(before) === owner &&
    targetOf(before) === join.through &&
    targetOf(last) === join.model
  );
}

/** What a name means where more than one way leads there. */
export class Ambiguous extends Refused {
  readonly ways: readonly Path[];

  constructor(ways: readonly Path[]) {
    super(['semantic.ambiguous-path']);
    this.ways = ways;
  }
}

const NOWHERE = new Refused(['semantic.no-path', 'semantic.unreachable-member']);

/** The one of some ways, refused when there are none or several. */
function only(ways: readonly Path[]): Path {
  const different = [...new Map(ways.map((path) => [pathKey(path), path])).values()];
  if (different.length > 1) throw new Ambiguous(different);
  if (different[0] === undefined) throw NOWHERE;
  return different[0];
}

/** Those of some things that are such, if any are. */
const preferring = <T>(all: readonly T[], isSuch: (one: T) => boolean): readonly T[] =>
  all.some(isSuch) ? all.filter(isSuch) : all;

const isNear = (path: Path): boolean => path.every(isToOne);

/** The joins that a name is the name of, where it leads to one model. */
function rolesTo(world: World, name: string): readonly Role[] {
  const target = modelNamed(world, name).name;
  return rolesNamed(world, name).filter(({ join }) => join.model === target);
}

/** What a path to a role may end with: its join, or the two edges of its bridge. */
function endingsOf(world: World, { owner, join }: Role): readonly Path[] {
  if (join.type !== 'many_to_many') return [[{ owner, join, forward: true }]];
  const bridge = join.through as string;
  return pathsBetween(world, owner, bridge)
    .filter(({ length }) => length === 1)
    .flatMap((first) =>
      pathsBetween(world, bridge, join.model)
        .filter(({ length }) => length === 1)
        .map((second) => [...first, ...second]),
    );
}

/** Ways that come by none of these models, which were passed already. */
const avoiding = (paths: readonly Path[], passed: readonly string[]): readonly Path[] =>
  paths.filter((path) => !path.some((step) => passed.includes(targetOf(step))));

/** The way that a name means when no hint says anything; to the owner of a join (`isLeg`) names of further joins do not count. */
function plainWay(world: World, from: string, name: string, passed: readonly string[], isLeg = false): Path {
  const isModel = world.models.some((each) => each.name === name);
  const target = modelNamed(world, name).name;
  const roles = rolesTo(world, name);
  if (isModel && from === target) return [];
  const all = avoiding(pathsBetween(world, from, target), passed);
  const isNamed = (path: Path): boolean => roles.some((role) => endsWith(path, role));
  const own = roles.filter(({ owner }) => owner === from).flatMap((role) => endingsOf(world, role));
  const direct = [...all.filter(({ length }) => length === 1), ...avoiding(own, passed)].filter(
    (path) => isModel || isNamed(path),
  );
  if (direct.length > 0) return only(preferring(preferring(direct, isNamed), isNear));
  const near = all.filter(isNear);
  if (isModel && near.length > 0) return only(preferring(near, isNamed));
  const named = isLeg ? [] : roles.flatMap((role) => waysBy(world, from, role, passed));
  if (!isModel || named.length > 0) return only(preferring(named, isNear));
  return only(all);
}

/** Ways to the owner of a join, and then over it. */
function waysBy(world: World, from: string, role: Role, passed: readonly string[]): readonly Path[] {
  return endingsOf(world, role).flatMap((ending) => {
    const later = ending.map(targetOf);
    if (later.some((each) => each === from || passed.includes(each))) return [];
    if (role.owner === from) return [ending];
    try {
      const way = plainWay(world, from, role.owner, [...passed, ...later], true);
      return [[...way, ...ending]];
    } catch (error) {
      if (error instanceof Ambiguous) return error.ways.map((way) => [...way, ...ending]);
      if (error instanceof Refused) return [];
      throw error;
    }
  });
}

/** The way to a name through those of a list, one after the other. */
function hintedWay(world: World, from: string, name: string, hint: readonly string[]): Path {
  let path: Path = [];
  const at = (): string => (path.length === 0 ? from : targetOf(path.at(-1) as Step));
  const target = modelNamed(world, name).name;
  const words = [...hint, ...(hint.at(-1) === name ? [] : [name])];
  words.forEach((word, i) => {
    const isModel = world.models.some((each) => each.name === word);
    if (isModel && word === at()) return;
    if (!isModel && rolesNamed(world, word).length === 0) throw NOWHERE;
    // What comes later is not passed before.
    const later = [...words.slice(i + 1), ...(i === words.length - 1 ? [] : [target])];
    const passed = [from, ...path.map(targetOf), ...later].filter((each) => each !== at());
    path = [...path, ...legTo(world, at(), word, passed)];
  });
  if (at() !== target) throw NOWHERE;
  return path;
}

/** To a model, or over a join in either direction. */
function legTo(world: World, from: string, word: string, passed: readonly string[]): Path {
  const isModel = world.models.some((each) => each.name === word);
  try {
    return plainWay(world, from, word, passed);
  } catch (error) {
    if (isModel || error instanceof Ambiguous || !(error instanceof Refused)) throw error;
  }
  const back = rolesTo(world, word).flatMap(({ owner, join }): readonly Path[] => {
    if (join.type === 'many_to_many' || owner === from) return [];
    try {
      const way = plainWay(world, from, join.model, [...passed, owner]);
      return avoiding([[...way, { owner, join, forward: false }]], passed);
    } catch (error) {
      if (error instanceof Refused) return [];
      throw error;
    }
  });
  return only(back);
}

/** The one path that a name means from a model; refused when there are none or several. */
export function pathTo(
  world: World,
  from: string,
  name: string,
  hints: readonly (readonly string[])[] = [],
): Path {
  const isModel = world.models.some((each) => each.name === name);
  const target = modelNamed(world, name).name;
  if (isModel && from === target) return [];
  const isAbout = (hint: readonly string[]): boolean => {
    const last = hint.at(-1) as string;
    if (last === name) return true;
    const isOther = world.models.some((each) => each.name === last);
    return isModel && !isOther && rolesNamed(world, last).some(({ join }) => join.model === target);
  };
  for (const hint of hints.filter(isAbout)) {
    const way = attempt(() => hintedWay(world, from, name, hint));
    if (way instanceof Ambiguous) throw way;
    if (!(way instanceof Refused)) return way;
  }
  const plain = attempt(() => plainWay(world, from, name, []));
  const isDirect = !(plain instanceof Refused) && isDirectWay(world, from, name, plain);
  if (!isDirect)
    for (const hint of hints.filter((each) => !isAbout(each))) {
      const way = attempt(() => hintedWay(world, from, name, hint));
      if (!(way instanceof Refused)) return way;
    }
  if (plain instanceof Refused) throw plain;
  return plain;
}

function isDirectWay(world: World, from: string, name: string, path: Path): boolean {
  const own = rolesTo(world, name).filter(
    ({ owner, join }) => owner === from && join.type === 'many_to_many',
  );
  return (
    path.length === 1 ||
    own.some((role) => endingsOf(world, role).some((each) => pathKey(each) === pathKey(path)))
  );
}

function attempt(find: () => Path): Path | Refused {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** The rows met when a row crosses one edge; the row of NULLs is `undefined`. */
export function cross(world: World, row: Row | undefined, step: Step): readonly (Row | undefined)[] {
  if (row === undefined) return [undefined];
  const met = modelOf(world, targetOf(step)).rows.filter((other) =>
    step.join.on.every(([own, theirs]) => {
      const [left, right] = step.forward ? [row[own], other[theirs]] : [other[own], row[theirs]];
      return isEqual(left, right);
    }),
  );
  return met.length === 0 ? [undefined] : met;
}

function isEqual(left: Row[string] | undefined, right: Row[string] | undefined): boolean {
  if (left === undefined || right === undefined) throw new Error('a join names a column that is not there');
  return left !== null && right !== null && keyOf(left) === keyOf(right);
}

/** Follows to-one edges from a row; anything else is no place for the expression of a measure or dimension. */
export function follow(world: World, row: Row | undefined, path: Path): Row | undefined {
  let at = row;
  for (const step of path) {
    const met = cross(world, at, step);
    if (met.length > 1) throw new Error('declared to-one, but it is not');
    at = met[0];
  }
  return at;
}

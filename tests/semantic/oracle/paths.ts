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

function visits(world: World, from: string, path: Path, names: readonly string[]): boolean {
  const stops: string[][] = [[from], ...path.map((step) => [targetOf(step), step.join.name])];
  let at = 0;
  for (const name of names) {
    const isModel = world.models.some((each) => each.name === name);
    while (
      at < stops.length &&
      !(stops[at] as string[]).slice(isModel ? 0 : 1, isModel ? 1 : 2).includes(name)
    )
      at++;
    if (at >= stops.length) return false;
  }
  return true;
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
  const roles = rolesNamed(world, name).filter(({ join }) => join.model === target);
  const byRole = (path: Path): boolean => roles.some((role) => endsWith(path, role));
  let paths = pathsBetween(world, from, target).filter((path) => isModel || byRole(path));
  for (const hint of hints) {
    const fitting = paths.filter((path) => visits(world, from, path, hint));
    if (fitting.length > 0) paths = fitting;
  }
  if (paths.length > 1 && paths.some(byRole)) paths = paths.filter(byRole);
  const isNear = (path: Path): boolean => path.every(isToOne);
  if (paths.length > 1 && paths.some(isNear)) paths = paths.filter(isNear);
  const wholly = paths.filter((path) => path.every(isToOne));
  if (wholly.length > 0) paths = wholly;
  if (paths.length === 0) throw new Refused(['semantic.no-path', 'semantic.unreachable-member']);
  if (paths.length > 1) throw new Refused(['semantic.ambiguous-path']);
  return paths[0] as Path;
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

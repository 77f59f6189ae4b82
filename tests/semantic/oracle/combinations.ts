/* Every way to walk from a row of a fact over the tree of its paths: the "combinations" of the rules page. */
import { cross, type Path, pathKey, type Step } from './paths.ts';
import type { Row } from './value.ts';
import type { World } from './world.ts';

/** For each node of the tree, named by its path, the row met there; `undefined` where nothing was. */
export type Combination = ReadonlyMap<string, Row | undefined>;

interface Node {
  readonly key: string;
  readonly children: { readonly step: Step; readonly node: Node }[];
}

/** Lays paths over each other: a common beginning is the same row. */
function treeOf(paths: readonly Path[]): Node {
  const root: Node = { key: '', children: [] };
  for (const path of paths) {
    let at = root;
    path.forEach((step, i) => {
      const key = pathKey(path.slice(0, i + 1));
      let child = at.children.find((each) => each.node.key === key);
      if (child === undefined) {
        child = { step, node: { key, children: [] } };
        at.children.push(child);
      }
      at = child.node;
    });
  }
  return root;
}

/** All combinations of one row; never none, because nothing met is a row of NULLs. */
export function combinationsOf(world: World, row: Row, paths: readonly Path[]): readonly Combination[] {
  return walk(world, row, treeOf(paths));
}

function walk(world: World, row: Row | undefined, node: Node): readonly Combination[] {
  let combinations: readonly Combination[] = [new Map([[node.key, row]])];
  for (const { step, node: child } of node.children) {
    const below = cross(world, row, step).flatMap((met) => walk(world, met, child));
    combinations = combinations.flatMap((one) => below.map((other) => new Map([...one, ...other])));
  }
  return combinations;
}

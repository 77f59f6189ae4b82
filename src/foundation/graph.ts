/** Nodes by name with the names they depend on. Unknown names are ignored: the loader reports them. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

export interface Ordering {
  /** Every node, dependencies first; nodes of cycles come last, in their given order. */
  readonly order: readonly string[];
  /** Each cycle once, as the path that closes: a → b → a. */
  readonly cycles: readonly (readonly string[])[];
}

/** Topological order that keeps the given order among equals, and every cycle found. Iterative: depth is bounded by memory, not by the stack. */
export function orderByDependencies(nodes: Dependencies): Ordering {
  const waiting = new Map<string, number>();
  const children = new Map<string, string[]>();
  for (const [name, dependencies] of nodes) {
    let count = 0;
    for (const dependency of new Set(dependencies)) {
      if (!nodes.has(dependency)) continue;
      count++;
      const list = children.get(dependency);
      if (list === undefined) children.set(dependency, [name]);
      else list.push(name);
    }
    waiting.set(name, count);
  }
  const order = [...nodes.keys()].filter((name) => waiting.get(name) === 0);
  for (let i = 0; i < order.length; i++)
    for (const child of children.get(order[i] as string) ?? []) {
      const left = (waiting.get(child) as number) - 1;
      waiting.set(child, left);
      if (left === 0) order.push(child);
    }
  if (order.length === nodes.size) return { order, cycles: [] };
  const done = new Set(order);
  const stuck = [...nodes.keys()].filter((name) => !done.has(name));
  return { order: [...order, ...stuck], cycles: findCycles(stuck, nodes) };
}

/** One path per cycle reached by walking each stuck node's first stuck dependency. */
function findCycles(stuck: readonly string[], nodes: Dependencies): readonly (readonly string[])[] {
  const among = new Set(stuck);
  const seen = new Set<string>();
  const cycles: (readonly string[])[] = [];
  for (const start of stuck) {
    const path: string[] = [];
    const index = new Map<string, number>();
    let name: string | undefined = start;
    while (name !== undefined && !seen.has(name) && !index.has(name)) {
      index.set(name, path.length);
      path.push(name);
      name = nodes.get(name)?.find((dependency) => among.has(dependency));
    }
    const from = name === undefined ? undefined : index.get(name);
    if (from !== undefined) cycles.push([...path.slice(from), name as string]);
    for (const visited of path) seen.add(visited);
  }
  return cycles;
}

/** Everything reachable from `from` by `next`, without `from` itself unless a cycle leads back. */
export function reachable(from: Iterable<string>, next: (name: string) => Iterable<string>): Set<string> {
  const found = new Set<string>();
  const queue = [...from];
  for (let name = queue.pop(); name !== undefined; name = queue.pop())
    for (const other of next(name))
      if (!found.has(other)) {
        found.add(other);
        queue.push(other);
      }
  return found;
}

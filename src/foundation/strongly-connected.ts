/** Strongly connected parts of a graph (Tarjan, iterative): what an edge leads to comes before what it starts from. */
export function stronglyConnected(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const components: (readonly string[])[] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  for (const root of graph.keys()) {
    if (index.has(root)) continue;
    const path: { readonly node: string; readonly edges: Iterator<string> }[] = [];
    const enter = (node: string): void => {
      index.set(node, index.size);
      low.set(node, index.get(node)!);
      open.push(node);
      isOpen.add(node);
      path.push({ node, edges: (graph.get(node) ?? new Set<string>()).values() });
    };
    enter(root);
    while (path.length > 0) {
      const { node, edges } = path[path.length - 1]!;
      const { value: next, done } = edges.next();
      if (done !== true) {
        if (!index.has(next)) enter(next);
        else if (isOpen.has(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!));
        continue;
      }
      path.pop();
      const parent = path[path.length - 1]?.node;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(node)!));
      if (low.get(node) !== index.get(node)) continue;
      const component = open.splice(open.lastIndexOf(node));
      for (const member of component) isOpen.delete(member);
      components.push(component);
    }
  }
  return components;
}

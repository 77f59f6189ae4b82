import type { Expression } from '../../../foundation/sql/tree.ts';
import { edgeKey } from '../../load/yaml/join-graph.ts';
import type { JoinNode } from '../logical-query.ts';

/** The way from the fact to each node, by its alias: two parts may call the same node differently. */
export function aliasPaths(nodes: readonly JoinNode[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { alias, join } of nodes)
    paths.set(alias, join === undefined ? '' : `${paths.get(join.parent) ?? ''}/${edgeKey(join.edge)}`);
  return paths;
}

/** A text that is equal for expressions that mean the same columns at the end of the same paths, wherever they were written. */
export function canonicalExpression(expression: Expression, paths: ReadonlyMap<string, string>): string {
  return JSON.stringify(expression, (key, value: unknown) => {
    if (key === 'span' || key === 'nameSpan' || key === 'quoted') return undefined;
    if (key !== 'qualifiers' || !Array.isArray(value)) return value;
    return value.map(({ name }: { readonly name: string }) => paths.get(name) ?? `?${name}`);
  });
}

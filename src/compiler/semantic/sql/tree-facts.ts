import type { Expression } from '../../../foundation/sql/tree.ts';
import { children, rewrite, type SqlNode } from '../../../foundation/sql/walk.ts';

/** What is under a node, itself included. */
export interface TreeFacts {
  readonly size: number;
  readonly hasRows: boolean;
  readonly hasGroups: boolean;
  /** Equal for equal trees. */
  readonly hash: number;
}

/** Facts of every node of a tree; `sortOf` says what a leaf is. */
export function factsOf(
  root: SqlNode,
  sortOf: (node: SqlNode) => 'rows' | 'groups' | undefined,
): ReadonlyMap<SqlNode, TreeFacts> {
  const facts = new Map<SqlNode, TreeFacts>();
  rewrite(root, (node) => {
    let size = 1;
    let hash = hashOf(labelOf(node), 17);
    const sort = sortOf(node);
    let [hasRows, hasGroups] = [sort === 'rows', sort === 'groups'];
    for (const child of children(node)) {
      const of = facts.get(child) as TreeFacts;
      size += of.size;
      hash = (Math.imul(hash, 31) + of.hash) | 0;
      hasRows ||= of.hasRows;
      hasGroups ||= of.hasGroups;
    }
    facts.set(node, { size, hasRows, hasGroups, hash });
    return node;
  });
  return facts;
}

function labelOf(node: SqlNode): string {
  if (node.kind === 'column' || node.kind === 'call') return node.name.name.toLowerCase();
  if (node.kind === 'literal') return node.text;
  return node.kind === 'binary' || node.kind === 'unary' ? node.operator : node.kind;
}

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

const IGNORED: ReadonlySet<string> = new Set(['span', 'nameSpan', 'quoted', 'form']);

/** Whether two expressions say the same: names in any case, wherever they stand. */
export function isSameTree(one: Expression, other: Expression): boolean {
  const pending: [unknown, unknown][] = [[one, other]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [a, b] = next;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
    if ('quoted' in left && 'quoted' in right) {
      if (String(left['name']).toLowerCase() !== String(right['name']).toLowerCase()) return false;
      continue;
    }
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    for (const key of keys) if (!IGNORED.has(key)) pending.push([left[key], right[key]]);
  }
  return true;
}

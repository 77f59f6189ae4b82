/**
 * Passes over the tree that cannot overflow the stack: a chain of 20,000 ANDs or 1,000 UNIONs is that deep on its left.
 */
import { eachChild, type SqlNode } from './each-child.ts';
import { mapChildren, type ReplaceChild } from './map-children.ts';
import type { Expression, Query, QueryBody, TableExpression } from './tree.ts';

export type { SqlNode } from './each-child.ts';

/** The direct children of a node, in the order of the text. */
export function children(node: SqlNode): readonly SqlNode[] {
  const found: SqlNode[] = [];
  eachChild(node, (child) => found.push(child));
  return found;
}

/** Visits the node and everything under it, parents first, in the order of the text; `false` from `visit` leaves out what is under a node. */
export function walk(root: SqlNode, visit: (node: SqlNode) => unknown): void {
  const stack: SqlNode[] = [root];
  const push = (child: SqlNode): void => {
    stack.push(child);
  };
  while (stack.length > 0) {
    const node = stack.pop() as SqlNode;
    if (visit(node) === false) continue;
    const from = stack.length;
    eachChild(node, push);
    reverseFrom(stack, from);
  }
}

/** Turns the end of an array round in place. */
export function reverseFrom<Item>(stack: Item[], from: number): void {
  for (let low = from, high = stack.length - 1; low < high; low++, high--) {
    const item = stack[low] as Item;
    stack[low] = stack[high] as Item;
    stack[high] = item;
  }
}

/** What to do at each sort of node; `false` leaves out what is under it. */
export interface Visitor {
  readonly expression?: (node: Expression) => unknown;
  readonly query?: (node: Query) => unknown;
  readonly body?: (node: QueryBody) => unknown;
  readonly table?: (node: TableExpression) => unknown;
}

/** `walk` with a function per sort of node. A VALUES list is a body wherever it stands. */
export function walkQuery(root: SqlNode, visitor: Visitor): void {
  walk(root, (node) => {
    switch (node.kind) {
      case 'query':
        return visitor.query?.(node);
      case 'select':
      case 'set-operation':
      case 'values':
      case 'pivot-statement':
      case 'nested':
        return visitor.body?.(node);
      case 'table':
      case 'table-function':
      case 'derived':
      case 'join':
      case 'aliased':
      case 'pivot':
      case 'unpivot':
        return visitor.table?.(node);
      default:
        return visitor.expression?.(node);
    }
  });
}

interface Frame {
  readonly node: SqlNode;
  readonly children: readonly SqlNode[];
  /** Rewritten children so far. */
  readonly done: SqlNode[];
}

/**
 * The tree with `change` applied to every node, children first. What did not change is shared with the old tree, so
 * a rewrite that changes nothing returns `root` itself.
 */
export function rewrite<Root extends SqlNode>(root: Root, change: (node: SqlNode) => SqlNode): Root {
  const stack: Frame[] = [{ node: root, children: children(root), done: [] }];
  for (;;) {
    const frame = stack.at(-1) as Frame;
    const next = frame.children[frame.done.length];
    if (next !== undefined) {
      stack.push({ node: next, children: children(next), done: [] });
      continue;
    }
    let taken = 0;
    const rebuilt = mapChildren(
      frame.node,
      (<Node extends SqlNode>(_child: Node) => frame.done[taken++] as Node) as ReplaceChild,
    );
    const result = change(rebuilt);
    stack.pop();
    const parent = stack.at(-1);
    if (parent === undefined) return result as Root;
    parent.done.push(result);
  }
}

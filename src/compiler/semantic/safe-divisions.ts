import type { Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import { NOWHERE } from './tree-nodes.ts';

/** `a / b` is NULL for a zero b. */
export function withSafeDivisions<Tree extends Expression>(tree: Tree): Tree {
  return rewrite(tree, (node) => {
    if (node.kind !== 'binary' || (node.operator !== '/' && node.operator !== '//')) return node;
    const { right } = node;
    const isSafe =
      (right.kind === 'literal' && right.type === 'number' && Number(right.text) !== 0) ||
      (right.kind === 'call' && right.name.name.toLowerCase() === 'nullif');
    return isSafe ? node : { ...node, right: nullIfZero(right) };
  });
}

/** `NULLIF(x, 0)`. */
export function nullIfZero(value: Expression): Expression {
  return {
    kind: 'call',
    name: { name: 'NULLIF', quoted: false, span: NOWHERE },
    qualifiers: [],
    syntax: 'plain',
    arguments: [{ value }, { value: { kind: 'literal', type: 'number', text: '0', span: NOWHERE } }],
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: NOWHERE,
  };
}

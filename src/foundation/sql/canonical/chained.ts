import type { Expression } from '../tree.ts';

/** Nodes whose first operand can be a chain of any length (`a AND b AND …`, `x::t::t…`): the walk goes down them in a loop. */
export type Chained = Extract<
  Expression,
  {
    kind:
      | 'binary'
      | 'like'
      | 'between'
      | 'in'
      | 'is'
      | 'cast'
      | 'subscript'
      | 'field'
      | 'at-time-zone'
      | 'collate';
  }
>;

export function isChained(node: Expression): node is Chained {
  switch (node.kind) {
    case 'binary':
    case 'like':
    case 'between':
    case 'in':
    case 'is':
    case 'cast':
    case 'subscript':
    case 'field':
    case 'at-time-zone':
    case 'collate':
      return true;
    default:
      return false;
  }
}

/** The operand down which the chain goes. */
export function firstOperand(node: Chained): Expression {
  return node.kind === 'binary' ? node.left : node.operand;
}

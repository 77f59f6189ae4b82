import type { Expression } from './tree.ts';

/** The operands of a chain of one operator, however it is nested. */
export function operandsOf(e: Expression, operator: string): readonly Expression[] {
  const found: Expression[] = [];
  const waiting: Expression[] = [e];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (each.kind === 'binary' && each.operator === operator) waiting.push(each.right, each.left);
    else found.push(each);
  }
  return found;
}

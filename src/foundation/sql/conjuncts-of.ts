import { operandsOf } from './operands-of.ts';
import type { Expression } from './tree.ts';

/** The conditions that must all hold, in the order of the text. */
export const conjunctsOf = (condition: Expression | undefined): readonly Expression[] =>
  condition === undefined ? [] : operandsOf(condition, 'AND');

import type { Expression } from '../tree.ts';

/**
 * How tightly a printed expression holds together. Dialects disagree on many pairs of operators, so only the ones all agree on are left without
 * parentheses: OR < AND < NOT < comparisons < other operators < sums < products < signs < casts and subscripts.
 */
export const LEVEL = {
  any: 0,
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  other: 5,
  sum: 6,
  product: 7,
  sign: 8,
  postfix: 9,
  atom: 10,
} as const;

const BINARY = new Map<string, number>([
  ['OR', LEVEL.or],
  ['AND', LEVEL.and],
  ...['=', '<>', '<', '>', '<=', '>=', '<=>', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'].map(
    (operator) => [operator, LEVEL.comparison] as const,
  ),
  ['+', LEVEL.sum],
  ['-', LEVEL.sum],
  ...['*', '/', '%', '//', 'DIV', 'MOD'].map((operator) => [operator, LEVEL.product] as const),
  // DuckDB's arrow binds looser than everything.
  ...['->', '->>', 'XOR'].map((operator) => [operator, LEVEL.any] as const),
]);

export function binaryLevel(operator: string): number {
  return BINARY.get(operator) ?? LEVEL.other;
}

/** The level of an expression as it is printed. */
export function levelOf(node: Expression): number {
  switch (node.kind) {
    case 'binary':
      return binaryLevel(node.operator);
    case 'unary':
      // `~a + b` is ~(a + b) in PostgreSQL and DuckDB.
      return node.operator === 'NOT'
        ? LEVEL.not
        : node.operator === '*'
          ? LEVEL.atom
          : node.operator === '~'
            ? LEVEL.other
            : LEVEL.sign;
    case 'like':
    case 'between':
    case 'in':
    case 'is':
      return LEVEL.comparison;
    case 'at-time-zone':
      return LEVEL.other;
    case 'cast':
      return node.form === 'colons' ? LEVEL.postfix : node.form === 'literal' ? LEVEL.sign : LEVEL.atom;
    case 'collate':
    case 'interval':
      return LEVEL.sign;
    case 'subscript':
    case 'field':
      return LEVEL.postfix;
    case 'literal':
      return node.text.startsWith('-') && node.type === 'number' ? LEVEL.sign : LEVEL.atom;
    case 'lambda':
      return LEVEL.any;
    default:
      return LEVEL.atom;
  }
}

/*
 * Which joined nodes must have a match for the conditions to be true. A LEFT JOIN of such a node is an INNER JOIN, which engines
 * may put in any order:
 *
 *   FROM lines LEFT JOIN orders … LEFT JOIN customers … WHERE customers.region = 'EU'
 *     ──▶ customers, and orders by the condition of the join between them
 */
import { operandsOf } from '../../foundation/sql/operands-of.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import type { JoinNode } from './logical-query.ts';

const NONE: ReadonlySet<string> = new Set();

/** Aliases of nodes without whose match some condition is not true. */
export function requiredNodes(
  nodes: readonly JoinNode[],
  conditions: readonly Expression[],
): ReadonlySet<string> {
  const required = new Set<string>();
  if (nodes.length < 2) return required;
  for (const condition of conditions) for (const alias of untrueWithout(condition)) required.add(alias);
  if (required.size === 0) return required;
  // A node comes behind its parent.
  for (const { alias, join } of nodes.toReversed())
    if (join !== undefined && required.has(alias))
      for (const other of untrueWithout(join.on)) required.add(other);
  return required;
}

/** Aliases such that the condition is false or NULL when all their columns are NULL. */
export function untrueWithout(condition: Expression): ReadonlySet<string> {
  switch (condition.kind) {
    case 'binary': {
      if (condition.operator === 'AND') return union(operandsOf(condition, 'AND').map(untrueWithout));
      if (condition.operator === 'OR') return intersection(operandsOf(condition, 'OR'));
      return nullWithout(condition);
    }
    case 'unary':
    case 'like':
    case 'column':
      return nullWithout(condition);
    case 'between':
      return condition.symmetric ? NONE : nullWithout(condition.operand);
    case 'in':
      return condition.set.kind === 'list' && condition.set.items.length > 0
        ? nullWithout(condition.operand)
        : NONE;
    case 'is':
      return condition.test === 'NULL' && condition.negated ? nullWithout(condition.operand) : NONE;
    default:
      return NONE;
  }
}

const STRICT_OPERATORS = new Set(['=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '||']);
const STRICT_CALLS = new Set(['lower', 'upper', 'date_trunc', 'abs', 'round', 'trim', 'length']);

/** Aliases such that the value is NULL when all their columns are; known only of what is certain in every engine. */
function nullWithout(value: Expression): ReadonlySet<string> {
  switch (value.kind) {
    case 'column': {
      const alias = value.qualifiers[0];
      return alias === undefined || value.qualifiers.length > 1 ? NONE : new Set([alias.name]);
    }
    case 'binary':
      return STRICT_OPERATORS.has(value.operator)
        ? union([nullWithout(value.left), nullWithout(value.right)])
        : NONE;
    case 'unary':
      return value.operator === '-' || value.operator === 'NOT' ? nullWithout(value.operand) : NONE;
    case 'like':
      return value.quantifier === undefined
        ? union([nullWithout(value.operand), nullWithout(value.pattern)])
        : NONE;
    case 'cast':
    case 'at-time-zone':
      return nullWithout(value.operand);
    case 'call': {
      const isStrict = value.syntax === 'extract' || STRICT_CALLS.has(value.name.name.toLowerCase());
      const isPlain = value.over === undefined && value.filter === undefined;
      return isStrict && isPlain ? union(value.arguments.map((each) => nullWithout(each.value))) : NONE;
    }
    default:
      return NONE;
  }
}

function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const some = sets.filter(({ size }) => size > 0);
  return some.length < 2 ? (some[0] ?? NONE) : new Set(some.flatMap((set) => [...set]));
}

function intersection(alternatives: readonly Expression[]): ReadonlySet<string> {
  let shared: ReadonlySet<string> | undefined;
  for (const each of alternatives) {
    const own = untrueWithout(each);
    shared = shared === undefined ? own : new Set([...shared].filter((alias) => own.has(alias)));
    if (shared.size === 0) return NONE;
  }
  return shared ?? NONE;
}

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { conjunctsOf } from '../../../foundation/sql/conjuncts-of.ts';
import { joinsOf } from '../../../foundation/sql/from-tables.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { queryRule } from '../query-rule.ts';
import { nameOf } from '../query-sources.ts';

export const outerJoinFiltered = queryRule({
  name: 'outer-join-filtered',
  byDefault: 'warning',
  why: 'A filter on the optional side of an outer join removes the rows that the outer join was to keep.',
  examples: {
    bad: {
      'models/customers.sql':
        "MODEL (name marts.customers, kind FULL);\nSELECT c.customer_id, o.order_id\nFROM raw.customers AS c\nLEFT JOIN raw.orders AS o ON o.customer_id = c.customer_id\nWHERE «o.status = 'paid'»\n",
    },
    good: {
      'models/customers.sql':
        "MODEL (name marts.customers, kind FULL);\nSELECT c.customer_id, o.order_id\nFROM raw.customers AS c\nLEFT JOIN raw.orders AS o ON o.customer_id = c.customer_id AND o.status = 'paid'\n",
    },
    unless: [
      {
        because: 'rows without a partner are asked for',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT c.customer_id FROM raw.customers AS c LEFT JOIN raw.orders AS o ON o.customer_id = c.customer_id WHERE o.order_id IS NULL\n',
        },
      },
      {
        because: 'the filter says what happens to them',
        files: {
          'models/a.sql':
            "MODEL (name marts.a, kind FULL);\nSELECT c.customer_id, o.order_id FROM raw.customers AS c LEFT JOIN raw.orders AS o ON o.customer_id = c.customer_id WHERE COALESCE(o.status, 'none') <> 'lost'\n",
        },
      },
    ],
  },
  *inspect(query) {
    for (const select of query.nodes('select')) {
      const optional = new Map<string, string>();
      for (const { type, left, right } of joinsOf(select.from)) {
        const side = type === 'left' ? right : type === 'right' ? left : undefined;
        const name = side === undefined || side.kind === 'join' ? undefined : nameOf(side);
        if (name !== undefined) optional.set(name, type.toUpperCase());
      }
      if (optional.size === 0) continue;
      for (const condition of conjunctsOf(select.where)) {
        const table = comparedTables(condition).find((name) => optional.has(name));
        if (table !== undefined)
          yield { span: condition.span, words: [table, optional.get(table) as string] };
      }
    }
  },
  decide: ({ model, at, words: [table = '', join = ''] }) =>
    diagnostic('lint.outer-join-filtered', { model: model.name, table, join }, { at }),
});

const STRICT: ReadonlySet<string> = new Set(['=', '<>', '<', '>', '<=', '>=']);

/** Tables whose columns stand bare in a comparison that is never true of NULL. */
function comparedTables(condition: Expression): readonly string[] {
  const sides =
    condition.kind === 'binary' && STRICT.has(condition.operator)
      ? [condition.left, condition.right]
      : condition.kind === 'between' || condition.kind === 'in' || condition.kind === 'like'
        ? [condition.operand]
        : [];
  return sides.flatMap((side) => {
    const column = side.kind === 'cast' ? side.operand : side;
    const table = column.kind === 'column' ? column.qualifiers.at(-1)?.name.toLowerCase() : undefined;
    return table === undefined ? [] : [table];
  });
}

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { ColumnReference } from '../../../foundation/sql/tree.ts';
import { queryRule } from '../query-rule.ts';

const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '<', '>', '<=', '>=']);

export const selfComparison = queryRule({
  name: 'self-comparison',
  byDefault: 'warning',
  why: 'A column compared with itself is a slip: usually the other table was meant.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, c.country\nFROM raw.orders AS o\nJOIN raw.customers AS c ON «o.customer_id = o.customer_id»\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, c.country\nFROM raw.orders AS o\nJOIN raw.customers AS c ON c.customer_id = o.customer_id\n',
    },
    unless: [
      {
        because: 'the same name in another table is another column',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT a.order_id FROM raw.orders AS a JOIN raw.orders AS b ON a.order_id = b.order_id\n',
        },
      },
    ],
  },
  *inspect(query) {
    for (const { left, right, operator, span } of query.nodes('binary')) {
      if (!COMPARISONS.has(operator) || left.kind !== 'column' || right.kind !== 'column') continue;
      if (nameOf(left) === nameOf(right))
        yield { span, words: [query.text.slice(left.span.start, left.span.end)] };
    }
  },
  decide: ({ model, at, words }) =>
    diagnostic('lint.self-comparison', { model: model.name, column: words[0] ?? '' }, { at }),
});

const nameOf = ({ qualifiers, name }: ColumnReference): string =>
  [...qualifiers, name].map((part) => part.name.toLowerCase()).join('.');

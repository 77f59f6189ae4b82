import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Query } from '../../../foundation/sql/tree.ts';
import { hasOneRow } from '../has-one-row.ts';
import { queryRule } from '../query-rule.ts';

export const limitWithoutOrder = queryRule({
  name: 'limit-without-order',
  byDefault: 'warning',
  why: 'Which rows a LIMIT keeps is chance unless an ORDER BY says which come first.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders LIMIT «100»\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders ORDER BY order_id LIMIT 100\n',
    },
    unless: [
      {
        because: 'EXISTS asks for any row',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT c.customer_id FROM raw.customers AS c WHERE EXISTS (SELECT 1 FROM raw.orders AS o WHERE o.customer_id = c.customer_id LIMIT 1)\n',
        },
      },
      {
        because: 'there is one row',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nWITH s AS (SELECT SUM(amount) AS total FROM raw.orders) SELECT s.total, t.total AS again FROM s, s AS t LIMIT 10\n',
        },
      },
      {
        because: 'LIMIT 0 keeps none',
        files: {
          'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT order_id FROM raw.orders LIMIT 0\n',
        },
      },
    ],
  },
  *inspect(query) {
    const any = new Set<Query>(query.nodes('exists').map((node) => node.query));
    for (const each of query.nodes('query')) {
      const { limit, orderBy } = each;
      if (limit === undefined || orderBy === 'ALL' || orderBy.length > 0 || any.has(each)) continue;
      if (limit.kind === 'literal' && ['0', 'null'].includes(limit.text.toLowerCase())) continue;
      const { limit: _, ...unlimited } = each;
      if (!hasOneRow(unlimited, query)) yield { span: limit.span };
    }
  },
  decide: ({ model, at }) => diagnostic('lint.limit-without-order', { model: model.name }, { at }),
});

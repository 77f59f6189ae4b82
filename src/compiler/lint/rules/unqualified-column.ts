import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { fromTables } from '../../../foundation/sql/from-tables.ts';
import { queryRule } from '../query-rule.ts';

export const unqualifiedColumn = queryRule({
  name: 'unqualified-column',
  byDefault: 'off',
  why: 'In a join, a column without its table becomes ambiguous when the other table gets one of that name.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, «country»\nFROM raw.orders AS o\nJOIN raw.customers AS c ON c.customer_id = o.customer_id\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, c.country\nFROM raw.orders AS o\nJOIN raw.customers AS c ON c.customer_id = o.customer_id\n',
    },
    unless: [
      {
        because: 'the name is an alias of the list itself',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL);\nSELECT UPPER(c.country) AS land, COUNT(*) AS n FROM raw.orders AS o JOIN raw.customers AS c ON c.customer_id = o.customer_id GROUP BY land\n',
        },
      },
      {
        because: 'there is one table',
        files: {
          'models/orders.sql': 'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders\n',
        },
      },
    ],
  },
  *inspect(query) {
    for (const select of query.nodes('select')) {
      const tables = fromTables(select.from).filter(({ kind }) => kind === 'table' || kind === 'derived');
      if (tables.length < 2) continue;
      const own = new Set(select.projections.flatMap(({ alias }) => alias?.name.toLowerCase() ?? []));
      // A lambda and a list comprehension have names of their own.
      const nodes = query.own(select);
      if (nodes.some(({ kind }) => kind === 'lambda' || kind === 'comprehension')) continue;
      // The first of them stands for all: one alias for each table fixes them together.
      const first = nodes.find(
        (node) =>
          node.kind === 'column' && node.qualifiers.length === 0 && !own.has(node.name.name.toLowerCase()),
      );
      if (first?.kind === 'column') yield { span: first.span, words: [first.name.name] };
    }
  },
  decide: ({ model, at, words }) =>
    diagnostic('lint.unqualified-column', { model: model.name, column: words[0] ?? '' }, { at }),
});

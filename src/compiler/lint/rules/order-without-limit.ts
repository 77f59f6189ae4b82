import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { queryRule } from '../query-rule.ts';

export const orderWithoutLimit = queryRule({
  name: 'order-without-limit',
  byDefault: 'off',
  why: 'A table has no order: rows come back as the reader asks for them.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders ORDER BY «order_id»\n',
    },
    good: { 'models/orders.sql': 'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders\n' },
    unless: [
      {
        because: 'a LIMIT needs the order',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders ORDER BY order_id LIMIT 10\n',
        },
      },
    ],
  },
  *inspect({ query: { orderBy, limit, offset } }) {
    if (limit !== undefined || offset !== undefined || orderBy === 'ALL') return;
    const [first, last] = [orderBy[0]?.expression.span, orderBy.at(-1)?.expression.span];
    if (first !== undefined && last !== undefined) yield { span: { start: first.start, end: last.end } };
  },
  decide: ({ model, at }) => diagnostic('lint.order-without-limit', { model: model.name }, { at }),
});

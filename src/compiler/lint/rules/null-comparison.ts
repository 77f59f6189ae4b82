import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Binary, Expression } from '../../../foundation/sql/tree.ts';
import type { InspectedQuery, QueryHit } from '../inspected-query.ts';
import { queryRule } from '../query-rule.ts';

const isNull = (expression: Expression): boolean =>
  expression.kind === 'literal' && expression.type === 'null';

export const nullComparison = queryRule({
  name: 'null-comparison',
  byDefault: 'warning',
  why: 'Nothing equals NULL, and nothing differs from it: the condition never holds.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders WHERE «status = NULL» OR «customer_id <> NULL»\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders WHERE status IS NULL OR customer_id IS NOT NULL\n',
    },
    unless: [
      {
        because: 'IS DISTINCT FROM compares with NULL',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders WHERE status IS DISTINCT FROM NULL\n',
        },
      },
    ],
  },
  fixes: 'Writes `IS NULL` or `IS NOT NULL`. The condition then holds for the rows it names.',
  *inspect(query) {
    for (const node of query.nodes('binary'))
      if (['=', '<>'].includes(node.operator) && (isNull(node.left) || isNull(node.right)))
        yield { span: node.span, words: [node.operator], ...fixOf(node, query) };
  },
  decide: ({ model, at, words }) =>
    diagnostic('lint.null-comparison', { model: model.name, operator: words[0] ?? '' }, { at }),
});

function fixOf({ left, right, operator }: Binary, { text }: InspectedQuery): Pick<QueryHit, 'fix'> {
  if (isNull(left)) return {};
  const [before = ''] = /^\s*\)*\s*/.exec(text.slice(left.span.end, right.span.start)) ?? [];
  const start = left.span.end + before.length;
  // What stands between is the operator alone, without comments or a bracket before NULL.
  if (!/^(?:=|==|<>|!=)\s*$/.test(text.slice(start, right.span.start))) return {};
  return { fix: { start, end: right.span.end, text: operator === '=' ? 'IS NULL' : 'IS NOT NULL' } };
}

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { queryRule } from '../query-rule.ts';

export const positionalReference = queryRule({
  name: 'positional-reference',
  byDefault: 'off',
  why: 'GROUP BY 1 and ORDER BY 1 mean another column as soon as a column is put before it.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT status, COUNT(*) AS n FROM raw.orders GROUP BY «1»\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT status, COUNT(*) AS n FROM raw.orders GROUP BY status\n',
    },
  },
  *inspect({ nodes }) {
    const isPosition = ({ kind, ...rest }: Expression): boolean =>
      kind === 'literal' && 'type' in rest && rest.type === 'number';
    for (const { groupBy } of nodes('select'))
      for (const item of groupBy?.items ?? [])
        if (item.kind === 'expression' && isPosition(item.expression)) yield { span: item.expression.span };
    for (const { orderBy } of nodes('query'))
      for (const { expression } of orderBy === 'ALL' ? [] : orderBy)
        if (isPosition(expression)) yield { span: expression.span };
  },
  decide: ({ model, at }) => diagnostic('lint.positional-reference', { model: model.name }, { at }),
});

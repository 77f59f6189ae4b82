import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { queryRule } from '../query-rule.ts';

export const unionWithoutAll = queryRule({
  name: 'union-without-all',
  byDefault: 'off',
  why: 'UNION removes equal rows, which costs a sort of everything and hides duplicates.',
  examples: {
    bad: {
      'models/ids.sql':
        'MODEL (name marts.ids, kind FULL);\nSELECT customer_id FROM raw.orders «UNION» SELECT customer_id FROM raw.customers\n',
    },
    good: {
      'models/ids.sql':
        'MODEL (name marts.ids, kind FULL);\nSELECT customer_id FROM raw.orders UNION ALL SELECT customer_id FROM raw.customers\n',
    },
    unless: [
      {
        because: 'DISTINCT says that it is meant',
        files: {
          'models/ids.sql':
            'MODEL (name marts.ids, kind FULL);\nSELECT customer_id FROM raw.orders UNION DISTINCT SELECT customer_id FROM raw.customers\n',
        },
      },
    ],
  },
  *inspect({ nodes, text }) {
    for (const { operator, isAll, left, right } of nodes('set-operation')) {
      if (operator !== 'UNION' || isAll) continue;
      const between = text.slice(left.span.end, right.span.start);
      const found = /\bUNION\b(?!\s+DISTINCT\b)/i.exec(between);
      const start = left.span.end + (found?.index ?? 0);
      if (found !== null) yield { span: { start, end: start + 'UNION'.length } };
    }
  },
  decide: ({ model, at }) => diagnostic('lint.union-without-all', { model: model.name }, { at }),
});

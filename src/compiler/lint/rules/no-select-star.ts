import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import type { QueryBody, Select, Star } from '../../../foundation/sql/tree.ts';
import { type Finding, type LintRule, ownModels } from '../lint-rule.ts';
import { quoteIfNeeded } from '../quote-if-needed.ts';

export const noSelectStar: LintRule = {
  name: 'no-select-star',
  byDefault: 'off',
  why: 'The columns of a model should change only when its own file does.',
  examples: {
    bad: { 'models/orders.sql': 'MODEL (name marts.orders, kind FULL);\nSELECT «*» FROM raw.orders\n' },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT order_id, customer_id, status FROM raw.orders\n',
    },
    unless: [
      {
        because: 'what the model returns is listed',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL);\nWITH o AS (SELECT * FROM raw.orders) SELECT o.order_id, COUNT(*) AS n FROM o GROUP BY o.order_id\n',
        },
      },
    ],
  },
  fixes:
    'Lists the columns, where the star is the whole list over one source. Names, types and rows stay the same.',
  *inspect({ query, text, written }) {
    for (const { select, star } of outerStars(query.body)) {
      if (star.span.start === star.span.end) continue;
      const isFixable = query.body === select && isWhole(select, star) && written(star.span) === '*';
      yield { span: star.span, words: isFixable && text[star.span.start] === '*' ? ['fixable'] : [] };
    }
  },
  check: ({ project, hits }) =>
    ownModels(project).flatMap((model) =>
      (hits(model) ?? [])
        .filter(({ rule }) => rule === 'no-select-star')
        .map(({ start, end, words }): Finding => {
          const at = { file: model.file, start, end };
          const columns = words?.includes('fixable') === true ? listed(model) : undefined;
          return {
            model: model.name,
            diagnostic: diagnostic('lint.no-select-star', { model: model.name }, { at }),
            ...(columns === undefined ? {} : { fix: { ...at, text: columns } }),
          };
        }),
    ),
};

/** Stars among the projections that make the result: of every branch of a set operation, not of inner queries. */
function outerStars(body: QueryBody): readonly { readonly select: Select; readonly star: Star }[] {
  const found: { select: Select; star: Star }[] = [];
  const bodies: QueryBody[] = [body];
  for (let next = bodies.pop(); next !== undefined; next = bodies.pop()) {
    if (next.kind === 'set-operation') bodies.push(next.right, next.left);
    else if (next.kind === 'nested') bodies.push(next.query.body);
    else if (next.kind === 'select')
      for (const { expression } of next.projections)
        if (expression.kind === 'star') found.push({ select: next, star: expression });
  }
  return found;
}

/** One table, nothing excluded, and no other column beside the star. */
function isWhole(select: Select, star: Star): boolean {
  return (
    star.qualifiers.length === 0 &&
    star.exclude.length + star.replace.length + star.rename.length === 0 &&
    select.projections.length === 1 &&
    select.from.length === 1 &&
    select.from[0]?.kind !== 'join'
  );
}

function listed(model: Model): string | undefined {
  if (!model.hasAllColumns || model.lineage.length === 0) return undefined;
  const names = model.lineage.map(({ column }) => quoteIfNeeded(column, model.dialect));
  return new Set(names).size === names.length ? names.join(',\n  ') : undefined;
}

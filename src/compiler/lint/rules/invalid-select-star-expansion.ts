import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { fromLoading } from '../from-loading.ts';
import type { LintRule } from '../lint-rule.ts';

export const invalidSelectStarExpansion: LintRule = {
  name: 'invalid-select-star-expansion',
  byDefault: 'off',
  why: 'A star that cannot be expanded hides the columns of a model from everything downstream.',
  examples: {
    bad: { 'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT «*» FROM other.lines\n' },
    good: {
      'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT * FROM other.lines\n',
      'external_models.yaml': '- name: other.lines\n  columns: {id: int, amount: decimal}\n',
    },
  },
  check: (context) =>
    fromLoading(context, ['sql.star-not-expanded'], (model, { message, at }) =>
      diagnostic('lint.invalid-select-star-expansion', { model, problem: message }, { at }),
    ),
};

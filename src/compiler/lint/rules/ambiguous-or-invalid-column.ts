import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { fromLoading } from '../from-loading.ts';
import type { LintRule } from '../lint-rule.ts';

export const ambiguousOrInvalidColumn: LintRule = {
  name: 'ambiguous-or-invalid-column',
  byDefault: 'off',
  why: 'A column that cannot be resolved to one table fails later, in the engine.',
  examples: {
    bad: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL);\nSELECT «amount» FROM other.lines AS l JOIN other.taxes AS t ON l.id = t.id\n',
    },
    good: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL);\nSELECT l.amount FROM other.lines AS l JOIN other.taxes AS t ON l.id = t.id\n',
    },
  },
  check: (context) =>
    fromLoading(
      context,
      ['sql.unknown-column', 'sql.ambiguous-column', 'sql.unknown-alias'],
      (model, { message, at }) =>
        diagnostic('lint.ambiguous-or-invalid-column', { model, problem: message }, { at }),
    ),
};

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { type LintRule, nameRange, ownModels } from '../lint-rule.ts';
import { isStored } from '../missing-part.ts';

const NAMES_SHOWN = 5;

export const noMissingColumnDescription: LintRule = {
  name: 'no-missing-column-description',
  byDefault: 'off',
  why: 'A name alone does not say whether an amount is before or after tax.',
  examples: {
    bad: {
      'models/a.sql': 'MODEL (name «marts.a», kind FULL);\nSELECT order_id, amount FROM raw.orders\n',
    },
    good: {
      'models/a.sql':
        "MODEL (name marts.a, kind FULL, column_descriptions (amount = 'After discounts, with tax'));\nSELECT\n  order_id, -- Number of the order\n  amount\nFROM raw.orders\n",
    },
  },
  check: ({ project }) =>
    ownModels(project)
      .filter(isStored)
      .flatMap((model) => {
        const bare = model.columns.filter(({ description }) => (description ?? '').trim() === '');
        if (bare.length === 0) return [];
        const shown = bare.slice(0, NAMES_SHOWN).map(({ name }) => name);
        const columns = shown.join(', ') + (bare.length > shown.length ? ', …' : '');
        const words = { model: model.name, columns };
        const found = diagnostic('lint.no-missing-column-description', words, { at: nameRange(model) });
        return [{ model: model.name, diagnostic: found }];
      }),
};

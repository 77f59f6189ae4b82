import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import type { LintRule } from '../lint-rule.ts';

export const noMissingCheck: LintRule = {
  name: 'no-missing-check',
  byDefault: 'off',
  why: 'What people ask questions of should be watched.',
  examples: {
    bad: {
      'models/a.sql': 'MODEL (name marts.a, kind FULL, grain order_id);\nSELECT order_id FROM raw.orders\n',
      'models/semantics/a.yml': 'kind: semantic\nname: «a»\ndepends_on: marts.a\n',
    },
    good: {
      'models/a.sql': 'MODEL (name marts.a, kind FULL, grain order_id);\nSELECT order_id FROM raw.orders\n',
      'models/semantics/a.yml': 'kind: semantic\nname: a\ndepends_on: marts.a\n',
      'dq/a.yml': 'kind: dq\nname: a_dq\ndepends_on: marts.a\nrules:\n  - row_count > 0\n',
    },
  },
  check({ project }) {
    const checked = new Set(project.dqPacks.map(({ model }) => model.value.toLowerCase()));
    return project.semanticModels
      .filter(({ model }) => !checked.has(model.value.toLowerCase()))
      .map(({ name, model, file }) => {
        const words = { name: name.value, model: model.value };
        return { diagnostic: diagnostic('lint.no-missing-check', words, { at: rangeOf(file, name) }) };
      });
  },
};

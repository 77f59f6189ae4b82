import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import type { LintRule } from '../lint-rule.ts';

export const testDependsOnClock: LintRule = {
  name: 'test-depends-on-clock',
  byDefault: 'warning',
  why: 'A test of a model that asks for the present time gives another answer on another day.',
  examples: {
    bad: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL);\nSELECT order_id FROM raw.orders WHERE order_date < CURRENT_DATE\n',
      'tests/test_a.yaml':
        '«test_a»:\n  model: marts.a\n  inputs:\n    raw.orders: [{order_id: 1, order_date: 2024-01-01}]\n  outputs:\n    query: [{order_id: 1}]\n',
    },
    good: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL);\nSELECT order_id FROM raw.orders WHERE order_date < CURRENT_DATE\n',
      'tests/test_a.yaml':
        'test_a:\n  model: marts.a\n  vars:\n    execution_time: 2024-02-01\n  inputs:\n    raw.orders: [{order_id: 1, order_date: 2024-01-01}]\n  outputs:\n    query: [{order_id: 1}]\n',
    },
    unless: [
      {
        because: 'the model does not ask for the time',
        files: {
          'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT order_id FROM raw.orders\n',
          'tests/test_a.yaml':
            'test_a:\n  model: marts.a\n  inputs:\n    raw.orders: [{order_id: 1}]\n  outputs:\n    query: [{order_id: 1}]\n',
        },
      },
    ],
  },
  check: ({ project, hits }) => {
    const models = new Map(project.models.map((model) => [model.name, model]));
    return project.tests.flatMap(({ name, file, subject, variables, outputs, start, end }) => {
      const model = subject.kind === 'model' ? models.get(subject.model.value.toLowerCase()) : undefined;
      if (model === undefined || Object.hasOwn(variables, 'execution_time')) return [];
      const clock = (hits(model) ?? []).find(
        ({ rule, words }) =>
          rule === 'non-deterministic-function' &&
          (words?.[0] === 'clock' || (words?.[0] === 'stamp' && outputs.query?.isPartial !== true)),
      );
      if (clock === undefined) return [];
      const words = { name, model: model.name, function: clock.words?.[1] ?? '' };
      return [
        {
          diagnostic: diagnostic('lint.test-depends-on-clock', words, { at: rangeOf(file, { start, end }) }),
        },
      ];
    });
  },
};

import { missingPart } from '../missing-part.ts';

export const noMissingUnitTest = missingPart('unit-test', {
  why: 'A test pins down what a query means.',
  examples: {
    bad: {
      'models/orders.sql': 'MODEL (name «marts.orders», kind FULL);\nSELECT order_id FROM raw.orders\n',
    },
    good: {
      'models/orders.sql': 'MODEL (name marts.orders, kind FULL);\nSELECT order_id FROM raw.orders\n',
      'tests/test_orders.yaml':
        'test_orders:\n  model: marts.orders\n  inputs:\n    raw.orders: [{order_id: 1}]\n  outputs:\n    query: [{order_id: 1}]\n',
    },
  },
  has: (model, project) =>
    project.tests.some(
      (test) => test.subject.kind === 'model' && test.subject.model.value.toLowerCase() === model.name,
    ),
  applies: ({ source }) => source.kind === 'sql',
});

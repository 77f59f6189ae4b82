import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { ModelTest, TestRows } from '../../../domain/model-test.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import { EXAMPLE_MODEL } from '../example-model.ts';
import type { LintRule } from '../lint-rule.ts';

export const testWithoutOutputs: LintRule = {
  name: 'test-without-outputs',
  byDefault: 'warning',
  why: 'A test that compares no value passes whatever the model does.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'tests/test_a.yaml':
        '«test_a»:\n  model: marts.a\n  inputs:\n    raw.orders: [{order_id: 1, status: paid}]\n  outputs:\n    partial: true\n    query: [{}]\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'tests/test_a.yaml':
        'test_a:\n  model: marts.a\n  inputs:\n    raw.orders: [{order_id: 1, status: paid}]\n  outputs:\n    partial: true\n    query: [{order_id: 1}]\n',
    },
    unless: [
      {
        because: 'no row is an answer, too, where rows were given',
        files: {
          ...EXAMPLE_MODEL,
          'tests/test_a.yaml':
            'test_a:\n  model: marts.a\n  inputs:\n    raw.orders: [{order_id: 1, status: paid}]\n  outputs:\n    query: []\n',
        },
      },
    ],
  },
  check: ({ project }) =>
    project.tests.filter(comparesNothing).map(({ name, file, start, end }) => ({
      diagnostic: diagnostic('lint.test-without-outputs', { name }, { at: rangeOf(file, { start, end }) }),
    })),
};

function comparesNothing({ outputs, inputs }: ModelTest): boolean {
  const all = [
    ...(outputs.query === undefined ? [] : [outputs.query.rows]),
    ...outputs.ctes.map(({ rows }) => rows),
  ];
  if (all.length === 0 || all.some(hasValues)) return false;
  const hasNoRows = all.every((rows) => rows.kind === 'rows' && rows.rows.length === 0);
  return !hasNoRows || !inputs.some(({ rows }) => hasValues(rows));
}

/** What stands in another file or comes from a query is taken for values. */
const hasValues = (rows: TestRows): boolean =>
  rows.kind !== 'rows' || rows.rows.some((row) => row.length > 0);

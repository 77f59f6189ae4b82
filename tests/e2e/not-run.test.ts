/** What is written down and not run yet says so: a green answer without work would be worse than an error. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { TINY_PROJECT } from './tiny-project.ts';

const FAILING = `test_wrong:
  model: marts.best
  inputs: {marts.revenue: [{revenue: 3}]}
  outputs: {query: [{best_revenue: 99}]}
`;
const PACK = `kind: dq
name: too_much
depends_on: marts.revenue
rules: [row_count > 100000000]
`;
const SEMANTIC = `test_total:
  semantic_query: {measures: [revenue.total]}
  inputs: {marts.revenue: [{region: EU, revenue: 3}]}
  rows: [{revenue.total: 3}]
`;

let project: PlannedProject;
beforeAll(() => {
  project = plannedProject({
    ...TINY_PROJECT,
    'tests/test_models.yaml': FAILING,
    'tests/test_semantics.yaml': SEMANTIC,
    'dq/revenue.yml': PACK,
  });
});
afterAll(() => project.remove());

describe('tests of models', () => {
  test('make plinth test fail, because a test that was not run did not pass', async () => {
    const { code, ok, data, diagnostics } = await project.json('test');
    expect({ code, ok, data }).toMatchObject({ code: 1, ok: false, data: { passed: 1, not_run: 1 } });
    expect(diagnostics).toMatchObject([{ code: 'test.not-run', severity: 'error' }]);
  });

  test('do not fail a command that names other tests only', async () => {
    expect(await project.json('test', 'test_total')).toMatchObject({ code: 0, ok: true });
  });

  test('and dq packs are named by every plan, also by one that applies', async () => {
    const { code, diagnostics } = await project.json('plan', '--yes');
    expect(code).toBe(0);
    expect(diagnostics.map(({ code: found, message }) => [found, message]).toSorted()).toEqual([
      ['dq.not-run', '1 dq pack was not run: Plinth cannot run quality checks yet.'],
      [
        'plan.tests-not-run',
        '1 model test was not run before this plan: Plinth cannot run tests of models yet.',
      ],
    ]);
  });
});

test('the status of an environment with dq packs says that they are not run', async () => {
  const { code, diagnostics } = await project.json('status');
  expect(code).toBe(0);
  expect(diagnostics).toMatchObject([{ code: 'dq.not-run', severity: 'warning' }]);
});

test('semantic tests run on the test connection, and leave nothing there', async () => {
  project.write(
    'config.yaml',
    (TINY_PROJECT['config.yaml'] as string).replace(
      'tiny.duckdb}',
      'tiny.duckdb}\n    test_connection: {type: duckdb, database: tests.duckdb}',
    ),
  );
  expect(await project.json('test', 'test_total')).toMatchObject({ code: 0, data: { passed: 1 } });
  expect(existsSync(join(project.folder, 'tests.duckdb'))).toBe(true);
  // Tables that were left would be in the way of the next ones.
  expect(await project.json('test', 'test_total')).toMatchObject({ code: 0, data: { passed: 1 } });
});

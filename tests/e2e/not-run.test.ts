/** What is written down and not run yet says so: a green answer without work would be worse than an error. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { TINY_PROJECT } from './tiny-project.ts';

const SEMANTIC = `test_total:
  semantic_query: {measures: [revenue.total]}
  inputs: {marts.revenue: [{region: EU, revenue: 3}]}
  rows: [{revenue.total: 3}]
`;

let project: PlannedProject;
beforeAll(() => {
  project = plannedProject({ ...TINY_PROJECT, 'tests/test_semantics.yaml': SEMANTIC });
});
afterAll(() => project.remove());

test('a test of a Python model makes plinth test fail, because a test that was not run did not pass', async () => {
  project.write(
    'models/scored.py',
    '@model("marts.scored", columns={"a": "int"})\ndef execute(context): ...\n',
  );
  project.write(
    'tests/test_scored.yaml',
    'test_scored:\n  model: marts.scored\n  outputs: {query: [{a: 1}]}\n',
  );
  const { code, ok, data, diagnostics } = await project.json('test');
  expect({ code, ok, data }).toMatchObject({ code: 1, ok: false, data: { passed: 1, not_run: 1 } });
  expect(diagnostics).toMatchObject([{ code: 'test.not-run', severity: 'error' }]);
  // Left out by name or by expression, it fails nothing.
  expect(await project.json('test', '-k', 'not scored')).toMatchObject({ code: 0, data: { passed: 1 } });
  expect(await project.json('test', 'test_total')).toMatchObject({ code: 0, ok: true });
  for (const path of ['models/scored.py', 'tests/test_scored.yaml']) rmSync(join(project.folder, path));
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

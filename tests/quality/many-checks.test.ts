/** A thousand checks over two hundred models: a line for each model, results that can be asked for, memory that does not grow with them. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { runPlinth } from '../e2e/run-plinth.ts';

const MODELS = 200;
const RULES = 5;
/** Of V8 alone. The command needs about 50 without checks. */
const HEAP_MB = 96;

const files: Record<string, string> = {
  'config.yaml':
    'name: many\ngateways:\n  local:\n    connection: {type: duckdb, database: many.duckdb}\nmodel_defaults: {dialect: duckdb}\n',
};
for (let i = 0; i < MODELS; i++) {
  files[`models/m${i}.sql`] =
    `MODEL (name m.t${i}, kind FULL);\nSELECT i::BIGINT AS id, (i % 7)::BIGINT AS small, repeat('x', 300) || i AS text FROM range(200) AS r(i)\n`;
  files[`dq/m${i}.yml`] = [
    'kind: dq',
    `name: p${i}`,
    `depends_on: m.t${i}`,
    'rules:',
    '  - row_count > 0',
    '  - duplicate_count(id) = 0',
    `  - max(small) < ${i % 9}`,
    "  - invalid_count(text) = 0: {valid_regex: 'x[0-9]+$'}",
    // Fails, with a sample as large as samples can be.
    '  - missing_count(text) = 0: {missing_regex: "x.*", samples_limit: 100}',
    '',
  ].join('\n');
}

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject(files, '2025-01-04');
  const { code, stderr } = await project.plinth('plan', '--yes');
  if (code !== 0) throw new Error(stderr);
}, 300_000);
afterAll(() => project.remove());

test('a thousand checks run in bounded memory, with a line for each model', {
  timeout: 300_000,
}, async () => {
  const { code, signal, stderr } = await runPlinth(['check'], {
    cwd: project.folder,
    variables: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`, PLINTH_NOW: '2025-01-04' },
  });
  expect({ code, signal }).toEqual({ code: 1, signal: null });
  expect(stderr.match(/^ +Checked {2}m\.t\d+ /gm)).toHaveLength(MODELS);
  const state = new DatabaseSync(join(project.folder, '.plinth/state.db'), { readOnly: true });
  const runs = state
    .prepare(
      'SELECT run_id, COUNT(*) AS n, COUNT(DISTINCT model) AS models FROM check_results GROUP BY run_id ORDER BY run_id',
    )
    .all();
  state.close();
  expect(runs.map(({ n, models }) => ({ n, models }))).toEqual([
    { n: MODELS * RULES, models: MODELS },
    { n: MODELS * RULES, models: MODELS },
  ]);
});

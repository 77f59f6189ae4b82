import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ended, envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';

let project: TemporaryProject;
beforeEach(() => {
  project = temporaryProject({
    'config.yaml': 'model_defaults: {dialect: duckdb}\n',
    'models/orders.sql':
      "MODEL (name marts.orders, kind FULL);\nSELECT 1 AS id, 'a' AS status, 5 AS amount\n",
    'checks/orders.yml':
      'checks for orders:\n  - row_count > ${least}\n  - missing_count(id) = 0:\n      name: known\n  - group evolution:\n      query: SELECT 1\n  - missing_count(nosuch) = 0\n',
    'dbt/models/schema.yml':
      'models:\n  - name: orders\n    columns:\n      - {name: id, tests: [unique, not_null: {severity: warn}]}\n',
    'dbt/tests/no_negative.sql': "SELECT * FROM {{ ref('orders') }} WHERE amount < 0\n",
    'dbt/models/orders.sql': 'SELECT {{ not_read }}\n',
    'dbt/target/schema.yml': 'models: [{name: orders, tests: [not_read]}]\n',
  });
});
afterEach(() => project.remove());
const run = (...args: string[]): Promise<Ended> => runPlinth(args, { cwd: project.folder });
const text = (path: string): string => readFileSync(join(project.folder, path), 'utf8');

test('checks of Soda become a pack that loads; the report has every check', async () => {
  const ended = await run('import', 'soda', 'checks', '--variable', 'least=3', '--json');
  expect([ended.code, envelope(ended).data]).toEqual([
    0,
    {
      counts: { checks: 4, imported: 2, approximated: 0, refused: 2 },
      files: [{ path: 'dq/soda/marts_orders.yml', status: 'written' }],
      checks: [
        expect.objectContaining({
          file: 'checks/orders.yml',
          line: 2,
          outcome: 'imported',
          rules: ['row_count > 3'],
        }),
        expect.objectContaining({ line: 3, outcome: 'imported', rules: ['known'] }),
        expect.objectContaining({ line: 5, outcome: 'refused', next: expect.stringContaining('fail_query') }),
        expect.objectContaining({
          line: 7,
          outcome: 'refused',
          why: 'The model marts.orders has no column nosuch.',
        }),
      ],
      unknown_tables: [],
    },
  ]);
  expect(text('dq/soda/marts_orders.yml')).toContain('  # checks/orders.yml:2\n  - row_count > 3\n');
  expect(envelope(await run('info', '--json')).diagnostics).toEqual([]);
});

test('a second import changes nothing; a changed file is left alone without --force', async () => {
  const once = ['import', 'soda', 'checks/orders.yml', '--variable', 'least=3'];
  await run(...once);
  const again = await run(...once);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('as it was')]);
  const path = join(project.folder, 'dq/soda/marts_orders.yml');
  writeFileSync(path, `${text('dq/soda/marts_orders.yml')}  - row_count < 9\n`);
  const kept = await run(...once);
  expect([kept.code, kept.stdout]).toEqual([1, expect.stringContaining('left alone')]);
  expect(text('dq/soda/marts_orders.yml')).toContain('row_count < 9');
  expect((await run(...once, '--force')).code).toBe(0);
  expect(text('dq/soda/marts_orders.yml')).not.toContain('row_count < 9');
});

test('--dry-run prints what would be written, and writes nothing', async () => {
  const ended = await run('import', 'dbt-tests', 'dbt', '--dry-run');
  expect(ended.stdout).toContain('- duplicate_count(id) = 0');
  expect(ended.stdout).toContain('3 checks: 3 imported, 0 approximated, 0 refused');
  expect(existsSync(join(project.folder, 'dq'))).toBe(false);
});

test('tests of dbt become audits where they stop a build, and load', async () => {
  const ended = await run('import', 'dbt-tests', 'dbt', '--as', 'audits', '--json');
  expect(((envelope(ended).data?.['files'] ?? []) as { path: string }[]).map(({ path }) => path)).toEqual([
    'audits/dbt/marts_orders_unique_id.sql',
    'audits/dbt/marts_orders_no_negative.sql',
    'dq/dbt/marts_orders.yml',
  ]);
  expect(envelope(await run('info', '--json')).diagnostics).toEqual([]);
});

test('wrong options say what is expected', async () => {
  const codes = [
    await run('import', 'soda', 'checks', '--as', 'audits', '--json'),
    await run('import', 'soda', 'checks', '--variable', 'least', '--json'),
    await run('import', 'soda', 'checks', '--table', 'orders=marts.ordres', '--json'),
    await run('import', 'soda', 'nowhere', '--json'),
    await run('import', 'gx', 'checks', '--json'),
  ].map((ended) => envelope(ended).error?.['code']);
  expect(codes).toEqual([...Array(3).fill('cli.bad-value'), 'cli.cannot-read', 'cli.bad-value']);
});

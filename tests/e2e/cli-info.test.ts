import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';
import { SMALL_PROJECT } from './small-project.ts';

let project: TemporaryProject;
beforeAll(() => {
  project = temporaryProject({
    ...SMALL_PROJECT,
    'audits/watch.sql': `AUDIT (name days_follow, standalone true);
SELECT * FROM marts.days WHERE orders = 0
`,
    'models/metrics/twice.yml': `kind: metric
name: twice
type: derived
expression: "2 * {one}"
inputs: {one: revenue}
`,
  });
});
afterAll(() => project.remove());
const run = (...args: string[]): Promise<Ended> => runPlinth(args, { cwd: project.folder });

describe('plinth info MODEL', () => {
  test('tells columns with types and descriptions, what guards it, its SQL and what reads it', async () => {
    const ended = await run('info', 'marts.days', '--json');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const { schema, data } = envelope(ended);
    expect(schema).toBe('plinth.info/1');
    expect(data).toMatchObject({
      name: 'marts.days',
      kind: 'incremental-by-time-range',
      owner: 'ada',
      cron: '@daily',
      file: 'models/marts/days.sql',
      has_all_columns: true,
      columns: [
        { name: 'day', type: 'DATE', description: null },
        { name: 'revenue', type: 'DECIMAL(38,2)', description: null },
        { name: 'orders', type: 'BIGINT', description: null },
      ],
      dependencies: ['staging.orders'],
      audits: ['not_null'],
      standalone_audits: ['days_follow'],
      dq_packs: ['days_dq'],
      tests: [],
      read_by: { models: ['marts.best'], semantic_models: ['days'], metrics: ['revenue', 'twice'] },
    });
    expect(data?.['sql']).toContain("WHERE day BETWEEN '2025-06-14' AND '2025-06-14'");
    expect(data?.['sql']).toContain('CAST(ordered_at AS DATE) AS day');
  });

  test('prints the same as text, descriptions from comments included', async () => {
    const orders = await run('info', 'orders');
    expect([orders.code, orders.stderr]).toEqual([2, expect.stringContaining('staging.orders')]);
    const staging = await run('info', 'staging.orders');
    expect(staging.code).toBe(0);
    expect(staging.stdout).toContain('Orders with their day\n');
    expect(staging.stdout).toContain('\norder_id\tINTEGER\twhat it is known by\n');
    const days = await run('info', 'days');
    expect(days.stdout).toMatch(/^marts\.days {2}incremental-by-time-range \(time column day\)\n/);
    for (const line of [
      /^ {2}owner {2,}ada$/m,
      /^ {2}cron {2,}@daily$/m,
      /^ {2}reads {2,}staging\.orders$/m,
      /^ {2}read by {2,}marts\.best, semantic model days, metric revenue, metric twice$/m,
      /^ {2}audits {2,}not_null\(columns := \(day\)\), standalone days_follow$/m,
      /^ {2}checks {2,}days_dq$/m,
      /^SELECT day, SUM\(amount\) AS revenue/m,
    ])
      expect(days.stdout).toMatch(line);
    expect((await run('info', 'marts.best')).stdout).toMatch(/^ {2}tests {2,}test_best$/m);
    expect((await run('info', 'raw.orders')).stdout).toContain('\namount\tDECIMAL(10,2)\t');
  });

  test('answers a name that no model has with the one that was meant', async () => {
    const ended = await run('info', 'marts.dayz');
    expect(ended.code).toBe(2);
    expect(ended.stderr).toBe(
      'error project.unknown-model: There is no model named marts.dayz in this project.\n  hint: did you mean marts.days?\n',
    );
  });

  test('tells what is wrong in the file of the model with it', async () => {
    const broken = temporaryProject({
      ...SMALL_PROJECT,
      'models/marts/odd.sql': `MODEL (name marts.odd, kind FULL);
SELECT nothing FROM marts.days
`,
    });
    try {
      const ended = await runPlinth(['info', 'marts.odd'], { cwd: broken.folder });
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('models/marts/odd.sql:2');
    } finally {
      broken.remove();
    }
  });
});

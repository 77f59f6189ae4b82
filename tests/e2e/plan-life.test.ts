/** The life of an environment through the real program: planned, changed, tried in dev, promoted, taken back, filled day by day. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { TINY_PROJECT } from './tiny-project.ts';

const REVENUE = 'SELECT region, revenue FROM marts.revenue ORDER BY region';
/** Three days of 10 and 20. */
const THREE_DAYS = [
  ['EU', 30],
  ['US', 60],
];
const numbers = (rows: readonly (readonly unknown[])[]): unknown =>
  rows.map((row) => row.map((cell) => (/^\d+$/.test(String(cell)) ? Number(cell) : cell)));

const listOf = <Item>(data: Record<string, unknown> | undefined, key: string): readonly Item[] =>
  (data?.[key] ?? []) as readonly Item[];

describe('the life of a project', { concurrent: false }, () => {
  let project: PlannedProject;
  let firstPlan = '';
  beforeAll(() => {
    project = plannedProject();
  });
  afterAll(() => project.remove());

  test('a preview shows everything and does nothing', async () => {
    const { code, data, ok } = await project.json('plan');
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(data).toMatchObject({ environment: 'prod', applied: false });
    expect(
      listOf<{ name: string; change: string }>(data, 'changes').map(({ name, change }) => [name, change]),
    ).toEqual(
      expect.arrayContaining([
        ['staging.orders', 'added'],
        ['marts.best', 'added'],
      ]),
    );
    expect(data?.['missing']).toEqual(
      expect.arrayContaining([
        { model: 'staging.orders', intervals: [['2025-01-01T00:00:00Z', '2025-01-04T00:00:00Z']] },
      ]),
    );
    expect((await project.plinth('plan', '--explain', '--exit-code')).code).toBe(3);
    expect((await project.plinth('environments')).stdout).not.toContain('prod');
  });

  test('without a terminal a plan needs --yes, and says so', async () => {
    const { code, stderr } = await project.plinth('plan');
    expect(code).toBe(2);
    expect(stderr).toContain('cli.needs-yes');
    expect(stderr).toContain('--yes');
  });

  test('plan --yes builds and shows it', async () => {
    const ended = await project.plinth('plan', '--yes', '--json');
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.at(-1)).toMatchObject({ schema: 'plinth.plan/1', ok: true, data: { applied: true } });
    const events = lines.slice(0, -1);
    expect(events.every(({ v }) => v === 1)).toBe(true);
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['run.started', 'model.built', 'environment.promoted', 'run.finished']),
    );
    expect(
      events.find(({ event, model }) => event === 'model.built' && model === 'staging.orders'),
    ).toMatchObject({
      rows: 6,
      intervals: [['2025-01-01T00:00:00Z', '2025-01-04T00:00:00Z']],
    });
    firstPlan = String((lines.at(-1) as { data: { plan_id: string } }).data.plan_id);
    expect(numbers(await project.rows(REVENUE))).toEqual(THREE_DAYS);
  });

  test('the same plan again has nothing to do', async () => {
    const { data, code } = await project.json('plan', '--exit-code');
    expect(code).toBe(0);
    expect(data).toMatchObject({ changes: [], missing: [], stages: [] });
    expect((await project.plinth('plan')).stdout).toContain('prod is up to date');
  });

  test('a change is tried in dev, shares what did not change, and leaves prod alone', async () => {
    project.write(
      'models/revenue.sql',
      (TINY_PROJECT['models/revenue.sql'] as string).replace(
        'SUM(o.amount) AS revenue',
        'SUM(o.amount * 2) AS revenue',
      ),
    );
    const planned = await project.json('plan', 'dev', '--yes');
    expect(planned.code, JSON.stringify(planned)).toBe(0);
    expect(planned.data?.['changes']).toEqual([
      expect.objectContaining({ name: 'marts.revenue', change: 'direct', category: 'breaking' }),
      expect.objectContaining({ name: 'marts.best', change: 'indirect', category: 'indirect-breaking' }),
    ]);
    expect(numbers(await project.rows(REVENUE))).toEqual(THREE_DAYS);
    expect(numbers(await project.rows(REVENUE, 'dev'))).toEqual([
      ['EU', 60],
      ['US', 120],
    ]);
    const shared = await Promise.all(
      ['prod', 'dev'].map((env) => project.json('table-name', 'staging.orders', '--env', env)),
    );
    expect(shared[0]?.data?.['table']).toBe(shared[1]?.data?.['table']);
  });

  test('table-diff tells how dev differs, diff tells what differs', async () => {
    const compared = await project.json('table-diff', 'prod:dev', 'marts.revenue', '--exit-code');
    expect(compared.code).toBe(3);
    expect(compared.data).toMatchObject({
      columns: { added: [], removed: [], retyped: [] },
      rows: { source: 2, target: 2, equal: 0, different: 2, only_source: 0, only_target: 0 },
      differing: [{ column: 'revenue', rows: 2 }],
    });
    expect((await project.json('diff', 'prod', 'dev')).data?.['changes']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'marts.revenue', change: 'direct' })]),
    );
    expect((await project.json('diff', 'dev')).data?.['changes']).toEqual([]);
  });

  test('promoting what dev built does no work', async () => {
    const { data, code } = await project.json('plan', '--yes');
    expect(code).toBe(0);
    expect(data).toMatchObject({ applied: true, missing: [] });
    expect(listOf<{ kind: string }>(data, 'stages').map(({ kind }) => kind)).not.toContain('backfill');
    expect(numbers(await project.rows(REVENUE))).toEqual([
      ['EU', 60],
      ['US', 120],
    ]);
  });

  test('rollback shows again what was there before', async () => {
    const { code, data } = await project.json('rollback', '--yes', '--to', firstPlan);
    expect(code, JSON.stringify(data)).toBe(0);
    expect(numbers(await project.rows(REVENUE))).toEqual(THREE_DAYS);
    expect((await project.json('runs')).data?.['runs']).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'rollback', status: 'succeeded' })]),
    );
  });

  test('the next day is run from what was applied, and edits are said to be ignored', async () => {
    project.now('2025-01-05T06:00:00Z');
    expect((await project.json('status')).data?.['models']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'staging.orders', status: 'due' })]),
    );
    const ended = await project.plinth('run');
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('marts.revenue');
    expect(ended.stderr).toMatch(/Edits of \d+ models? in the project folder are ignored/);
    expect(numbers(await project.rows(REVENUE))).toEqual([
      ['EU', 40],
      ['US', 80],
    ]);
    const again = await project.json('run');
    expect(again).toMatchObject({ schema: 'plinth.run/1', ok: true, code: 0 });
    expect(again.data?.['models']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'staging.orders', status: 'up-to-date' })]),
    );
  });

  test('a restatement fills again what is filled', async () => {
    project.write('models/revenue.sql', TINY_PROJECT['models/revenue.sql'] as string);
    project.write(
      'data/orders.csv',
      (TINY_PROJECT['data/orders.csv'] as string).replace('1,2025-01-01,EU,10', '1,2025-01-01,EU,110'),
    );
    expect((await project.json('plan')).data).toMatchObject({ changes: [], missing: [] });
    const { code, data } = await project.json(
      'plan',
      '--yes',
      '--restate-model',
      'staging.orders',
      '--start',
      '2025-01-01',
      '--end',
      '2025-01-01',
    );
    expect(code, JSON.stringify(data)).toBe(0);
    expect(data?.['restatements']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          model: 'staging.orders',
          intervals: [['2025-01-01T00:00:00Z', '2025-01-02T00:00:00Z']],
        }),
      ]),
    );
    expect(numbers(await project.rows(REVENUE))).toEqual([
      ['EU', 140],
      ['US', 80],
    ]);
    expect(numbers(await project.rows('SELECT COUNT(*) FROM staging.orders'))).toEqual([[8]]);
  });

  test('evaluate previews the folder and writes nothing', async () => {
    const { data, code } = await project.json(
      'evaluate',
      'staging.orders',
      '--start',
      '2025-01-02',
      '--end',
      '2025-01-02',
    );
    expect(code).toBe(0);
    expect(data?.['rows']).toHaveLength(2);
    expect((await project.json('evaluate', 'marts.revenue', '--limit', '1')).data?.['rows']).toHaveLength(1);
    expect((await project.json('plan')).data).toMatchObject({ stages: [] });
  });

  test('plans and runs are remembered and can be looked at again', async () => {
    const plans = (await project.json('plans', '--env', 'prod')).data?.['plans'] as {
      plan_id: string;
      status: string;
    }[];
    expect(plans.find(({ plan_id }) => plan_id === firstPlan)).toMatchObject({ status: 'applied' });
    expect((await project.plinth('plans', firstPlan, '--explain')).stdout).toContain('staging.orders');
    const runs = (await project.json('runs', '--limit', '1')).data?.['runs'] as { run_id: string }[];
    expect((await project.json('runs', runs[0]?.run_id ?? '')).data?.['run']).toMatchObject({
      status: 'succeeded',
    });
  });

  test('audit passes over what is there', async () => {
    const { data, code } = await project.json('audit');
    expect(code).toBe(0);
    expect(
      listOf<{ name: string; audits: { status: string }[] }>(data, 'models').find(
        ({ name }) => name === 'staging.orders',
      )?.audits,
    ).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'positive_amount', status: 'passed' })]),
    );
  });

  test('state goes out and comes back', async () => {
    const exported = await project.plinth('state', 'export', 'state.jsonl');
    expect(exported.code, exported.stderr).toBe(0);
    const before = await project.json('environments');
    project.write(
      'config.yaml',
      (TINY_PROJECT['config.yaml'] as string).replace(
        'tiny.duckdb}',
        'tiny.duckdb}\n    state_connection: {type: sqlite, database: .plinth/other.db}',
      ),
    );
    const refused = await project.json('plan');
    expect(refused).toMatchObject({ code: 1, error: { code: 'state.mismatch' } });
    const imported = await project.plinth('state', 'import', 'state.jsonl');
    expect(imported.code, imported.stderr).toBe(0);
    expect((await project.json('environments')).data).toEqual(before.data);
    expect((await project.json('plan')).data).toMatchObject({ changes: [], stages: [] });
  });

  test('an environment that is invalidated is removed by the janitor, and only that', async () => {
    expect((await project.plinth('invalidate', 'dev')).code).toBe(0);
    const { code } = await project.json('janitor');
    expect(code).toBe(0);
    const left = (await project.json('environments')).data?.['environments'] as { name: string }[];
    expect(left.map(({ name }) => name)).toEqual(['prod']);
    expect(numbers(await project.rows(REVENUE))).toEqual([
      ['EU', 140],
      ['US', 80],
    ]);
    expect((await project.json('query', '--env', 'dev', '--sql', 'SELECT 1')).error).toMatchObject({
      code: 'environment.unknown',
    });
  });
});

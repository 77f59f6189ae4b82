/** An environment writes only its own tables; `--shared` lets it write those of others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codes, model, PlannedRows } from './planned-rows.ts';

const BY_TIME = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
const days = model('s.days', BY_TIME, 'SELECT d, v FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds');
const total = (factor = 1): Record<string, string> =>
  model('s.total', BY_TIME, `SELECT d, v * ${factor} AS v FROM s.days WHERE d BETWEEN @start_ds AND @end_ds`);
const whole = (factor = 1): Record<string, string> =>
  model('s.whole', 'FULL', `SELECT count(*) AS n, sum(v)::INT * ${factor} AS v FROM s.days`);

let project: PlannedRows;
beforeEach(async () => {
  project = new PlannedRows(
    {
      'external_models.yaml': '- {name: raw.days, columns: {d: DATE, v: INT}}\n',
      ...days,
      ...total(),
      ...whole(),
    },
    '2025-01-05',
  );
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.days AS SELECT x::DATE AS d, 1 AS v FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-20', INTERVAL 1 DAY) t(x)",
  );
  await project.done();
  project.now('2025-01-08');
});
afterEach(() => project.close());

const counts = async (environment: string): Promise<string> =>
  (
    await project.rows(
      'SELECT (SELECT count(*) FROM s.days), (SELECT sum(v)::INT FROM s.total), (SELECT n FROM s.whole)',
      environment,
    )
  ).join();

describe('tables of prod', () => {
  test('are not filled by a new environment, nor by its runs', async () => {
    const work = await project.done('dev');
    expect(codes(work)).toEqual(['plan.shared-table']);
    expect(await counts('prod')).toBe('4,4,4');
    const { waiting, run } = await project.run('dev');
    expect(run.models).toEqual([]);
    expect(waiting.map(({ kind, model: name, on }) => `${kind} ${name} ${on}`)).toContain(
      'owner s.days prod',
    );
    expect(await counts('prod')).toBe('4,4,4');
    expect((await project.status('dev')).models.find(({ model: name }) => name === 's.days')).toMatchObject({
      status: 'waiting',
      detail: expect.stringContaining('prod'),
    });
    await project.run('dev', { isShared: true });
    expect(await counts('prod')).toBe('7,7,7');
    expect(await counts('dev')).toBe('7,7,7');
  });

  test('are not filled by a plan that goes on with the crons', async () => {
    await project.done('dev', { withRun: true });
    expect(await counts('prod')).toBe('4,4,4');
    await project.done('dev', { withRun: true, isShared: true });
    expect(await counts('prod')).toBe('7,7,7');
  });

  test('are not restated, and the plan says how they can be', async () => {
    await project.done('dev');
    await project.warehouse('UPDATE raw.days SET v = 10');
    const work = await project.done('dev', { restateModels: ['s.days'] });
    expect(work.diagnostics).toEqual([
      expect.objectContaining({
        code: 'plan.shared-table',
        message: expect.stringContaining('does not restate s.days'),
        hint: expect.stringContaining('--shared'),
      }),
    ]);
    expect(work.plan.stages).toEqual([]);
    expect(work.plan.restatements).toEqual([]);
    expect(await counts('prod')).toBe('4,4,4');
    await project.run('prod', { executionTime: Date.parse('2025-01-05') });
    expect(await counts('prod')).toBe('4,4,4');
    await project.done('dev', { restateModels: ['s.days'], isShared: true });
    expect(await counts('prod')).toBe('4,40,4');
  });

  test('that read what dev restates are named, with what to do once it is in prod', async () => {
    const count = 'SELECT (SELECT count(*) FROM s.days), (SELECT n::INT FROM s.days_read)';
    project.now('2025-01-05');
    project.write(model('s.days_read', 'FULL', 'SELECT count(*) AS n FROM s.days'));
    await project.done();
    project.write(
      model('s.days', BY_TIME, 'SELECT d, v + 1 AS v FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds'),
    );
    await project.done('dev');
    await project.warehouse("DELETE FROM raw.days WHERE d = DATE '2025-01-02'");
    const { diagnostics } = await project.done('dev', { restateModels: ['s.days'] });
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'plan.shared-table',
        message: expect.stringContaining('does not restate s.days_read'),
        hint: expect.stringContaining('plan prod --restate-model s.days_read'),
      }),
    ]);
    await project.done();
    expect(await project.rows(count)).toEqual(['3,4']);
    await project.done('prod', { restateModels: ['s.days_read'] });
    expect(await project.rows(count)).toEqual(['3,3']);
  });

  test('bound what dev builds itself, which goes on when they do', async () => {
    project.write({ ...total(2), ...whole(2) });
    const { plan } = await project.done('dev');
    expect(plan.missing.map(({ model: name }) => name).sort()).toEqual(['s.total', 's.whole']);
    expect(await counts('dev')).toBe('4,8,4');
    await project.run('dev');
    expect(await counts('dev')).toBe('4,8,4');
    await project.run('prod');
    expect(await counts('prod')).toBe('7,7,7');
    await project.run('dev');
    expect(await counts('dev')).toBe('7,14,7');
    expect(await counts('prod')).toBe('7,7,7');
  });
});

describe('--start and --end', () => {
  test('extend what an environment has, forwards and backwards', async () => {
    project.write({
      ...total(2),
      ...model(
        's.keyed',
        'INCREMENTAL_BY_UNIQUE_KEY (unique_key d)',
        'SELECT d, v FROM s.total WHERE d BETWEEN @start_ds AND @end_ds',
      ),
    });
    await project.run('prod');
    const shown = async (): Promise<string> =>
      (
        await project.rows(
          'SELECT min(d)::VARCHAR, max(d)::VARCHAR, count(*), (SELECT count(*) FROM s.keyed) FROM s.total',
          'dev',
        )
      ).join();
    await project.done('dev', { start: '2025-01-04', end: '2025-01-05' });
    expect(await shown()).toBe('2025-01-04,2025-01-05,2,2');
    await project.done('dev', { end: '2025-01-06' });
    expect(await shown()).toBe('2025-01-04,2025-01-06,3,3');
    await project.done('dev', { start: '2025-01-02' });
    expect(await shown()).toBe('2025-01-02,2025-01-06,5,5');
    await project.done('dev', { start: '2025-01-01', end: '2025-01-20' });
    expect(await shown()).toBe('2025-01-01,2025-01-07,7,7');
    // A later range takes nothing away.
    await project.done('dev', { start: '2025-01-06', end: '2025-01-06' });
    expect(await shown()).toBe('2025-01-01,2025-01-07,7,7');
    expect(await counts('prod')).toBe('7,7,7');
  });

  test('what was made of a table that began late is filled back with it', async () => {
    const below = {
      ...total(2),
      ...model('s.below', BY_TIME, 'SELECT d, v FROM s.total WHERE d BETWEEN @start_ds AND @end_ds'),
    };
    project.write(total(2));
    await project.run('prod');
    await project.done('dev', { start: '2025-01-05' });
    project.write(below);
    await project.done('dev');
    const days5 = await project.rows('SELECT count(*) FROM s.below', 'dev');
    expect(days5).toEqual(['3']);
    await project.done('dev', { start: '2025-01-02' });
    expect(await project.rows('SELECT count(*) FROM s.below', 'dev')).toEqual(['6']);
  });
});

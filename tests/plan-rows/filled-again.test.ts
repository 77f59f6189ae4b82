/** Filling again what rows do not say the interval of: from the beginning, in one step, and never a second merge. */
import { afterEach, describe, expect, test } from 'vitest';
import { codes, model, PlannedRows } from './planned-rows.ts';

let project: PlannedRows;
afterEach(() => project.close());

const BY_TIME = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';

/** 100 keys on each of the first five days of a table that other programs change. */
async function begin(files: Readonly<Record<string, string>>): Promise<void> {
  project = new PlannedRows(
    {
      'external_models.yaml': '- {name: raw.orders, columns: {k: INT, d: DATE, v: INT}}\n',
      ...model('s.orders', BY_TIME, 'SELECT k, d, v FROM raw.orders WHERE d BETWEEN @start_ds AND @end_ds'),
      ...files,
    },
    '2025-01-06',
  );
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.orders AS SELECT i AS k, DATE '2025-01-01' + (i // 100)::INT AS d, 1 AS v FROM range(500) t(i)",
  );
  await project.done();
}

const byKey = (kind: string): Record<string, string> =>
  model('s.latest', kind, 'SELECT k, d, v FROM s.orders WHERE d BETWEEN @start_ds AND @end_ds');
const LATEST = 'SELECT count(*), sum(v)::INT FROM s.latest';

describe('INCREMENTAL_BY_UNIQUE_KEY', () => {
  test.each(['', ', batch_size 2'])('keys that left the source leave the table%s', async (options) => {
    await begin(byKey(`INCREMENTAL_BY_UNIQUE_KEY (unique_key k${options})`));
    expect(await project.rows(LATEST)).toEqual(['500,500']);
    await project.warehouse("DELETE FROM raw.orders WHERE d = '2025-01-02'");
    const work = await project.plan('prod', {
      restateModels: ['s.orders'],
      start: '2025-01-02',
      end: '2025-01-03',
    });
    expect(codes(work)).toEqual(['plan.restates-whole']);
    expect(work.run?.status).toBe('succeeded');
    expect(await project.rows(LATEST)).toEqual(['400,400']);
    expect((await project.preview()).plan?.stages).toEqual([]);
    expect((await project.run()).run.models).toEqual([]);
  });

  test('sums that a merge adds up are not added again', async () => {
    await begin(
      model(
        's.latest',
        'INCREMENTAL_BY_UNIQUE_KEY (unique_key g, when_matched (WHEN MATCHED THEN UPDATE SET target.v = target.v + source.v))',
        'SELECT k % 10 AS g, sum(v)::INT AS v FROM s.orders WHERE d BETWEEN @start_ds AND @end_ds GROUP BY 1',
      ),
    );
    project.now('2025-01-07');
    await project.warehouse("INSERT INTO raw.orders SELECT i, DATE '2025-01-06', 1 FROM range(100) t(i)");
    await project.run();
    expect(await project.rows(LATEST)).toEqual(['10,600']);
    for (const restateModels of [['s.latest'], ['s.orders']]) {
      const again = { restateModels, start: '2025-01-02', end: '2025-01-03' };
      await project.done('prod', again);
      expect(await project.rows(LATEST)).toEqual(['10,600']);
    }
  });

  test('a restatement of time before its start fills nothing again, neither it nor what reads it', async () => {
    await begin({
      ...model(
        's.latest',
        'INCREMENTAL_BY_UNIQUE_KEY (unique_key k)',
        'SELECT k, d, v FROM s.orders WHERE d BETWEEN @start_ds AND @end_ds',
        "start '2025-01-03'",
      ),
      ...model('s.shown', BY_TIME, 'SELECT k, d, v FROM s.latest', "start '2025-01-03'"),
    });
    const work = await project.plan('prod', {
      restateModels: ['s.latest'],
      start: '2025-01-01',
      end: '2025-01-02',
    });
    expect(work.plan?.missing).toEqual([]);
  });

  test('what reads it is filled again as a whole, too', async () => {
    await begin({
      ...byKey('INCREMENTAL_BY_UNIQUE_KEY (unique_key k)'),
      ...model(
        's.daily',
        BY_TIME,
        'SELECT d, count(*) AS n FROM s.latest WHERE d BETWEEN @start_ds AND @end_ds GROUP BY d',
      ),
    });
    await project.warehouse("DELETE FROM raw.orders WHERE d = '2025-01-04'");
    await project.plan('prod', { restateModels: ['s.orders'], start: '2025-01-04', end: '2025-01-04' });
    expect(await project.rows('SELECT sum(n)::INT FROM s.daily')).toEqual(['400']);
    // Rows of another day go, though that day was not asked for: the whole table was made again.
    await project.warehouse("DELETE FROM raw.orders WHERE d = '2025-01-02'");
    await project.plan('prod', { restateModels: ['s.orders'], start: '2025-01-02', end: '2025-01-04' });
    expect(await project.rows('SELECT sum(n)::INT FROM s.daily')).toEqual(['300']);
  });

  test('a restatement that fails leaves everything as it was, and the next run goes on with it', async () => {
    await begin({
      ...model(
        's.latest',
        'INCREMENTAL_BY_UNIQUE_KEY (unique_key k, batch_size 1)',
        'SELECT k, d, v FROM s.orders WHERE d BETWEEN @start_ds AND @end_ds',
        'audits (accepted_range(column := v, max_v := 1))',
      ),
    });
    await project.warehouse(
      "DELETE FROM raw.orders WHERE d = '2025-01-02'",
      "UPDATE raw.orders SET v = 7 WHERE d = '2025-01-05'",
    );
    const failed = await project.plan('prod', { restateModels: ['s.orders'] });
    expect(failed.run?.status).toBe('failed');
    expect(await project.rows(LATEST)).toEqual(['500,500']);
    await project.warehouse("UPDATE raw.orders SET v = 1 WHERE d = '2025-01-05'");
    await project.plan('prod', { restateModels: ['s.orders'], start: '2025-01-05', end: '2025-01-05' });
    expect(await project.rows(LATEST)).toEqual(['400,400']);
  });
});

describe('kinds that forbid it by themselves', () => {
  test.each([
    ['INCREMENTAL_UNMANAGED', ''],
    ['SCD_TYPE_2_BY_COLUMN (unique_key k, columns [v])', ''],
    ['SCD_TYPE_2_BY_TIME (unique_key k, updated_at_name d)', ''],
  ])('%s: the refusal names the option, and with it the table is made anew', async (kind) => {
    const query = 'SELECT k, d, v FROM s.orders WHERE d BETWEEN @start_ds AND @end_ds';
    await begin(model('s.latest', kind, query));
    await project.warehouse("DELETE FROM raw.orders WHERE d = '2025-01-02'");
    const asked = { restateModels: ['s.orders'], start: '2025-01-02', end: '2025-01-02' };
    const refused = await project.plan('prod', asked);
    expect(refused.diagnostics).toEqual([
      expect.objectContaining({
        code: 'plan.cannot-restate',
        message: expect.stringContaining('s.latest'),
        hint: expect.stringContaining('disable_restatement false'),
      }),
    ]);
    expect(await project.rows(LATEST)).toEqual(['500,500']);
    const open = kind.includes('(')
      ? kind.replace(')', ', disable_restatement false)')
      : `${kind} (disable_restatement false)`;
    project.write(model('s.latest', open, query));
    const work = await project.plan('prod', asked);
    expect(codes(work)).toEqual(['plan.restates-whole']);
    expect(await project.rows(LATEST)).toEqual(['400,400']);
  });
});

/** Models that read their own rows: each interval is made of those before it, whatever is filled, restated or late. */
import { afterEach, describe, expect, test } from 'vitest';
import { codes, model, PlannedRows } from './planned-rows.ts';

let project: PlannedRows;
afterEach(() => project.close());

const BY_TIME = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
/** One row a day; its value is that of a table which other programs change. */
const days = (kind = BY_TIME): Record<string, string> =>
  model('s.days', kind, 'SELECT d, v FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds');
const acc = (kind: string, own = 'SELECT max(total) FROM s.acc', properties = ''): Record<string, string> =>
  model(
    's.acc',
    kind,
    `SELECT d, v + COALESCE((${own}), 0) AS total FROM s.days WHERE d BETWEEN @start_ds AND @end_ds`,
    properties,
  );
const DECLARED = 'columns (d DATE, total INT)';
const TOTALS = 'SELECT total FROM s.acc ORDER BY d';
const SUMS = ['1', '3', '6', '10', '15', '21', '28'];

async function begin(files: Readonly<Record<string, string>>, now = '2025-01-08'): Promise<void> {
  project = new PlannedRows(
    {
      'external_models.yaml': '- {name: raw.days, columns: {d: DATE, v: INT}}\n',
      ...days(),
      ...files,
    },
    now,
  );
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.days AS SELECT x::DATE AS d, day(x)::INT AS v FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-20', INTERVAL 1 DAY) t(x)",
  );
}

describe('a model by time range over its own past', () => {
  test.each([
    ['without batches', BY_TIME],
    [
      'with batches side by side',
      'INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 1, batch_concurrency 4)',
    ],
    ['with batches of several units', 'INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 3)'],
    ['with lookback', 'INCREMENTAL_BY_TIME_RANGE (time_column d, lookback 2)'],
    [
      'with declared columns and batches side by side',
      'INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 1, batch_concurrency 4)',
      DECLARED,
    ],
  ])('is filled one interval after another: %s', async (_, kind, properties = '') => {
    await begin(acc(kind, undefined, properties));
    await project.done();
    expect(await project.rows(TOTALS)).toEqual(SUMS);
    project.now('2025-01-10');
    expect((await project.run()).run.status).toBe('succeeded');
    expect(await project.rows(TOTALS)).toEqual([...SUMS, '36', '45']);
  });

  test('says that its batches cannot run side by side', async () => {
    await begin(acc('INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 2, batch_concurrency 4)'));
    const { diagnostics } = await project.preview();
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'model.own-past-in-order',
        message: expect.stringContaining('batch_size'),
      }),
      expect.objectContaining({
        code: 'model.own-past-in-order',
        message: expect.stringContaining('batch_concurrency'),
      }),
    ]);
  });

  test.each([
    ['', ''],
    [', with declared columns', DECLARED],
  ])('is filled again from a restated day to its end, and what reads it too%s', async (_, properties) => {
    await begin({
      ...acc(BY_TIME, undefined, properties),
      ...model(
        's.below',
        BY_TIME,
        'SELECT d, total * 10 AS ten FROM s.acc WHERE d BETWEEN @start_ds AND @end_ds',
      ),
    });
    await project.done();
    await project.warehouse("UPDATE raw.days SET v = v + 100 WHERE d = '2025-01-03'");
    await project.done('prod', { restateModels: ['s.days'], start: '2025-01-03', end: '2025-01-03' });
    const restated = ['1', '3', '106', '110', '115', '121', '128'];
    expect(await project.rows(TOTALS)).toEqual(restated);
    expect(await project.rows('SELECT ten FROM s.below ORDER BY d')).toEqual(
      restated.map((sum) => `${sum}0`),
    );
    // By its own name alone, from the middle, without a change: nothing moves.
    await project.done('prod', { restateModels: ['s.acc'], start: '2025-01-05', end: '2025-01-05' });
    expect(await project.rows(TOTALS)).toEqual(restated);
  });

  test('stops at a day that fails, and goes on from there', async () => {
    await begin(
      acc(
        'INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 1, batch_concurrency 4)',
        undefined,
        'audits (accepted_range(column := total, max_v := 100))',
      ),
    );
    await project.warehouse("UPDATE raw.days SET v = 1000 WHERE d = '2025-01-04'");
    expect((await project.plan()).run?.status).toBe('failed');
    await project.warehouse("UPDATE raw.days SET v = 4 WHERE d = '2025-01-04'");
    await project.done('prod', { restateModels: ['s.days'], start: '2025-01-04', end: '2025-01-04' });
    expect(await project.rows(TOTALS)).toEqual(SUMS);
  });

  test.each([
    ['', ''],
    [', with declared columns', DECLARED],
  ])('is computed from its beginning in an environment that begins late%s', async (_, properties) => {
    await begin(acc(BY_TIME, undefined, properties));
    await project.done('dev', { start: '2025-01-06' });
    expect(await project.rows(TOTALS, 'dev')).toEqual(SUMS);
  });

  test.each(['', DECLARED])('finds its rows by @this_model and under an alias, too: %s', async (columns) => {
    await begin(acc(BY_TIME, 'SELECT max(me.total) FROM @this_model AS me WHERE me.d < @end_date', columns));
    await project.done();
    expect(await project.rows(TOTALS)).toEqual(SUMS);
  });

  test('passes a change of one column on to all it computes from it', async () => {
    const text = (factor: number): Record<string, string> =>
      model(
        's.acc',
        BY_TIME,
        `SELECT d, v * ${factor} AS own, v + COALESCE((SELECT max(own) FROM s.acc), 0) AS total FROM s.days WHERE d BETWEEN @start_ds AND @end_ds`,
      );
    await begin({
      ...text(1),
      ...model('s.below', 'FULL', 'SELECT sum(total) AS sum FROM s.acc'),
    });
    await project.done();
    project.write(text(2));
    const { plan } = await project.preview();
    expect(plan?.changes.map(({ name, category }) => [name, category])).toEqual([
      ['s.acc', 'breaking'],
      ['s.below', 'indirect-breaking'],
    ]);
  });
});

describe('a FULL model over its own rows', () => {
  const counting = model('s.count', 'FULL', 'SELECT 1 + COALESCE((SELECT max(n) FROM s.count), 0) AS n');

  test('is made from an empty table, then from what it was', async () => {
    await begin(counting);
    await project.done();
    expect(await project.rows('SELECT n FROM s.count')).toEqual(['1']);
    project.now('2025-01-09');
    await project.run();
    expect(await project.rows('SELECT n FROM s.count')).toEqual(['2']);
    await project.run();
    expect(await project.rows('SELECT n FROM s.count')).toEqual(['2']);
  });

  test('begins anew when it is restated, and the plan says so', async () => {
    await begin(counting);
    await project.done();
    project.now('2025-01-09');
    await project.run();
    const work = await project.plan('prod', { restateModels: ['s.count'] });
    expect(codes(work)).toContain('plan.restates-whole');
    expect(await project.rows('SELECT n FROM s.count')).toEqual(['1']);
  });

  test('has the types of declared columns, or those that the engine finds', async () => {
    await begin({
      ...model(
        's.declared',
        'FULL',
        'SELECT 1 + COALESCE((SELECT max(n) FROM s.declared), 0) AS n',
        'columns (n BIGINT)',
      ),
      ...model(
        's.found',
        'FULL',
        "SELECT COALESCE((SELECT max(seen) FROM s.found), DATE '2025-01-01') + INTERVAL 1 DAY AS seen, 1.5 + COALESCE((SELECT max(x) FROM s.found), 0) AS x, COALESCE((SELECT max(name) FROM s.found), 'a') || 'b' AS name",
      ),
    });
    await project.done();
    expect(await project.rows('SELECT n, typeof(n) FROM s.declared')).toEqual(['1,BIGINT']);
    expect(await project.rows('SELECT seen, x, name FROM s.found')).toEqual([
      '2025-01-02T00:00:00.000,1.5,ab',
    ]);
    project.now('2025-01-09');
    await project.run();
    expect(await project.rows('SELECT seen, x, name FROM s.found')).toEqual([
      '2025-01-03T00:00:00.000,3.0,abb',
    ]);
  });
});

describe('other kinds over their own rows', () => {
  const own = 'SELECT max(total) FROM s.acc';
  test.each([
    ['INCREMENTAL_BY_UNIQUE_KEY (unique_key d)', ''],
    ['INCREMENTAL_BY_UNIQUE_KEY (unique_key d, lookback 2)', ''],
    ['INCREMENTAL_BY_PARTITION', 'partitioned_by (d)'],
    ['INCREMENTAL_UNMANAGED (disable_restatement false)', ''],
    ['SCD_TYPE_2_BY_COLUMN (unique_key d, columns [total], disable_restatement false)', ''],
    ['SCD_TYPE_2_BY_TIME (unique_key d, updated_at_name d, disable_restatement false)', ''],
  ])('%s: in order, and from the beginning when it is restated', async (kind, properties) => {
    await begin(acc(kind, own, properties));
    await project.done();
    expect(await project.rows(TOTALS)).toEqual(SUMS);
    project.now('2025-01-10');
    await project.run();
    expect(await project.rows(TOTALS)).toEqual([...SUMS, '36', '45']);
    await project.warehouse("UPDATE raw.days SET v = v + 100 WHERE d = '2025-01-03'");
    await project.done('prod', { restateModels: ['s.days'], start: '2025-01-03', end: '2025-01-03' });
    expect(await project.rows(TOTALS)).toEqual(
      [...SUMS, '36', '45'].map((sum, day) => (day < 2 ? sum : String(Number(sum) + 100))),
    );
  });

  test.each(['VIEW', 'EMBEDDED'])('%s has no rows of its own to read', async (kind) => {
    await begin(model('s.self', kind, 'SELECT n FROM s.self'));
    expect(codes(await project.preview())).toContain('model.reads-itself');
  });
});

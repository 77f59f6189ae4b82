/** Forward-only changes: looked at in dev, taken back in prod. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changes, codes, model, PlannedRows } from './planned-rows.ts';

const BY_TIME = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
const days = (factor: number, more = ''): Record<string, string> =>
  model(
    's.days',
    BY_TIME,
    `SELECT d, v * ${factor} AS v${more} FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds`,
  );
const described = (): Record<string, string> =>
  model(
    's.days',
    BY_TIME,
    'SELECT d, v * 2 AS v FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds',
    "description 'days'",
  );
const SUM = 'SELECT sum(v)::INT FROM s.days';
const BELOW = 'SELECT v::INT FROM s.total';

let project: PlannedRows;
beforeEach(async () => {
  project = new PlannedRows(
    {
      'external_models.yaml': '- {name: raw.days, columns: {d: DATE, v: INT}}\n',
      ...days(1),
      ...model('s.total', 'FULL', 'SELECT sum(v) AS v FROM s.days'),
    },
    '2025-01-05',
  );
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.days AS SELECT x::DATE AS d, 12 AS v FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-20', INTERVAL 1 DAY) t(x)",
  );
  await project.done();
  expect(await project.rows(SUM)).toEqual(['48']);
});
afterEach(() => project.close());

describe('taking back a deployed forward-only change', () => {
  const forward = { isForwardOnly: true, effectiveFrom: '2025-01-01' };

  test('rebuilds the rows it made, and what reads them', async () => {
    project.write(days(2));
    await project.done('prod', forward);
    expect(await project.rows(SUM)).toEqual(['96']);
    expect(await project.rows(BELOW)).toEqual(['96']);
    project.write(days(1));
    expect(changes(await project.done())).toEqual([
      's.days direct/breaking',
      's.total indirect/indirect-breaking',
    ]);
    expect(await project.rows(SUM)).toEqual(['48']);
    expect(await project.rows(BELOW)).toEqual(['48']);
    expect((await project.preview()).plan?.stages).toEqual([]);
    project.now('2025-01-06');
    await project.run();
    expect(await project.rows(SUM)).toEqual(['60']);
    expect(await project.rows(BELOW)).toEqual(['60']);
  });

  test('also those of the days since, when it counted from then on', async () => {
    project.write(days(2));
    await project.done('prod', { isForwardOnly: true });
    project.now('2025-01-07');
    await project.run();
    expect(await project.rows(SUM)).toEqual(['96']);
    project.write(days(1));
    await project.done();
    await project.run();
    expect(await project.rows(SUM)).toEqual(['72']);
    expect(await project.rows(BELOW)).toEqual(['72']);
  });

  test('may add and drop a column meanwhile', async () => {
    project.write(days(2, ', 1 AS one'));
    await project.done('prod', forward);
    project.write(days(1));
    const work = await project.done();
    expect(codes(work)).toEqual([]);
    expect(await project.rows('SELECT * FROM s.days ORDER BY d LIMIT 1')).toEqual(['2025-01-01,12']);
    project.write(days(2, ', 1 AS one'));
    await project.done('prod', forward);
    project.write(days(1));
    await project.done();
    expect(await project.rows(SUM)).toEqual(['48']);
    expect((await project.preview()).plan?.stages).toEqual([]);
  });

  test('forward-only again keeps the rows, and says so; they can be filled again', async () => {
    project.write(days(2));
    await project.done('prod', forward);
    project.write(days(1));
    expect(codes(await project.done('prod', { isForwardOnly: true }))).toEqual(['plan.rows-stay']);
    expect(await project.rows(SUM)).toEqual(['96']);
    await project.done('prod', { restateModels: ['s.days'] });
    expect(await project.rows(SUM)).toEqual(['48']);
    expect(await project.rows(BELOW)).toEqual(['48']);
  });

  test('by a rollback keeps the rows, and says so', async () => {
    project.write(days(2));
    await project.done('prod', forward);
    const back = await project.rollback();
    expect(back.diagnostics).toEqual([
      expect.objectContaining({
        code: 'plan.rows-stay',
        message: expect.stringContaining('s.days'),
        hint: expect.stringContaining('--restate-model s.days'),
      }),
      expect.objectContaining({ code: 'plan.rows-stay', message: expect.stringContaining('s.total') }),
    ]);
    expect(await project.rows(SUM)).toEqual(['96']);
    project.write(days(1));
    await project.done('prod', { restateModels: ['s.days'] });
    expect(await project.rows(SUM)).toEqual(['48']);
  });

  test('in dev first, prod takes what dev rebuilt', async () => {
    project.write(days(2));
    await project.done('prod', forward);
    project.write(days(1));
    await project.done('dev');
    expect(await project.rows(SUM, 'dev')).toEqual(['48']);
    expect(await project.rows(SUM)).toEqual(['96']);
    const { plan } = await project.done();
    expect(plan.missing).toEqual([]);
    expect(await project.rows(SUM)).toEqual(['48']);
  });
});

describe('what dev shares while prod changes it forward-only', () => {
  beforeEach(() => project.done('dev'));

  const taken = async (): Promise<void> => {
    project.write(days(2));
    await project.done('prod', { isForwardOnly: true, effectiveFrom: '2025-01-01' });
    expect(await project.rows(SUM, 'dev')).toEqual(['96']);
    project.write(days(1));
  };
  const isAsDefined = async (): Promise<void> => {
    expect(await project.rows(SUM, 'dev')).toEqual(['48']);
    expect(await project.rows(BELOW, 'dev')).toEqual(['48']);
    expect((await project.preview('dev')).plan?.stages).toEqual([]);
  };

  test('is rebuilt by the next plan of dev, whose definition is the same', async () => {
    await taken();
    expect(changes(await project.done('dev'))).toEqual([
      's.days direct/breaking',
      's.total indirect/indirect-breaking',
    ]);
    await isAsDefined();
    expect(await project.rows(SUM)).toEqual(['96']);
  });

  test('is shared again once prod has taken it back', async () => {
    await taken();
    await project.done();
    const { plan } = await project.done('dev');
    expect(plan.missing).toEqual([]);
    await isAsDefined();
  });

  test('is rebuilt also when prod has left the table since', async () => {
    await taken();
    project.write(days(3));
    await project.done();
    project.write(days(1));
    await project.done('dev');
    await isAsDefined();
  });

  test('is rebuilt also when dev changes nothing but metadata', async () => {
    await taken();
    project.write(
      model(
        's.days',
        BY_TIME,
        'SELECT d, v * 1 AS v FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds',
        "description 'days'",
      ),
    );
    await project.done('dev');
    await isAsDefined();
  });

  test('is rebuilt with what dev alone has made of it', async () => {
    project.write(model('s.twice', 'FULL', 'SELECT 2 * sum(v) AS v FROM s.days'));
    await project.done('dev');
    project.delete('models/s.twice.sql');
    await taken();
    project.write(model('s.twice', 'FULL', 'SELECT 2 * sum(v) AS v FROM s.days'));
    project.now('2025-01-06');
    await project.run('prod');
    await project.run('dev');
    project.now('2025-01-05');
    await project.done('dev');
    expect(await project.rows('SELECT v::INT FROM s.twice', 'dev')).toEqual(['96']);
    await isAsDefined();
  });

  test.each([
    ['a plan is forward-only', BY_TIME],
    ['the model is', 'INCREMENTAL_BY_TIME_RANGE (time_column d, forward_only true)'],
  ])('is rebuilt with its readers also where %s', async (_, kind) => {
    const copy = model('s.copy', kind, 'SELECT d, v FROM s.days WHERE d BETWEEN @start_ds AND @end_ds');
    project.write(copy);
    await project.done();
    await project.done('dev');
    await taken();
    const options = { isForwardOnly: kind === BY_TIME };
    await project.done('dev', options);
    await isAsDefined();
    expect(await project.rows('SELECT sum(v)::INT FROM s.copy', 'dev')).toEqual(['48']);
    expect((await project.preview('dev', options)).plan?.stages).toEqual([]);
  });

  test('waits in a run until that plan, also when prod has left the table', async () => {
    await taken();
    project.write(days(3));
    await project.done();
    project.now('2025-01-07');
    const { waiting, missing } = await project.run('dev');
    expect(missing).toEqual([]);
    expect(waiting).toContainEqual(expect.objectContaining({ kind: 'plan', model: 's.days' }));
  });
});

test('what reads a seed that changes with --effective-from is filled again, though its table is kept', async () => {
  const names = (w: number): Record<string, string> => ({ 'seeds/names.csv': `k,w\n1,${w}\n` });
  project.write({
    ...names(10),
    'models/s.names.sql':
      "MODEL (name s.names, kind SEED (path '../seeds/names.csv'), columns (k INT, w INT));\n",
    ...model('s.named', 'FULL', 'SELECT sum(w) AS w FROM s.names'),
  });
  await project.done();
  project.write(names(20));
  await project.done('prod', { isForwardOnly: true, effectiveFrom: '2025-01-03' });
  expect(await project.rows('SELECT w::INT FROM s.named')).toEqual(['20']);
});

describe('forward-only in dev', () => {
  test('shows the last interval, and more by --start', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    expect(await project.rows(SUM, 'dev')).toEqual(['24']);
    expect(await project.rows(BELOW, 'dev')).toEqual(['24']);
    await project.done('dev', { start: '2025-01-03' });
    expect(await project.rows(SUM, 'dev')).toEqual(['48']);
    project.now('2025-01-07');
    await project.run('prod');
    await project.run('dev');
    expect(await project.rows(SUM, 'dev')).toEqual(['96']);
    expect(await project.rows(SUM)).toEqual(['72']);
  });

  test('--start counts beside --effective-from', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true, effectiveFrom: '2025-01-04', start: '2025-01-02' });
    expect(await project.rows(SUM, 'dev')).toEqual(['72']);
    await project.done('prod');
    expect(await project.rows(SUM)).toEqual(['60']);
  });

  test('more by --start reaches what is made whole of it, too', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    await project.done('dev', { start: '2025-01-03' });
    expect(await project.rows(BELOW, 'dev')).toEqual(['48']);
    await project.done('dev', { start: '2025-01-01' });
    expect(await project.rows(BELOW, 'dev')).toEqual(['96']);
    expect((await project.preview('dev')).plan?.stages).toEqual([]);
  });

  test('a range before what is there leaves no gap behind it', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    await project.done('dev', { start: '2025-01-01', end: '2025-01-02' });
    expect(await project.rows(SUM, 'dev')).toEqual(['96']);
    expect(await project.rows(BELOW, 'dev')).toEqual(['96']);
    expect((await project.preview('dev')).plan?.stages).toEqual([]);
  });

  test('what prod has since made of the change is made again of what dev shows', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    await project.done('prod', { isForwardOnly: true });
    project.write({
      ...model('s.seen', 'VIEW', 'SELECT * FROM s.days'),
      ...model('s.count', 'FULL', 'SELECT count(*) AS n FROM s.seen'),
    });
    await project.done('prod');
    await project.done('dev');
    const COUNT = 'SELECT n::INT FROM s.count';
    expect(await project.rows(COUNT)).toEqual(['4']);
    expect(await project.rows(COUNT, 'dev')).toEqual(
      await project.rows('SELECT count(*)::INT FROM s.days', 'dev'),
    );
    expect((await project.preview('dev')).plan?.stages).toEqual([]);
  });

  test('what prod has since described is still made of what dev shows', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    await project.done('prod', { isForwardOnly: true });
    project.write(model('s.total', 'FULL', 'SELECT sum(v) AS v FROM s.days', "description 'all days'"));
    await project.done('prod');
    const { plan } = await project.done('dev');
    expect(plan.missing).toEqual([]);
    expect(await project.rows(BELOW, 'dev')).toEqual(['24']);
  });

  test('what is only written otherwise is made of the change that comes with it', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    project.write({
      ...days(3),
      ...model('s.total', 'FULL', 'WITH all_days AS (SELECT v FROM s.days) SELECT sum(v) AS v FROM all_days'),
    });
    await project.done('dev', { isForwardOnly: true });
    expect(await project.rows(SUM, 'dev')).toEqual(['36']);
    expect(await project.rows(BELOW, 'dev')).toEqual(['36']);
  });

  test('without --effective-from, prod may still say from when it counts', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true });
    await project.done('prod', { isForwardOnly: true, effectiveFrom: '2025-01-03' });
    expect(await project.rows(SUM)).toEqual(['72']);
    expect(await project.rows(BELOW)).toEqual(['72']);
  });

  test('with --effective-from, it counts from there in prod with metadata that came after it', async () => {
    project.write(days(2));
    await project.done('dev', { isForwardOnly: true, effectiveFrom: '2025-01-03' });
    project.write(described());
    await project.done('dev');
    await project.done('prod');
    expect(await project.rows(SUM)).toEqual(['72']);
    expect(await project.rows(BELOW)).toEqual(['72']);
  });

  test('whose loss prod must allow has no hint at a category, for dev has decided that', async () => {
    project.write(days(1, ', 1 AS one'));
    await project.done();
    project.write(days(2));
    const allowed = { allowDestructiveModels: ['s.days'] };
    await project.done('dev', { isForwardOnly: true, ...allowed });
    const refused = await project.preview();
    expect(refused.diagnostics).toEqual([
      expect.objectContaining({
        code: 'plan.destructive-change',
        hint: expect.not.stringContaining('category'),
      }),
    ]);
    const chosen = await project.preview('prod', { categories: { 's.days': 'breaking' } });
    expect(chosen.plan).toBeUndefined();
    await project.done('prod', allowed);
    expect(await project.rows('SELECT * FROM s.days ORDER BY d LIMIT 1')).toEqual(['2025-01-01,12']);
  });

  test('--forward-only cannot undo that dev built a change as breaking, and says so', async () => {
    project.write(days(2));
    await project.done('dev');
    const { diagnostics } = await project.done('prod', { isForwardOnly: true });
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'plan.category-fixed', message: expect.stringContaining('s.days') }),
    ]);
    expect(await project.rows(SUM)).toEqual(['96']);
  });
});

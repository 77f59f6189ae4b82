/** Forward-only plans that change what has no table to keep, a seed or a view: what reads it keeps its own. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changes, model, PlannedRows } from './planned-rows.ts';

const FORWARD = { isForwardOnly: true };
const FROM = { isForwardOnly: true, effectiveFrom: '2025-01-03' };
const NAMED = 'SELECT w::INT FROM s.named';
const DAYS = 'SELECT w::INT FROM s.days ORDER BY d';
const BELOW = 'SELECT w::INT FROM s.below';

const names = (w: number): Record<string, string> => ({ 'seeds/names.csv': `k,w,x\n1,${w},5\n` });
const named = (properties = ''): Record<string, string> =>
  model('s.named', 'FULL', 'SELECT sum(w) AS w FROM s.names', properties);
const seen = (columns: string): Record<string, string> =>
  model('s.seen', 'VIEW', `SELECT ${columns} FROM s.names`);
const daily = (value: string, table: string): string =>
  `SELECT d, (SELECT max(${value}) FROM ${table}) AS ${value} FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds`;

let project: PlannedRows;
beforeEach(async () => {
  project = new PlannedRows(
    {
      'external_models.yaml': '- {name: raw.days, columns: {d: DATE}}\n',
      'models/s.names.sql':
        "MODEL (name s.names, kind SEED (path '../seeds/names.csv'), columns (k INT, w INT, x INT));\n",
      ...names(10),
      ...named(),
      ...seen('w'),
      ...model('s.days', 'INCREMENTAL_BY_TIME_RANGE (time_column d)', daily('w', 's.seen')),
      ...model('s.below', 'FULL', 'SELECT sum(w) AS w FROM s.days'),
      ...model('s.other', 'INCREMENTAL_BY_UNIQUE_KEY (unique_key d)', daily('x', 's.names')),
    },
    '2025-01-05',
  );
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.days AS SELECT x::DATE AS d FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-20', INTERVAL 1 DAY) t(x)",
  );
  await project.done();
});
afterEach(() => project.close());

describe('a seed', () => {
  test('counts from --effective-from on, also through a view, and only for what reads the changed columns', async () => {
    project.write(names(20));
    const planned = await project.done('prod', FROM);
    expect(changes(planned)).toEqual([
      's.below indirect/indirect-non-breaking',
      's.days indirect/forward-only',
      's.named indirect/forward-only',
      's.names direct/breaking',
      's.other indirect/indirect-non-breaking',
      's.seen indirect/indirect-breaking',
    ]);
    expect(planned.plan.missing.map((filled) => filled.model)).not.toContain('s.other');
    expect(await project.rows(NAMED)).toEqual(['20']);
    expect(await project.rows(DAYS)).toEqual(['10', '10', '20', '20']);
    expect(await project.rows(BELOW)).toEqual(['60']);
  });

  test('counts from the time that the plan of dev gave', async () => {
    project.write(names(20));
    await project.done('dev', FROM);
    await project.done('prod');
    expect(await project.rows(NAMED)).toEqual(['20']);
    expect(await project.rows(DAYS)).toEqual(['10', '10', '20', '20']);
  });

  test('counts from --effective-from on for what dev has described meanwhile', async () => {
    project.write(names(20));
    await project.done('dev', FORWARD);
    project.write(named("description 'names'"));
    await project.done('dev');
    await project.done('prod', FROM);
    expect(await project.rows(NAMED)).toEqual(['20']);
  });

  test('counts from --effective-from on for what is written otherwise in the same plan', async () => {
    project.write({
      ...names(20),
      ...model('s.named', 'FULL', 'WITH n AS (SELECT w FROM s.names) SELECT sum(w) AS w FROM n'),
    });
    await project.done('prod', FROM);
    expect(await project.rows(NAMED)).toEqual(['20']);
  });

  test('is looked at in dev with what is made of it', async () => {
    project.write(names(20));
    await project.done('dev', FORWARD);
    expect(await project.rows(NAMED, 'dev')).toEqual(['20']);
    expect(await project.rows(DAYS, 'dev')).toEqual(['20']);
    expect(await project.rows(NAMED)).toEqual(['10']);
    expect((await project.preview('dev', FORWARD)).plan?.stages).toEqual([]);
  });
});

describe('a view', () => {
  test.each([
    ['--forward-only', FORWARD],
    ['--category', { categories: { 's.seen': 'forward-only' as const } }],
  ])('is looked at in dev with what is made of it (%s)', async (_, options) => {
    project.write(seen('w * 2 AS w'));
    await project.done('dev', options);
    expect(await project.rows(DAYS, 'dev')).toEqual(['20']);
    expect(await project.rows(BELOW, 'dev')).toEqual(['20']);
    await project.done('dev', { start: '2025-01-03' });
    expect(await project.rows(BELOW, 'dev')).toEqual(['40']);
    await project.done('prod');
    expect(await project.rows(DAYS)).toEqual(['10', '10', '10', '10']);
    project.now('2025-01-06');
    await project.run();
    expect(await project.rows(DAYS)).toEqual(['10', '10', '10', '10', '20']);
  });

  test('with another column gives it to a table of dev, and not to that of prod', async () => {
    project.write(model('s.all', 'FULL', 'SELECT * FROM s.seen'));
    await project.done();
    project.write(seen('w, x'));
    const { plan } = await project.done('dev', FORWARD);
    expect(plan.stages.filter(({ kind }) => kind === 'migrate')).toEqual([]);
    expect(await project.rows('SELECT * FROM s.all', 'dev')).toEqual(['10,5']);
    expect(await project.rows('SELECT * FROM s.all')).toEqual(['10']);
  });
});

/** Plans of selected models: what reads a changed table keeps its rows until it is rebuilt, and is never forgotten. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changes, codes, model, PlannedRows } from './planned-rows.ts';

const BY_TIME = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
const rev = (factor: number, more = ''): Record<string, string> =>
  model(
    's.rev',
    BY_TIME,
    `SELECT d, v * ${factor} AS r, v AS plain${more} FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds`,
  );
const FILES: Readonly<Record<string, string>> = {
  'external_models.yaml': '- {name: raw.days, columns: {d: DATE, v: INT}}\n',
  ...rev(1),
  ...model('s.top', BY_TIME, 'SELECT d, r AS t FROM s.rev WHERE d BETWEEN @start_ds AND @end_ds'),
  ...model('s.view', 'VIEW', 'SELECT d, r FROM s.rev'),
  ...model('s.over_view', 'FULL', 'SELECT sum(r)::INT AS t FROM s.view'),
  ...model('s.aside', BY_TIME, 'SELECT d, plain AS p FROM s.rev WHERE d BETWEEN @start_ds AND @end_ds'),
  ...model('s.below', 'FULL', 'SELECT sum(t)::INT AS b FROM s.top'),
};

let project: PlannedRows;
beforeEach(async () => {
  project = new PlannedRows(FILES);
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.days AS SELECT x::DATE AS d, 24 AS v FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-20', INTERVAL 1 DAY) t(x)",
  );
  await project.done();
  expect(await sums()).toBe('168,168,168,168,168,168');
  project.write(rev(2));
});
afterEach(() => project.close());

/** Sums of s.rev, s.top, s.view, s.over_view, s.aside, s.below. */
const sums = async (environment = 'prod'): Promise<string> =>
  (
    await project.rows(
      'SELECT (SELECT sum(r)::INT FROM s.rev), (SELECT sum(t)::INT FROM s.top), (SELECT sum(r)::INT FROM s.view), (SELECT t FROM s.over_view), (SELECT sum(p)::INT FROM s.aside), (SELECT b FROM s.below)',
      environment,
    )
  ).join();

const select = { selection: 's.rev' };
const ALL = '336,336,336,336,168,336';
/** Tables stay, a view shows what it reads. */
const PART = '336,168,336,168,168,168';

describe('readers that are not selected', () => {
  test('keep their rows, are told, and are rebuilt by the next plan', async () => {
    const part = await project.done('prod', select);
    expect(changes(part)).toEqual(['s.rev direct/breaking', 's.view indirect/indirect-breaking']);
    expect(part.diagnostics.map(({ code, message }) => `${code} ${message.split(' ')[0]}`).sort()).toEqual([
      'plan.left-behind s.over_view',
      'plan.left-behind s.top',
    ]);
    expect(await sums()).toBe(PART);
    const rest = await project.done();
    expect(codes(rest)).toEqual([]);
    expect(changes(rest)).toEqual([
      's.below indirect/indirect-breaking',
      's.over_view indirect/indirect-breaking',
      's.top indirect/indirect-breaking',
    ]);
    expect(await sums()).toBe(ALL);
    expect((await project.preview()).plan?.stages).toEqual([]);
  });

  test('are not filled by runs, which say why, and go on after they are rebuilt', async () => {
    await project.done('prod', select);
    project.now('2025-01-10');
    const { waiting, run } = await project.run();
    expect(run.status).toBe('succeeded');
    expect(
      waiting
        .filter(({ kind }) => kind === 'plan')
        .map(({ model: name, reason }) => `${name}: ${reason}`)
        .sort(),
    ).toEqual([
      's.over_view: Its rows were made from an earlier s.view; a plan rebuilds it.',
      's.top: Its rows were made from an earlier s.rev; a plan rebuilds it.',
    ]);
    // s.aside reads a column that did not change: nothing holds it up.
    expect(await sums()).toBe('432,168,432,168,216,168');
    const status = await project.status();
    expect(status.models.find(({ model: name }) => name === 's.top')).toMatchObject({
      status: 'waiting',
      detail: expect.stringContaining('an earlier s.rev'),
    });
    await project.done();
    await project.run();
    expect(await sums()).toBe('432,432,432,432,216,432');
  });

  test('are rebuilt when they are selected by themselves', async () => {
    await project.done('prod', select);
    await project.done('prod', { selection: 's.top' });
    expect(await sums()).toBe('336,336,336,168,168,168');
    expect(codes(await project.preview('prod', { selection: 's.aside' }))).toEqual([
      'plan.left-behind',
      'plan.left-behind',
    ]);
    await project.done();
    expect(await sums()).toBe(ALL);
  });

  test('are current again when the change is taken back', async () => {
    await project.done('prod', select);
    project.write(rev(1));
    const back = await project.done('prod', select);
    expect(codes(back)).toEqual([]);
    expect(await sums()).toBe('168,168,168,168,168,168');
    expect((await project.preview()).plan?.stages).toEqual([]);
    project.now('2025-01-09');
    await project.run();
    expect(await sums()).toBe('192,192,192,192,192,192');
  });

  test('are not restated by what they were not made of', async () => {
    await project.done('prod', select);
    await project.warehouse('UPDATE raw.days SET v = 1');
    await project.done('prod', { ...select, restateModels: ['s.rev'] });
    expect(await sums()).toBe('14,168,14,168,7,168');
    const refused = await project.done('prod', { ...select, restateModels: ['s.top'] });
    expect(codes(refused)).toContain('plan.cannot-restate');
    expect(await sums()).toBe('14,168,14,168,7,168');
    await project.done();
    expect(await sums()).toBe('14,14,14,14,7,14');
  });
});

describe('elsewhere', () => {
  test('in dev, then in dev whole, then in prod', async () => {
    await project.done('dev', select);
    expect(await sums('dev')).toBe(PART);
    expect(await sums()).toBe('168,168,168,168,168,168');
    await project.done('dev');
    expect(await sums('dev')).toBe(ALL);
    const { plan } = await project.done();
    expect(plan.missing).toEqual([]);
    expect(await sums()).toBe(ALL);
  });

  test('what dev has in part goes to prod as a whole', async () => {
    await project.done('dev', select);
    await project.done();
    expect(await sums()).toBe(ALL);
    await project.done('dev');
    expect(await sums('dev')).toBe(ALL);
  });

  test('a part of what dev has goes to prod', async () => {
    await project.done('dev');
    const { plan } = await project.done('prod', select);
    expect(plan.missing).toEqual([]);
    expect(await sums()).toBe(PART);
    expect(await sums('dev')).toBe(ALL);
    project.now('2025-01-09');
    await project.run();
    expect(await sums()).toBe('384,168,384,168,192,168');
    const rest = await project.done();
    // What dev built is taken over; only the day since is filled.
    expect(rest.plan.changes.map(({ category }) => category)).not.toContain('breaking');
    await project.run();
    expect(await sums()).toBe('384,384,384,384,192,384');
  });

  test('a new environment over prod that has readers left behind', async () => {
    await project.done('prod', select);
    await project.done('dev');
    expect(await sums('dev')).toBe(ALL);
    expect(await sums()).toBe(PART);
  });

  test('rollback of a part, and back again', async () => {
    const before = await project.done('prod', select);
    await project.rollback();
    expect(await sums()).toBe('168,168,168,168,168,168');
    expect((await project.status()).models.filter(({ status }) => status !== 'fine')).toEqual([]);
    await project.done();
    expect(await sums()).toBe(ALL);
    await project.rollback('prod', before.plan.id);
    expect(await sums()).toBe(PART);
    expect((await project.run()).waiting.map(({ model: name }) => name).sort()).toEqual([
      's.over_view',
      's.top',
    ]);
    await project.done();
    expect(await sums()).toBe(ALL);
  });
});

describe('--skip-backfill', () => {
  test('shows what is built, and what is not is rebuilt later', async () => {
    await project.done('dev', select);
    const part = await project.done('prod', { skipBackfill: true });
    expect(new Set(codes(part))).toEqual(new Set(['plan.not-shown']));
    expect(await sums()).toBe(PART);
    project.now('2025-01-09');
    await project.run();
    expect(await sums()).toBe('384,168,384,168,192,168');
    await project.done();
    await project.run();
    expect(await sums()).toBe('384,384,384,384,192,384');
  });

  test('shows nothing of what is not built', async () => {
    const none = await project.done('prod', { skipBackfill: true });
    expect(new Set(codes(none))).toEqual(new Set(['plan.not-shown']));
    expect(await sums()).toBe('168,168,168,168,168,168');
    project.now('2025-01-09');
    await project.run();
    expect(await sums()).toBe('192,192,192,192,192,192');
    await project.done();
    expect(await sums()).toBe('384,384,384,384,192,384');
  });
});

test('a change that reaches no reader leaves none behind, also by the word of the user', async () => {
  project.write(rev(1, ', 5 AS five'));
  expect(codes(await project.done('prod', select))).toEqual([]);
  project.write(rev(2, ', 5 AS five'));
  expect(codes(await project.done('prod', { ...select, categories: { 's.rev': 'non-breaking' } }))).toEqual(
    [],
  );
  expect((await project.preview()).plan?.changes).toEqual([]);
  project.now('2025-01-09');
  await project.run();
  expect(await sums()).toBe('384,216,384,384,192,216');
});

/** Time that comes late above comes to every reader: only what was ready is recorded as filled. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { model, PlannedRows } from './planned-rows.ts';

let project: PlannedRows;
afterEach(() => project.close());

const BY_TIME = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
const parent = (properties = ''): Record<string, string> =>
  model(
    's.days',
    'INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 1)',
    'SELECT d, v FROM raw.days WHERE d BETWEEN @start_ds AND @end_ds',
    properties,
  );
/** Lets all through but one day. */
const held = (day: string): string => `signals (all_but(day := '${day}'))`;
const ALL_BUT = `export function all_but(ranges: [string, string][], { day }: { day: string }): [string, string][] {
  const DAY = 86_400_000;
  return ranges.flatMap(([start, end]) => {
    const days: [string, string][] = [];
    for (let at = Date.parse(start); at < Date.parse(end); at += DAY)
      if (!day.includes('all') && !day.includes(new Date(at).toISOString().slice(0, 10)))
        days.push([new Date(at).toISOString(), new Date(at + DAY).toISOString()]);
    return days;
  });
}
`;
const read = 'SELECT d, v FROM s.days WHERE d BETWEEN @start_ds AND @end_ds';
const CHILDREN: Readonly<Record<string, string>> = {
  ...model('c.plain', BY_TIME, read),
  ...model('c.looking', 'INCREMENTAL_BY_TIME_RANGE (time_column d, lookback 1)', read),
  ...model('c.far', 'INCREMENTAL_BY_TIME_RANGE (time_column d, lookback 5)', read),
  ...model('c.partition', 'INCREMENTAL_BY_PARTITION', read, 'partitioned_by (d)'),
  ...model('c.keyed', 'INCREMENTAL_BY_UNIQUE_KEY (unique_key d, lookback 1)', read),
  ...model('c.appended', 'INCREMENTAL_UNMANAGED', read),
  ...model('c.view', 'VIEW', 'SELECT d, v FROM s.days'),
  ...model('c.whole', 'FULL', 'SELECT d, v FROM c.view'),
  ...model('c.below', BY_TIME, 'SELECT d, v FROM c.whole WHERE d BETWEEN @start_ds AND @end_ds'),
};
const NAMES = Object.keys(CHILDREN).map((path) => path.slice('models/'.length, -'.sql'.length));

/** Days of each child that are not as those of the source, `all` when they are. */
async function wrong(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of NAMES) {
    const days = await project.rows(
      `SELECT COALESCE(a.d, b.d) AS d FROM s.days AS a FULL JOIN ${name} AS b ON a.d = b.d WHERE a.v IS DISTINCT FROM b.v ORDER BY 1`,
    );
    if (days.length > 0) found.push(`${name}: ${days.join(' ')}`);
  }
  return found;
}
const shown = (name: string): Promise<readonly string[]> => project.rows(`SELECT count(*) FROM ${name}`);

async function source(): Promise<void> {
  await project.warehouse(
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.days AS SELECT x::DATE AS d, day(x)::INT AS v FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-20', INTERVAL 1 DAY) t(x)",
  );
}

const EXTERNAL = { 'external_models.yaml': '- {name: raw.days, columns: {d: DATE, v: INT}}\n' };

describe('a day that a signal holds back', () => {
  beforeEach(async () => {
    project = new PlannedRows({
      ...EXTERNAL,
      'signals/all_but.ts': ALL_BUT,
      ...parent(held('2025-01-05')),
      ...CHILDREN,
    });
    await source();
    await project.done();
  });

  test('is left out by everything that a plan builds, and is there once it is let through', async () => {
    expect(await shown('s.days')).toEqual(['6']);
    for (const name of ['c.plain', 'c.looking', 'c.far', 'c.partition', 'c.appended'])
      expect(await shown(name)).toEqual(['6']);
    // Where order matters, all that follows waits.
    expect(await shown('c.keyed')).toEqual(['4']);
    project.write(parent(held('never')));
    await project.done();
    await project.run();
    expect(await shown('s.days')).toEqual(['7']);
    expect(await wrong()).toEqual([]);
  });

  test('is left out by runs that go on meanwhile', async () => {
    for (const now of ['2025-01-09', '2025-01-10']) {
      project.now(now);
      expect((await project.run()).run.status).toBe('succeeded');
    }
    expect(await shown('c.looking')).toEqual(['8']);
    project.write(parent(held('never')));
    await project.done();
    await project.run();
    expect(await shown('s.days')).toEqual(['9']);
    expect(await wrong()).toEqual([]);
  });

  test('is left out by a restatement around it', async () => {
    await project.warehouse('UPDATE raw.days SET v = v + 100');
    await project.done('prod', { restateModels: ['s.days'] });
    expect(await shown('c.looking')).toEqual(['6']);
    project.write(parent(held('never')));
    await project.done();
    await project.run();
    expect((await wrong()).filter((text) => !text.startsWith('c.appended'))).toEqual([]);
  });
});

test('what is made whole of a table that has nothing yet is neither recorded nor left out later', async () => {
  project = new PlannedRows({
    ...EXTERNAL,
    'signals/all_but.ts': ALL_BUT,
    ...parent(held('all')),
    ...CHILDREN,
  });
  await source();
  const { plan } = await project.done();
  expect(plan?.missing).toEqual([]);
  for (const name of ['c.whole', 'c.below', 'c.plain']) expect(await shown(name)).toEqual(['0']);
  project.write(parent(held('never')));
  await project.done();
  await project.run();
  expect(await shown('c.whole')).toEqual(['7']);
  expect(await wrong()).toEqual([]);
});

test('a day whose batch failed comes to all that read the others meanwhile', async () => {
  const audited = 'audits (accepted_range(column := v, max_v := 50))';
  project = new PlannedRows({ ...EXTERNAL, ...parent(audited), ...CHILDREN }, '2025-01-05');
  await source();
  await project.done();
  await project.warehouse("UPDATE raw.days SET v = 99 WHERE d = '2025-01-06'");
  project.now('2025-01-09');
  expect((await project.run('prod', { selection: 's.days' })).run.status).toBe('failed');
  const before = await shown('s.days');
  const run = await project.run('prod', { selection: 'c.*' });
  expect(run.run.status).toBe('succeeded');
  expect(run.waiting.map(({ model: name }) => name)).toContain('c.whole');
  expect(await shown('c.looking')).toEqual(before);
  await project.warehouse("UPDATE raw.days SET v = 6 WHERE d = '2025-01-06'");
  expect((await project.run()).run.status).toBe('succeeded');
  expect(await shown('s.days')).toEqual(['8']);
  expect(await wrong()).toEqual([]);
});

/** `rm -rf .plinth`, and the way back: what the warehouse recorded and the project agree on, or afresh. Through the real program. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';

const CONFIG = `name: rebuilt
gateways: {local: {connection: {type: duckdb, database: w.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;
/** One row a day, whose value says when it was filled (raw.val) and by which definition. */
const days = (factor: number): string =>
  `MODEL (name s.days, kind INCREMENTAL_BY_TIME_RANGE (time_column d));
SELECT x::DATE AS d, ${factor} * (SELECT max(v) FROM raw.val)::INTEGER AS v
FROM generate_series(@start_ts::TIMESTAMP, @end_ts::TIMESTAMP, INTERVAL 1 DAY) t(x)
`;
const TOTAL = 'MODEL (name s.total, kind FULL);\nSELECT sum(v)::INTEGER AS v FROM s.days\n';
const HISTORY =
  'MODEL (name s.history, kind SCD_TYPE_2_BY_COLUMN (unique_key k, columns [v]));\nSELECT 1::INTEGER AS k, v FROM raw.val\n';
const BY_VALUE = 'SELECT v, count(*)::INTEGER FROM s.days GROUP BY v ORDER BY v';

let project: PlannedProject;
beforeEach(async () => {
  project = plannedProject({
    'config.yaml': CONFIG,
    'external_models.yaml': '- name: raw.val\n  columns: {v: INTEGER}\n',
    'models/days.sql': days(1),
    'models/total.sql': TOTAL,
    'models/shown.sql': 'MODEL (name s.shown, kind VIEW);\nSELECT v FROM s.total\n',
    'models/history.sql': HISTORY,
    'models/semantics/days.yml':
      'kind: semantic\nname: days\ndepends_on: s.days\nprimary_key: [d]\ndimensions: [d]\nmeasures:\n  - {name: total, type: sum, expression: v}\n',
  });
  await execute('CREATE SCHEMA raw', 'CREATE TABLE raw.val AS SELECT 1::INTEGER AS v');
});
afterEach(() => project.remove());

async function execute(...statements: readonly string[]): Promise<void> {
  const engine = await duckdbEngine({ database: 'w.duckdb', folder: project.folder, who: 'test', idleMs: 0 });
  try {
    for (const sql of statements) await engine.write([], (session) => session.execute(sql));
  } finally {
    await engine.close();
  }
}

/** Rows as another program sees them, which knows nothing of the state. */
async function seen(sql: string): Promise<readonly (readonly unknown[])[]> {
  const engine = await duckdbEngine({ database: 'w.duckdb', folder: project.folder, who: 'test', idleMs: 0 });
  try {
    return (await engine.query(sql)).rows;
  } finally {
    await engine.close();
  }
}

type Answer = Awaited<ReturnType<PlannedProject['json']>>;
async function done(...args: readonly string[]): Promise<Answer> {
  const ended = await project.json(...args);
  expect(ended.code, JSON.stringify(ended)).toBe(0);
  return ended;
}

const loseState = (): void => rmSync(join(project.folder, '.plinth'), { recursive: true });

interface Rebuilt {
  readonly name: string;
  readonly proven: readonly string[];
  readonly unproven: readonly { readonly model: string; readonly reason: string }[];
  readonly reason?: string;
}
const rebuiltOf = ({ data }: Answer): readonly Rebuilt[] => data?.['environments'] as readonly Rebuilt[];

describe('a state that was deleted, with the project as it was applied', () => {
  test('is built again: nothing is filled twice, histories and semantics are there, runs go on', async () => {
    await done('plan', '--yes');
    await execute('UPDATE raw.val SET v = 2');
    project.now('2025-01-05');
    await done('run');
    const history = await project.rows('SELECT k, v FROM s.history ORDER BY v');
    expect(history).toHaveLength(2);
    await execute('UPDATE raw.val SET v = 3');
    loseState();
    const refused = await project.json('status');
    expect(refused).toMatchObject({ code: 1, error: { code: 'state.mismatch' } });
    expect(JSON.stringify(refused)).toContain('plinth state rebuild');

    // Everything is proven, so nothing has to be asked.
    const rebuilt = await done('state', 'rebuild');
    expect(rebuiltOf(rebuilt)).toMatchObject([{ name: 'prod', unproven: [], semantics: true }]);
    expect(rebuiltOf(rebuilt)[0]?.proven).toHaveLength(5);
    expect(rebuilt.data?.['set_aside']).toEqual([]);
    expect((await done('status')).data?.['models']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 's.days', status: 'fine' })]),
    );
    expect((await done('plan')).data).toMatchObject({ changes: [], missing: [] });
    expect((await done('query', '--measures', 'days.total')).data?.['rows']).toEqual([[5]]);
    project.now('2025-01-06');
    await done('run');
    expect(await project.rows(BY_VALUE)).toEqual([
      [1, 3],
      [2, 1],
      [3, 1],
    ]);
    expect(await project.rows('SELECT v FROM s.shown')).toEqual([[8]]);
    expect(await project.rows('SELECT k, v FROM s.history ORDER BY v')).toHaveLength(3);
    expect((await done('plan', '--yes')).data).toMatchObject({ changes: [], missing: [] });
    await done('janitor');
    expect(await project.rows('SELECT v FROM s.shown')).toEqual([[8]]);
  });

  test('a table that a forward-only change has filled is known with it', async () => {
    await done('plan', '--yes');
    project.write('models/days.sql', days(10));
    project.now('2025-01-05');
    await done('plan', '--forward-only', '--yes', '--run');
    expect(await project.rows(BY_VALUE)).toEqual([
      [1, 3],
      [10, 1],
    ]);
    loseState();
    expect(rebuiltOf(await done('state', 'rebuild'))).toMatchObject([{ name: 'prod', unproven: [] }]);
    expect((await done('plan')).data).toMatchObject({ changes: [], missing: [] });
    // Back to the first definition: the table has rows of both, so it is not taken for the first one's.
    project.write('models/days.sql', days(1));
    await done('plan', '--yes');
    expect(await project.rows(BY_VALUE)).toEqual([[1, 4]]);
  });

  test('is not mixed with one that knows something', async () => {
    await done('plan', '--yes');
    const refused = await project.json('state', 'rebuild');
    expect(refused).toMatchObject({ code: 1, error: { code: 'state.not-empty' } });
  });

  test('two rebuilds at once are one', async () => {
    await done('plan', '--yes');
    loseState();
    const ended = await Promise.all([project.json('state', 'rebuild'), project.json('state', 'rebuild')]);
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(ended.find(({ code }) => code === 1)).toMatchObject({ error: { code: 'state.not-empty' } });
    expect((await done('plan')).data).toMatchObject({ changes: [], missing: [] });
  });
});

describe('a state that was deleted, with another project than was applied', () => {
  test('what cannot be proven is said, asked about, shown as it was, and built anew by the next plan', async () => {
    await done('plan', '--yes');
    loseState();
    project.write('models/days.sql', days(10));
    expect(await project.json('state', 'rebuild')).toMatchObject({
      code: 2,
      error: { code: 'cli.needs-yes' },
    });
    const shown = await project.plinth('state', 'rebuild', '--yes');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('NOT PROVEN s.days: the project defines it otherwise');
    expect(shown.stdout).toContain('NOT PROVEN s.total: the project defines otherwise what it reads');

    await execute('UPDATE raw.val SET v = 2');
    project.now('2025-01-05');
    await done('run');
    expect((await project.rows('SELECT k, v FROM s.history')).length).toBe(2);
    await done('janitor', '--ignore-ttl');
    expect(await seen(BY_VALUE)).toEqual([[1, 3]]);
    expect(await seen('SELECT v FROM s.shown')).toEqual([[3]]);
    expect(await project.json('query', '--sql', BY_VALUE)).toMatchObject({
      error: { code: 'query.unknown-model' },
    });
    await done('plan', '--yes');
    expect(await project.rows(BY_VALUE)).toEqual([[20, 4]]);
    expect(await project.rows('SELECT v FROM s.shown')).toEqual([[80]]);
    project.now('2025-02-05');
    await done('run');
    const dropped = (await done('janitor')).data?.['dropped'] as readonly string[];
    expect(dropped.filter((name) => name.includes('days__'))).toHaveLength(1);
    expect((await project.rows(BY_VALUE))[0]?.[0]).toBe(20);
  });

  test('a table that another definition has filled since is nobody’s, though its name fits the project', async () => {
    await done('plan', '--yes');
    project.write('models/days.sql', days(10));
    project.now('2025-01-05');
    await done('plan', '--forward-only', '--yes', '--run');
    project.write('models/days.sql', days(1));
    loseState();
    const rebuilt = await done('state', 'rebuild', '--yes');
    expect(rebuiltOf(rebuilt)[0]?.unproven.map(({ model }) => model)).toContain('s.days');
    expect(rebuilt.data?.['set_aside']).toEqual(expect.arrayContaining([expect.stringContaining('days__')]));
    await done('plan', '--yes');
    expect(await project.rows(BY_VALUE)).toEqual([[1, 4]]);
  });

  test('nor is it known through dev, which shows it as it was before', async () => {
    await done('plan', '--yes');
    await done('plan', 'dev', '--yes');
    project.write('models/days.sql', days(10));
    project.now('2025-01-05');
    await done('plan', '--forward-only', '--yes', '--run');
    project.write('models/days.sql', days(100));
    await done('plan', '--yes');
    project.write('models/days.sql', days(1));
    for (const _ of ['once', 'twice']) {
      loseState();
      const rebuilt = rebuiltOf(await done('state', 'rebuild', '--yes'));
      const dev = rebuilt.find(({ name }) => name === 'dev');
      expect(dev?.unproven).toContainEqual(
        expect.objectContaining({ model: 's.days', reason: 'another definition has filled its table since' }),
      );
      await done('plan', '--yes');
      expect(await project.rows(BY_VALUE)).toEqual([[1, 4]]);
      project.write('models/days.sql', days(100));
      await done('plan', '--yes');
      project.write('models/days.sql', days(1));
    }
  });
});

describe('afresh', () => {
  test('asks, believes nothing, and leaves what prod shows until the next plan', async () => {
    await done('plan', '--yes');
    await done('plan', 'dev', '--yes');
    await execute('UPDATE raw.val SET v = 2');
    loseState();
    expect(await project.json('state', 'rebuild', '--afresh')).toMatchObject({
      code: 2,
      error: { code: 'cli.needs-yes' },
    });
    expect(await project.json('plan')).toMatchObject({ error: { code: 'state.mismatch' } });
    const rebuilt = await done('state', 'rebuild', '--afresh', '--yes');
    expect(rebuiltOf(rebuilt).map(({ name, proven }) => [name, proven])).toEqual([
      ['dev', []],
      ['prod', []],
    ]);
    project.now('2025-02-05');
    await done('janitor', '--ignore-ttl');
    expect(await seen(BY_VALUE)).toEqual([[1, 3]]);
    const planned = await done('plan', '--yes');
    expect(planned.data?.['missing']).toHaveLength(3);
    expect(await project.rows('SELECT DISTINCT v FROM s.days')).toEqual([[2]]);
    await done('run');
    await done('janitor', '--ignore-ttl');
    expect(await project.rows('SELECT DISTINCT v FROM s.days')).toEqual([[2]]);
    expect((await done('plan')).data).toMatchObject({ changes: [], missing: [] });
  });

  test('beside a warehouse with nothing in it, there is nothing to do', async () => {
    await done('state', 'rebuild');
    await done('plan', '--yes');
    expect(await project.rows(BY_VALUE)).toEqual([[1, 3]]);
  });
});

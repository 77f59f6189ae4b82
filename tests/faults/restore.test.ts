/** Backing up and restoring as docs/guides/backup.md says, through the real program. */
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { keepersOf } from '../support/keepers-of.ts';

const CONFIG = `name: restored
gateways: {local: {connection: {type: duckdb, database: w.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;
const days = (factor: number): string =>
  `MODEL (name s.days, kind INCREMENTAL_BY_TIME_RANGE (time_column d));
SELECT x::DATE AS d, ${factor} * (SELECT max(v) FROM raw.val)::INTEGER AS v
FROM generate_series(@start_ts::TIMESTAMP, @end_ts::TIMESTAMP, INTERVAL 1 DAY) t(x)
`;
const SUM = 'SELECT count(*)::INTEGER, sum(v)::INTEGER FROM s.days';

let project: PlannedProject;
beforeEach(async () => {
  project = plannedProject({
    'config.yaml': CONFIG,
    'external_models.yaml': '- name: raw.val\n  columns: {v: INTEGER}\n',
    'models/days.sql': days(1),
    'models/total.sql':
      'MODEL (name s.total, kind FULL);\nSELECT count(*)::INTEGER AS n, sum(v)::INTEGER AS v FROM s.days\n',
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

async function done(...args: readonly string[]): Promise<Awaited<ReturnType<PlannedProject['json']>>> {
  const ended = await project.json(...args);
  expect(ended.code, JSON.stringify(ended)).toBe(0);
  return ended;
}

/** Ends the keeper, which would go by itself moments after the last command. */
async function rest(): Promise<void> {
  const file = join(realpathSync(project.folder), 'w.duckdb');
  for (const pid of keepersOf(file)) process.kill(pid, 'SIGTERM');
  await expect.poll(() => keepersOf(file), { timeout: 30_000, interval: 20 }).toEqual([]);
}

const at = (...parts: readonly string[]): string => join(project.folder, ...parts);

/** Both files, while nothing runs. */
async function backUp(name: string): Promise<void> {
  await rest();
  await done('state', 'export', `${name}.jsonl`);
  await rest();
  for (const file of ['w.duckdb', 'w.duckdb.wal'])
    if (existsSync(at(file))) cpSync(at(file), at(`${name}-${file}`));
}

async function restoreState(name: string): Promise<void> {
  rmSync(at('.plinth'), { recursive: true });
  await done('state', 'import', `${name}.jsonl`);
}

async function restoreWarehouse(name: string): Promise<void> {
  await rest();
  for (const file of ['w.duckdb', 'w.duckdb.wal']) {
    rmSync(at(file), { force: true });
    if (existsSync(at(`${name}-${file}`))) cpSync(at(`${name}-${file}`), at(file));
  }
}

describe('a state that was exported three runs ago', () => {
  test.each([
    ['while the keeper lives', false],
    ['after the keeper has gone', true],
  ])('runs go on after its import, %s, and a restatement fills again', async (_, hasRested) => {
    await done('plan', '--yes');
    await done('state', 'export', 'old.jsonl');
    for (const day of ['2025-01-05', '2025-01-06', '2025-01-07']) {
      project.now(day);
      await done('run');
    }
    if (hasRested) await rest();
    await restoreState('old');
    project.now('2025-01-08');
    await done('run');
    expect(await project.rows(SUM)).toEqual([[7, 7]]);
    expect(await project.rows('SELECT n, v FROM s.total')).toEqual([[7, 7]]);
    await execute('UPDATE raw.val SET v = 3');
    await done('plan', '--yes', '--restate-model', 's.days');
    expect(await project.rows(SUM)).toEqual([[7, 21]]);
    expect(await project.rows('SELECT n, v FROM s.total')).toEqual([[7, 21]]);
  });
});

describe('a backup of both files, with a changed model between', () => {
  test.each([
    ['old', 'old'],
    ['old', 'new'],
    ['new', 'old'],
    ['new', 'new'],
  ])('the %s state beside the %s warehouse comes to what the project says', async (state, warehouse) => {
    await done('plan', '--yes');
    await backUp('old');
    project.write('models/days.sql', days(10));
    project.now('2025-01-05');
    await done('plan', '--yes');
    await done('run');
    await backUp('new');
    project.now('2025-01-06');
    await done('run');

    await restoreWarehouse(warehouse);
    await restoreState(state);
    await done('plan', '--yes');
    expect(await project.rows('SELECT DISTINCT v FROM s.days')).toEqual([[10]]);
    project.now('2025-01-07');
    await done('run');
    expect(await project.rows(SUM)).toEqual([[6, 60]]);
    expect(await project.rows('SELECT n, v FROM s.total')).toEqual([[6, 60]]);
    expect((await done('plan')).diagnostics).toEqual([]);
    await done('janitor');
    await execute('UPDATE raw.val SET v = 3');
    await done('plan', '--yes', '--restate-model', 's.days');
    expect(await project.rows(SUM)).toEqual([[6, 180]]);
  });
});

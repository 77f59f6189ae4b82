/** State and warehouse from different times, and views and columns that another program changed, through the real program. */
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { keepersOf } from '../support/keepers-of.ts';

const CONFIG = `name: steps
gateways: {local: {connection: {type: duckdb, database: w.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;
const days = (value: string): string =>
  `MODEL (name s.days, kind INCREMENTAL_BY_TIME_RANGE (time_column d));
SELECT x::DATE AS d, ${value} AS v FROM generate_series(@start_ts::TIMESTAMP, @end_ts::TIMESTAMP, INTERVAL 1 DAY) t(x)
`;
/** Each a query of its own: two that are equal get a warning of the linter. */
const total = (name: string): string =>
  `MODEL (name s.${name}, kind VIEW);\nSELECT sum(v)::INTEGER AS n FROM s.days WHERE '${name}' <> ''\n`;
const SUM = 'SELECT count(*)::INTEGER, sum(v)::INTEGER FROM s.days';

let project: PlannedProject;
beforeEach(() => {
  project = plannedProject({
    'config.yaml': CONFIG,
    'models/days.sql': days('1'),
    'models/total.sql': total('total'),
    'models/old.sql': total('old'),
  });
});
afterEach(() => project.remove());

const WAREHOUSE = ['w.duckdb', 'w.duckdb.wal'];
const STATE = ['state.db', 'state.db-wal', 'state.db-shm'].map((name) => `.plinth/${name}`);

/** Copies files of the project to a folder beside it, or back; what is not in the copy goes. */
function copy(files: readonly string[], to: 'away' | 'back', name: string): void {
  for (const file of files) {
    const [from, target] = [join(project.folder, file), join(project.folder, name, file)];
    const [source, goal] = to === 'away' ? [from, target] : [target, from];
    rmSync(goal, { force: true });
    if (existsSync(source)) cpSync(source, goal);
  }
}

async function execute(...statements: readonly string[]): Promise<void> {
  const engine = await duckdbEngine({ database: 'w.duckdb', folder: project.folder, who: 'test', idleMs: 0 });
  try {
    for (const sql of statements) await engine.write([], (session) => session.execute(sql));
  } finally {
    await engine.close();
  }
}

/** Ends the keeper, which would go by itself moments after the last command. */
async function rest(): Promise<void> {
  const file = join(realpathSync(project.folder), 'w.duckdb');
  for (const pid of keepersOf(file)) process.kill(pid, 'SIGTERM');
  await expect.poll(() => keepersOf(file), { timeout: 30_000, interval: 20 }).toEqual([]);
}

async function done(...args: readonly string[]): Promise<Awaited<ReturnType<PlannedProject['json']>>> {
  const ended = await project.json(...args);
  expect(ended.code, JSON.stringify(ended)).toBe(0);
  return ended;
}

const codes = ({ diagnostics }: { readonly diagnostics: readonly Record<string, unknown>[] }): unknown =>
  diagnostics.map(({ code }) => code).sort();

/** A plan, a copy, and a plan of a changed model, with a model that is new and one that is gone. */
async function twoTimes(): Promise<void> {
  await done('plan', '--yes');
  await rest();
  copy([...WAREHOUSE, ...STATE], 'away', 'first');
  project.write('models/days.sql', days('7'));
  project.write('models/old.sql', total('fresh'));
  await done('plan', '--yes');
  await rest();
}

describe('an older warehouse beside a newer state', () => {
  test('a plan says so, and prod shows what the state says', async () => {
    await twoTimes();
    copy(WAREHOUSE, 'back', 'first');
    const plan = await done('plan', '--yes');
    expect(codes(plan)).toContain('environment.shown-again');
    expect(await project.rows(SUM)).toEqual([[3, 21]]);
    expect(await project.rows('SELECT n FROM s.fresh')).toEqual([[21]]);
    expect((await project.plinth('query', '--sql', 'SELECT * FROM s.old')).code).not.toBe(0);
    expect((await done('plan')).diagnostics).toEqual([]);
  });

  test('a run fills what is missing and shows it, and the next one has nothing to do', async () => {
    await twoTimes();
    copy(WAREHOUSE, 'back', 'first');
    expect(codes(await done('run'))).toContain('environment.shown-again');
    expect(await project.rows(SUM)).toEqual([[3, 21]]);
    expect(await project.rows('SELECT n FROM s.total')).toEqual([[21]]);
    const next = await done('run');
    expect(next.diagnostics).toEqual([]);
    project.now('2025-01-05');
    await done('run');
    expect(await project.rows(SUM)).toEqual([[4, 28]]);
  });

  test('the janitor refuses, and drops nothing that prod shows', async () => {
    await twoTimes();
    copy(WAREHOUSE, 'back', 'first');
    project.now('2025-03-01');
    const refused = await project.json('janitor');
    expect(refused).toMatchObject({ error: { code: 'environment.out-of-step' } });
    expect(refused.code).not.toBe(0);
    expect(JSON.stringify(refused.error)).toContain('plinth plan prod');
  });
});

describe('an older state beside a newer warehouse', () => {
  test('run, janitor and rollback refuse with the way out', async () => {
    await twoTimes();
    copy(STATE, 'back', 'first');
    for (const command of [['run'], ['janitor'], ['rollback', '--yes']])
      expect(await project.json(...command), command[0]).toMatchObject({
        error: { code: 'environment.out-of-step' },
      });
    expect(await project.rows('SELECT 1')).toEqual([[1]]);
  });

  test('a plan brings prod to the project without filling again what is filled', async () => {
    await twoTimes();
    copy(STATE, 'back', 'first');
    const plan = await done('plan', '--yes');
    expect(codes(plan)).toContain('environment.shown-again');
    expect(await project.rows(SUM)).toEqual([[3, 21]]);
    project.now('2025-01-05');
    await done('run');
    expect(await project.rows(SUM)).toEqual([[4, 28]]);
  });
});

describe('what another program changed', () => {
  const table = async (): Promise<string> => {
    const engine = await duckdbEngine({
      database: 'w.duckdb',
      folder: project.folder,
      who: 'test',
      idleMs: 0,
    });
    try {
      const { rows } = await engine.query(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE table_name LIKE 'days__%'",
      );
      return String(rows[0]?.[0]);
    } finally {
      await engine.close();
    }
  };

  test('an unchanged environment is not accused, whatever its columns are called', async () => {
    project.write(
      'models/odd.sql',
      'MODEL (name s.odd, kind FULL);\nSELECT 1 AS "select", 2 AS "two words", 3 AS "Upper", 4 AS "quo""te"\n',
    );
    await done('plan', '--yes');
    expect((await done('run')).diagnostics).toEqual([]);
    await done('plan', 'dev', '--yes');
    expect((await done('plan')).diagnostics).toEqual([]);
    expect((await done('plan', 'dev')).diagnostics).toEqual([]);
  });

  test('a replaced view is noticed by a run and made again by a plan', async () => {
    await done('plan', '--yes');
    await execute(
      `CREATE OR REPLACE VIEW s.days AS SELECT d, v FROM ${await table()} WHERE d > '2025-01-02'`,
    );
    expect(codes(await done('run'))).toEqual(['environment.view-replaced']);
    expect(codes(await done('plan', '--yes'))).toEqual(['environment.view-replaced']);
    expect(await project.rows(SUM)).toEqual([[3, 3]]);
  });

  test('a view that reads nothing of ours is noticed, and a plan refuses to overwrite it', async () => {
    await done('plan', '--yes');
    await execute('CREATE OR REPLACE VIEW s.days AS SELECT 1 AS x');
    expect(codes(await done('run'))).toEqual(['environment.view-replaced']);
    const plan = await project.json('plan', '--yes');
    expect(plan).toMatchObject({ error: { code: 'plan.name-taken' } });
    expect(plan.code).not.toBe(0);
  });

  test.each([
    ['dropped', 'DROP COLUMN v', 'environment.column-lost'],
    ['renamed', 'RENAME COLUMN v TO w', 'environment.column-lost'],
    ['retyped', 'ALTER COLUMN v TYPE VARCHAR', 'environment.column-retyped'],
  ])('a %s column is noticed by plan and run', async (_, change, code) => {
    await done('plan', '--yes');
    await execute(`ALTER TABLE ${await table()} ${change}`);
    expect(codes(await project.json('run'))).toEqual([code]);
    expect(codes(await project.json('plan'))).toEqual([code]);
  });

  test('a dry run of the janitor lists exactly what the janitor drops', async () => {
    await done('plan', '--yes');
    project.write('models/days.sql', days('7'));
    await done('plan', '--yes');
    project.now('2025-03-01');
    const { data } = await done('janitor', '--dry-run');
    const swept = await done('janitor');
    expect(data?.['would_drop']).toEqual(swept.data?.['dropped']);
    expect(data?.['would_drop']).not.toEqual([]);
  });

  test('the janitor keeps a table that a view of another program reads', async () => {
    await done('plan', '--yes');
    const first = await table();
    await execute(
      'CREATE SCHEMA mine',
      `CREATE VIEW mine.kept AS SELECT count(*)::INTEGER AS n FROM ${first}`,
    );
    project.write('models/days.sql', days('7'));
    await done('plan', '--yes');
    project.now('2025-03-01');
    const swept = await done('janitor');
    expect(JSON.stringify(swept.data)).toContain('the view mine.kept reads it');
    expect(await project.rows('SELECT sum(v)::INTEGER FROM s.days')).toEqual([[21]]);
    await execute(`INSERT INTO ${first} SELECT * FROM ${first}`);
  });
});

/** What can go wrong with plans and runs, through the real program. After each of them the rows are those from before. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { runPlinth } from './run-plinth.ts';
import { orders, TINY_PROJECT } from './tiny-project.ts';

let project: PlannedProject;
const original = (path: string): string => TINY_PROJECT[path] as string;
const COUNTS = 'SELECT COUNT(*)::INTEGER, SUM(amount)::INTEGER FROM staging.orders';

beforeAll(async () => {
  project = plannedProject();
  const built = await project.plinth('plan', '--yes');
  if (built.code !== 0) throw new Error(built.stderr);
});
beforeEach(() => {
  for (const [path, text] of Object.entries(TINY_PROJECT)) project.write(path, text);
  project.now('2025-01-04');
});
afterAll(() => project.remove());

async function refused(
  args: readonly string[],
  code: string,
  exitCode: number,
): Promise<Record<string, unknown>> {
  const answer = await project.json(...args);
  const found = answer.error ?? answer.diagnostics.find(({ severity }) => severity === 'error');
  expect({ code: found?.['code'], exit: answer.code, ok: answer.ok }, JSON.stringify(answer)).toEqual({
    code,
    exit: exitCode,
    ok: false,
  });
  expect(await project.rows(COUNTS)).toEqual([[6, 90]]);
  return found as Record<string, unknown>;
}

describe('before anything is written', () => {
  test('a model that does not exist is named', () =>
    refused(['plan', '--select', 'marts.nothing'], 'plan.unknown-model', 2));
  test('so it is in a restatement', () =>
    refused(['plan', '--restate-model', 'marts.revenu'], 'plan.unknown-model', 2));
  test('a reference to a model that is gone is refused', async () => {
    project.write('models/regions.sql', '');
    const { message } = await refused(['plan', '--yes'], 'plan.broken-reference', 2).catch((error) => {
      throw error;
    });
    expect(message).toContain('raw.regions');
  });
  test('a project that does not load is not planned', async () => {
    project.write('models/best.sql', 'MODEL (name marts.best, kind VIEW);\nSELECT MAX( FROM marts.revenue\n');
    await refused(['plan', '--yes'], 'sql.syntax', 2);
  });
  test('a wrong time, an unknown option and a wrong environment are usage errors', async () => {
    await refused(['plan', '--start', 'someday'], 'cli.bad-value', 2);
    await refused(['plan', '--selekt', 'x'], 'cli.unknown-option', 2);
    await refused(['plan', '1st'], 'environment.bad-name', 2);
    await refused(['run', 'nowhere'], 'environment.unknown', 2);
    await refused(['rollback', 'nowhere', '--yes'], 'environment.unknown', 2);
  });
  test('a column that the engine does not know is found before the plan is applied', async () => {
    project.write(
      'models/best.sql',
      'MODEL (name marts.best, kind VIEW);\nSELECT MAX(revenue) + nope() AS best_revenue FROM marts.revenue\n',
    );
    await refused(['plan', '--yes'], 'plan.engine-refuses', 2);
  });
  test('an engine without an adapter is said to be one', async () => {
    project.write(
      'config.yaml',
      original('config.yaml').replace(
        '{type: duckdb, database: tiny.duckdb}',
        '{type: trino, host: h, user: u, catalog: c}',
      ),
    );
    const answer = await project.json('plan');
    expect(answer).toMatchObject({ code: 2, error: { code: 'engine.no-adapter' } });
  });
});

describe('a plan file', () => {
  const change = (): void =>
    project.write(
      'models/best.sql',
      'MODEL (name marts.best, kind VIEW);\nSELECT MIN(revenue) AS best_revenue FROM marts.revenue\n',
    );
  test('that is cut off or edited is refused as a whole', async () => {
    change();
    expect((await project.plinth('plan', '-o', 'plan.json')).code).toBe(0);
    const text = readFileSync(join(project.folder, 'plan.json'), 'utf8');
    project.write('cut.json', text.slice(0, text.length / 2));
    await refused(['apply', 'cut.json', '--yes'], 'cli.bad-plan-file', 2);
    project.write('edited.json', text.replace('MIN(', 'MAX('));
    await refused(['apply', 'edited.json', '--yes'], 'cli.bad-plan-file', 2);
    project.write('other.json', '{"schema":"something/1"}');
    await refused(['apply', 'other.json', '--yes'], 'cli.bad-plan-file', 2);
    await refused(['apply', 'missing.json', '--yes'], 'cli.cannot-read', 2);
    await refused(['apply', 'p_nothing', '--yes'], 'cli.unknown-plan', 2);
  });
  test('is applied as it is, without the folder, and only once', async () => {
    const own = plannedProject();
    try {
      expect((await own.plinth('plan', '-o', 'plan.json')).code).toBe(0);
      own.write('models/best.sql', 'MODEL (name marts.best, kind VIEW);\nSELECT 42 AS best_revenue\n');
      const applied = await own.json('apply', 'plan.json', '--yes');
      expect(applied, JSON.stringify(applied)).toMatchObject({ code: 0, data: { applied: true } });
      expect(await own.rows('SELECT best_revenue::INTEGER FROM marts.best')).toEqual([[60]]);
      expect(await own.json('apply', 'plan.json', '--yes')).toMatchObject({
        code: 1,
        error: { code: 'environment.moved', message: expect.stringContaining('already') },
      });
    } finally {
      own.remove();
    }
  });
  test('is refused when the environment has moved', async () => {
    const own = plannedProject();
    try {
      expect((await own.plinth('plan', '--yes')).code).toBe(0);
      own.write('models/best.sql', 'MODEL (name marts.best, kind VIEW);\nSELECT 1 AS best_revenue\n');
      const { data } = await own.json('plan', '-o', 'plan.json');
      own.write('models/best.sql', 'MODEL (name marts.best, kind VIEW);\nSELECT 2 AS best_revenue\n');
      expect((await own.plinth('plan', '--yes')).code).toBe(0);
      for (const plan of ['plan.json', data?.['plan_id'] as string])
        expect(await own.json('apply', plan, '--yes')).toMatchObject({
          code: 1,
          error: { code: 'environment.moved' },
        });
      expect(await own.rows('SELECT best_revenue FROM marts.best')).toEqual([[2]]);
    } finally {
      own.remove();
    }
  });
});

describe('an audit', () => {
  test('that fails in a run holds the rows back, and what reads them', async () => {
    const own = plannedProject();
    try {
      expect((await own.plinth('plan', '--yes')).code).toBe(0);
      own.write('data/orders.csv', orders(10, { 8: -5 }));
      own.now('2025-01-05');
      const ran = await own.json('run');
      expect(ran, JSON.stringify(ran)).toMatchObject({ code: 1, ok: false, schema: 'plinth.run/1' });
      const models = ran.data?.['models'] as {
        name: string;
        status: string;
        audits: unknown[];
        because?: string;
      }[];
      expect(models.find(({ name }) => name === 'staging.orders')).toMatchObject({
        status: 'failed',
        audits: expect.arrayContaining([
          expect.objectContaining({ name: 'positive_amount', status: 'failed', failed_rows: 1 }),
        ]),
      });
      expect(models.find(({ name }) => name === 'marts.revenue')).toMatchObject({ status: 'skipped' });
      expect(await own.rows(COUNTS)).toEqual([[6, 90]]);
      expect((await own.json('status')).data?.['models']).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 'staging.orders', status: 'broken' })]),
      );
      own.write('data/orders.csv', orders(10));
      expect((await own.plinth('run')).code).toBe(0);
      expect(await own.rows(COUNTS)).toEqual([[8, 120]]);
    } finally {
      own.remove();
    }
  });
  test('on a column that is missing is told before anything is built', async () => {
    project.write(
      'audits/positive_amount.sql',
      'AUDIT (name positive_amount);\nSELECT * FROM @this_model WHERE amont <= 0\n',
    );
    await refused(['plan', '--yes'], 'audit.unknown-column', 2);
  });
});

describe('the warehouse', () => {
  test('is refused when DuckDB would put its log elsewhere', async () => {
    const own = plannedProject({
      ...TINY_PROJECT,
      'config.yaml': original('config.yaml').replace('tiny.duckdb', "'what?/tiny.duckdb'"),
    });
    try {
      const { code, error } = await own.json('plan', '--yes');
      expect([code, error]).toMatchObject([1, { code: 'engine.cannot-open' }]);
      expect(error?.['message']).toContain('cuts the path of a file at its question mark');
    } finally {
      own.remove();
    }
  });

  test('held by another program is said to be', async () => {
    const own = plannedProject();
    const duckdb = createRequire(import.meta.url).resolve('@duckdb/node-api');
    const holder = spawn(
      process.execPath,
      [
        '-e',
        `require(${JSON.stringify(duckdb)}).DuckDBInstance.create('tiny.duckdb').then(() => { console.log('held'); setInterval(() => {}, 1000); })`,
      ],
      { cwd: own.folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      await new Promise((resolve) => holder.stdout.once('data', resolve));
      const answer = await own.json('plan', '--yes');
      expect(answer.code, JSON.stringify(answer)).toBe(1);
      expect(String(answer.error?.['code'])).toMatch(/^engine\./);
      expect(answer.error?.['message']).toContain('tiny.duckdb');
    } finally {
      holder.kill('SIGKILL');
      own.remove();
    }
  });
});

describe('an environment that is being changed', () => {
  test('is busy at once, and is waited for with --wait', async () => {
    const own = plannedProject();
    const state = await sqliteStateStore({ file: join(own.folder, '.plinth/state.db') });
    const lease = { name: 'environment:prod', holder: 'r_other', who: 'plinth plan (somebody else)' };
    try {
      await state.journal.takeLease({ ...lease, now: Date.now() });
      expect(await own.json('plan', '--yes')).toMatchObject({
        code: 1,
        error: { code: 'environment.busy', message: expect.stringContaining('somebody else') },
      });
      await state.journal.takeLease({ ...lease, now: Date.now() });
      const waiting = own.json('plan', '--yes', '--wait', '1m');
      setTimeout(() => void state.journal.releaseLease(lease.name, lease.holder), 1500);
      expect(await waiting).toMatchObject({ code: 0, data: { applied: true } });
    } finally {
      await state.close();
      own.remove();
    }
  });
});

describe('plans that wait for one another', () => {
  const model = (value: number): string => `MODEL (name s.days, kind FULL);\nSELECT ${value} AS v\n`;
  const filesOf = (value: number): Readonly<Record<string, string>> => ({
    'config.yaml': 'name: turns\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\n',
    'models/days.sql': model(value),
    'models/other.sql': 'MODEL (name s.other, kind FULL);\nSELECT 1 AS a\n',
  });

  test('all succeed when they show the same: one does it, the others find it done', async () => {
    const own = plannedProject(filesOf(1));
    try {
      for (const value of [1, 2]) {
        own.write('models/days.sql', model(value));
        const plans = Array.from({ length: 5 }, () => own.json('plan', '--yes', '--wait', '2m'));
        for (const ended of await Promise.all(plans))
          expect(ended, JSON.stringify(ended)).toMatchObject({ code: 0, data: { applied: true } });
        expect(await own.rows('SELECT v FROM s.days')).toEqual([[value]]);
      }
    } finally {
      own.remove();
    }
  });

  test('one is refused when what it showed is no longer what it would do', async () => {
    const own = plannedProject(filesOf(1));
    try {
      expect((await own.plinth('plan', '--yes')).code).toBe(0);
      own.write(
        'models/other.sql',
        `MODEL (name s.other, kind FULL);
SELECT COUNT(*) AS a FROM range(20000) AS a(x) CROSS JOIN range(12000) AS b(y) WHERE a.x + b.y % 7 = -1
`,
      );
      let second: ReturnType<typeof own.json> | undefined;
      const first = await runPlinth(['plan', '--yes', '--json'], {
        cwd: own.folder,
        variables: { PLINTH_NOW: '2025-01-04' },
        meanwhile: (child) => {
          child.stdout?.on('data', (chunk: Buffer) => {
            if (second !== undefined || !chunk.toString().includes('model.started')) return;
            own.write('models/other.sql', filesOf(1)['models/other.sql'] as string);
            own.write('models/days.sql', model(2));
            second = own.json('plan', '--yes', '--wait', '5m');
          });
        },
      });
      expect(first.code, first.stdout).toBe(0);
      expect(await second).toMatchObject({ code: 1, error: { code: 'environment.moved' } });
      expect(await own.rows('SELECT v FROM s.days')).toEqual([[1]]);
    } finally {
      own.remove();
    }
  });
});

describe('query --sql', () => {
  test('writes nothing', async () => {
    await refused(['query', '--sql', 'DROP VIEW marts.best'], 'query.not-a-query', 2);
    await refused(['query', '--sql', 'DELETE FROM staging.orders'], 'query.not-a-query', 2);
    await refused(
      ['query', '--sql', 'WITH a AS (SELECT 1) DELETE FROM staging.orders'],
      'query.not-a-query',
      2,
    );
    await refused(['query', '--sql', 'SELECT 1; DROP VIEW marts.best'], 'query.not-a-query', 2);
    await refused(
      ['query', '--sql', 'SELECT 1) AS asked; DROP VIEW marts.best; SELECT * FROM (SELECT 1'],
      'query.cannot-parse',
      2,
    );
  });
  test('names the model that is missing, and what it could be', async () => {
    expect(
      await refused(['query', '--sql', 'SELECT * FROM marts.revenu'], 'query.unknown-model', 2),
    ).toMatchObject({ hint: expect.stringContaining('marts.revenue') });
  });
  test('answers as table, JSON and CSV, in the order asked for', async () => {
    const sql = 'SELECT region, revenue::INTEGER AS revenue FROM marts.revenue ORDER BY revenue DESC';
    expect((await project.plinth('query', '--sql', sql)).stdout).toBe('region\trevenue\nUS\t60\nEU\t30\n');
    expect((await project.plinth('query', '--sql', sql, '--format', 'csv')).stdout).toBe(
      'region,revenue\nUS,60\nEU,30\n',
    );
    expect(JSON.parse((await project.plinth('query', '--sql', sql, '--format', 'json')).stdout)).toEqual({
      cols: [
        { name: 'region', type: 'VARCHAR' },
        { name: 'revenue', type: 'INTEGER' },
      ],
      rows: [
        ['US', 60],
        ['EU', 30],
      ],
    });
    expect((await project.json('query', '--sql', sql, '--limit', '1')).data?.['rows']).toEqual([['US', 60]]);
  });
});

/** Real processes that want the same thing at the same time. A write stands still at a gate, so every test meets the moment it is about. */
import { afterEach, expect } from 'vitest';
import { envelope } from '../e2e/run-plinth.ts';
import type { DealtTest } from '../support/long-form.ts';
import {
  type ConcurrentProject,
  describeWithEveryState,
  type Gate,
  ledgerOf,
  type MakeProject,
} from './gated-project.ts';

const DAY_5 = '2025-01-06T00:10:00Z';
const DAY_8 = '2025-01-09T00:10:00Z';

/** Ten rows a day, which stand at the gate after they were written and before they are committed; a total below them. */
const gated = (gate: Gate): Readonly<Record<string, string>> => ({
  'models/slow.sql': `MODEL (name c.slow, kind INCREMENTAL_BY_TIME_RANGE (time_column day), cron '@daily');
SELECT CAST(d AS DATE) AS day, i::INTEGER AS id
FROM generate_series(@start_date::TIMESTAMP, @end_date::TIMESTAMP, INTERVAL 1 DAY) AS g(d), range(10) AS r(i)
WHERE d BETWEEN @start_date AND @end_date;
${gate.statement};
`,
  'models/appended.sql': `MODEL (name c.appended, kind INCREMENTAL_UNMANAGED, cron '@daily');
SELECT day, id FROM c.slow WHERE day BETWEEN @start_date AND @end_date
`,
  'models/total.sql':
    "MODEL (name c.total, kind FULL, cron '@daily');\nSELECT count(*)::INTEGER AS n FROM c.appended\n",
});

function suite(make: MakeProject, test: DealtTest): void {
  let project: ReturnType<MakeProject>;
  afterEach(() => project.close());

  /** Days, rows and the total as an environment shows them. */
  async function totals(schema = 'c', of: ConcurrentProject = project): Promise<readonly unknown[]> {
    const engine = await of.warehouse();
    const { rows } = await engine.query(
      `SELECT (SELECT count(*) FROM ${schema}.slow)::INTEGER, (SELECT count(*) FROM ${schema}.appended)::INTEGER, (SELECT n FROM ${schema}.total)`,
    );
    return rows[0] ?? [];
  }

  /** Plans prod up to the fifth day, through the gate. */
  async function planned(): Promise<void> {
    const plan = project.start(DAY_5, 'plan', '--yes');
    await (await project.gate.reached()).pass();
    const { code, stderr } = await plan.end;
    expect(stderr.includes('error') ? stderr : '').toBe('');
    expect(code).toBe(0);
  }

  test('two processes plan one environment at the same moment: one works, the other is told so before it starts', async () => {
    project = make(gated);
    const both = [project.start(DAY_5, 'plan', '--yes'), project.start(DAY_5, 'plan', '--yes', '--json')];
    const standing = await project.gate.reached();
    // One stands at the gate, so the first that ends is the one that was refused.
    const refused = await Promise.race(both.map(({ end }) => end));
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toMatch(/environment\.busy/);
    expect(refused.stdout + refused.stderr).toMatch(/plinth plan .*process \d+/);
    await standing.pass();
    const ends = await Promise.all(both.map(({ end }) => end));
    expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(await totals()).toEqual([50, 50, 50]);
    const runs = await project.run(DAY_5, 'runs', '--json');
    expect(envelope(runs).data?.['runs']).toHaveLength(1);
  });

  test('two environments that need one table at the same time: it is built once, the other waits and shares it', async () => {
    project = make(gated);
    const dev = project.start(DAY_5, 'plan', 'dev', '--yes');
    const standing = await project.gate.reached();
    const qa = project.start(DAY_5, 'plan', 'qa', '--yes', '--json');
    const isEarly = await Promise.race([
      qa.end.then(() => true),
      new Promise((done) => setTimeout(done, 2500)),
    ]);
    expect(isEarly).not.toBe(true);
    await standing.pass();
    const ends = await Promise.all([dev.end, qa.end]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(await project.gate.standing()).toBeUndefined();
    expect(ends[1].stdout).toMatch(/model\.waiting/);
    expect(await totals('c__dev')).toEqual([50, 50, 50]);
    expect(await totals('c__qa')).toEqual([50, 50, 50]);
    const engine = await project.warehouse();
    for (const model of ['c.slow', 'c.appended'])
      expect(await ledgerOf(engine, model)).toEqual(['2025-01-01 2025-01-06']);
  });

  test('a plan during a run of its environment is refused, a reader sees the rows from before, and the run ends undisturbed', async () => {
    project = make(gated);
    await planned();
    const run = project.start(DAY_8, 'run');
    const standing = await project.gate.reached();
    project.write('models/more.sql', 'MODEL (name c.more, kind FULL);\nSELECT 1 AS one\n');
    const [plan, read] = await Promise.all([
      project.run(DAY_8, 'plan', '--yes'),
      project.run(DAY_8, 'query', '--format', 'json', '--sql', 'SELECT count(*), max(day) FROM c.slow'),
    ]);
    expect(plan.code).toBe(1);
    expect(plan.stderr).toMatch(/environment\.busy/);
    expect(JSON.parse(read.stdout).rows).toEqual([[expect.anything(), '2025-01-05']]);
    expect(Number(JSON.parse(read.stdout).rows[0][0])).toBe(50);
    await standing.pass();
    expect((await run.end).code).toBe(0);
    expect(await totals()).toEqual([80, 80, 80]);
    const later = await project.run(DAY_8, 'plan', '--yes');
    expect(later.code).toBe(0);
    expect(await totals()).toEqual([80, 80, 80]);
  });

  test('a plan that may wait for a run goes on when the run is done', async () => {
    project = make(gated);
    await planned();
    const run = project.start(DAY_8, 'run');
    const standing = await project.gate.reached();
    project.write('models/more.sql', 'MODEL (name c.more, kind FULL);\nSELECT n FROM c.total\n');
    const plan = project.start(DAY_8, 'plan', '--yes', '--wait', '30s');
    await new Promise((done) => setTimeout(done, 1500));
    await standing.pass();
    expect((await run.end).code).toBe(0);
    const { code, stderr } = await plan.end;
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const engine = await project.warehouse();
    expect((await engine.query('SELECT n FROM c.more')).rows).toEqual([[80]]);
  });

  test('a janitor at work during a plan drops nothing that the plan needs', async () => {
    project = make(gated);
    await planned();
    // qa builds tables that nobody else has, and is given up.
    project.write(
      'models/total.sql',
      'MODEL (name c.total, kind FULL);\nSELECT count(*)::INTEGER + 0 AS n, 1 AS one FROM c.appended\n',
    );
    expect((await project.run(DAY_5, 'plan', 'qa', '--yes')).code).toBe(0);
    expect((await project.run(DAY_5, 'invalidate', 'qa')).code).toBe(0);
    // dev needs the same table, already filled, and one more that stands at the gate.
    project.write(
      'models/slow_too.sql',
      `MODEL (name c.slow_too, kind FULL);\nSELECT n FROM c.total;\n${project.gate.statement};\n`,
    );
    const plan = project.start(DAY_5, 'plan', 'dev', '--yes');
    const standing = await project.gate.reached();
    const janitor = await project.run(DAY_5, 'janitor', '--json');
    expect([janitor.code, janitor.code === 0 ? '' : janitor.stdout]).toEqual([0, '']);
    await standing.pass();
    const { code, stderr } = await plan.end;
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const engine = await project.warehouse();
    expect((await engine.query('SELECT n, one FROM c__dev.total')).rows).toEqual([[50, 1]]);
    expect((await engine.query('SELECT n FROM c__dev.slow_too')).rows).toEqual([[50]]);
    expect(await totals()).toEqual([50, 50, 50]);
    // Later nothing but qa's own things is left to drop, and dev still stands.
    expect((await project.run(DAY_5, 'janitor')).code).toBe(0);
    expect((await engine.query('SELECT n, one FROM c__dev.total')).rows).toEqual([[50, 1]]);
  });

  test('a process that was paused while another took over can no longer commit', async () => {
    project = make(gated);
    await planned();
    const paused = project.start(DAY_8, 'run');
    const standing = await project.gate.reached();
    process.kill(paused.pid, 'SIGSTOP');
    // Its rows are written by now, and only its COMMIT is missing.
    await standing.pass();
    const successor = project.start(DAY_8, 'run', '--wait', '30s');
    await (await project.gate.reached()).pass();
    const end = await successor.end;
    expect([end.code, end.code === 0 ? '' : end.stderr]).toEqual([0, '']);
    expect(await totals()).toEqual([80, 80, 80]);
    process.kill(paused.pid, 'SIGCONT');
    const late = await paused.end;
    expect(late.code).toBe(1);
    expect(late.stdout + late.stderr).toMatch(/run\.lease-lost|engine\.fenced|state\.lease-lost/);
    expect(await totals()).toEqual([80, 80, 80]);
    const engine = await project.warehouse();
    for (const model of ['c.slow', 'c.appended'])
      expect(await ledgerOf(engine, model)).toEqual(['2025-01-01 2025-01-06', '2025-01-06 2025-01-09']);
    expect((await project.run(DAY_8, 'run')).code).toBe(0);
    expect(await totals()).toEqual([80, 80, 80]);
  });

  test('a process that was paused inside its promotion can no longer show what it built', async () => {
    const model = (text: string, after = ''): string =>
      `MODEL (name c.shown, kind FULL);\nSELECT '${text}' AS text;\n${after}`;
    project = make((gate) => ({
      'models/shown.sql': model(
        'paused',
        `ON_VIRTUAL_UPDATE_BEGIN;\n${gate.statement};\nON_VIRTUAL_UPDATE_END;\n`,
      ),
    }));
    const paused = project.start(DAY_5, 'plan', '--yes');
    const standing = await project.gate.reached();
    process.kill(paused.pid, 'SIGSTOP');
    await standing.pass();
    project.write('models/shown.sql', model('successor'));
    const successor = await project.run(DAY_5, 'plan', '--yes', '--wait', '30s');
    expect([successor.code, successor.code === 0 ? '' : successor.stderr]).toEqual([0, '']);
    process.kill(paused.pid, 'SIGCONT');
    const late = await paused.end;
    expect(late.code).toBe(1);
    expect(late.stdout + late.stderr).toMatch(/lease-lost|engine\.fenced/);
    const engine = await project.warehouse();
    expect((await engine.query('SELECT text FROM c.shown')).rows).toEqual([['successor']]);
    const again = await project.run(DAY_5, 'plan', '--json');
    expect(envelope(again).data?.['changes']).toEqual([]);
  });
}

describeWithEveryState(suite);

/** What a plan makes good again through the real program: decisions of plans that failed, tables and views that somebody dropped. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';

const CONFIG = `name: repairs
gateways: {local: {connection: {type: duckdb, database: repairs.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;
const days = (value: string, audits = ''): string =>
  `MODEL (name s.days, kind INCREMENTAL_BY_TIME_RANGE (time_column d)${audits});
SELECT x::DATE AS d, ${value} AS v FROM generate_series(@start_ts::TIMESTAMP, @end_ts::TIMESTAMP, INTERVAL 1 DAY) t(x)
`;
const SUM = 'SELECT count(*)::INTEGER, sum(v)::INTEGER FROM s.days';

interface Shown {
  readonly name: string;
  readonly category: string | null;
  readonly reason: string;
}
const changeOf = (data: Record<string, unknown> | undefined, name: string): Shown | undefined =>
  ((data?.['changes'] ?? []) as readonly Shown[]).find((change) => change.name === name);

describe('a plan that failed', () => {
  let project: PlannedProject;
  beforeEach(() => {
    project = plannedProject({ 'config.yaml': CONFIG, 'models/days.sql': days('1') });
  });
  afterEach(() => project.remove());

  test('fixes no category: the next plan of the same state may be forward-only, and keeps the table', async () => {
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    project.write('models/days.sql', days('2', ', audits (accepted_range(column := v, max_v := 1))'));
    const failed = await project.json('plan', '--yes');
    expect(failed).toMatchObject({ code: 1, error: { code: 'audit.failed' } });
    expect(await project.rows(SUM)).toEqual([[3, 3]]);

    const plain = await project.json('plan');
    expect(changeOf(plain.data, 's.days')).toMatchObject({ category: 'breaking' });
    expect(changeOf(plain.data, 's.days')?.reason).not.toContain('decided by');
    // What is there passes, and forward-only changes nothing of it.
    const forward = await project.json('plan', '--forward-only', '--yes');
    expect(forward.code, JSON.stringify(forward)).toBe(0);
    expect(changeOf(forward.data, 's.days')).toMatchObject({ category: 'forward-only' });
    expect(await project.rows(SUM)).toEqual([[3, 3]]);
    project.now('2025-01-05');
    expect(await project.json('run')).toMatchObject({ code: 1, error: { code: 'audit.failed' } });
    expect(await project.rows(SUM)).toEqual([[3, 3]]);

    // Now it is applied, and stays what it is.
    const again = await project.json('plan', 'dev', '--category', 's.days=breaking');
    expect(again.data).toMatchObject({ changes: [] });
  });

  test('loses nothing that it built: the same decision goes on with its tables', async () => {
    project.write(
      'models/late.sql',
      "MODEL (name s.late, kind FULL);\nSELECT error('not yet') AS x FROM s.days\n",
    );
    expect((await project.plinth('plan', '--yes')).code).toBe(1);
    project.write('models/late.sql', 'MODEL (name s.late, kind FULL);\nSELECT count(*) AS x FROM s.days\n');
    const next = await project.json('plan', '--yes');
    expect(next.code).toBe(0);
    expect(((next.data?.['missing'] ?? []) as { model: string }[]).map(({ model }) => model)).toEqual([
      's.late',
    ]);
    expect(await project.rows(SUM)).toEqual([[3, 3]]);
  });
});

describe('what somebody dropped in the warehouse', () => {
  let project: PlannedProject;
  beforeEach(() => {
    project = plannedProject({
      'config.yaml': CONFIG,
      'models/days.sql': days('1'),
      'seeds/names.csv': 'v,name\n1,one\n',
      'models/names.sql': "MODEL (name s.names, kind SEED (path '../seeds/names.csv'));\n",
      'models/total.sql':
        'MODEL (name s.total, kind FULL);\nSELECT name, count(*)::INTEGER AS n FROM s.days JOIN s.names USING (v) GROUP BY name\n',
      'models/shown.sql': 'MODEL (name s.shown, kind VIEW);\nSELECT name, n FROM s.total\n',
    });
  });
  afterEach(() => project.remove());

  /** Statements for what the catalog has under these names, done as another program would. */
  async function drop(...wanted: readonly string[]): Promise<void> {
    const engine = await duckdbEngine({ database: 'repairs.duckdb', folder: project.folder, who: 'test' });
    try {
      const { rows } = await engine.query(
        `SELECT 'TABLE', schema_name, table_name FROM duckdb_tables() UNION ALL SELECT 'VIEW', schema_name, view_name FROM duckdb_views() WHERE NOT internal`,
      );
      if (wanted[0] === 'SCHEMA')
        await engine.write([], (it) => it.execute(`DROP SCHEMA ${wanted[1]} CASCADE`));
      for (const [object, schema, name] of rows)
        if (
          wanted.some((each) => each === `${schema}.${name}` || `${schema}.${name}`.startsWith(`${each}__`))
        )
          await engine.write([], (session) => session.execute(`DROP ${object} ${schema}."${name}"`));
    } finally {
      await engine.close();
    }
  }

  const codes = ({ diagnostics }: { readonly diagnostics: readonly Record<string, unknown>[] }): unknown =>
    diagnostics.map(({ code }) => code).sort();
  const missing = (data: Record<string, unknown> | undefined): readonly string[] =>
    ((data?.['missing'] ?? []) as readonly { model: string }[]).map(({ model }) => model).sort();
  const SHOWN = 'SELECT name, n FROM s.shown';

  test('tables are found, said to be gone and filled again by a plan', async () => {
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    await drop('plinth__s.days', 'plinth__s.names');
    const plan = await project.json('plan', '--yes');
    expect(plan.code, JSON.stringify(plan)).toBe(0);
    expect(codes(plan)).toEqual(['environment.table-lost', 'environment.table-lost']);
    expect(missing(plan.data)).toEqual(['s.days', 's.names']);
    expect(await project.rows(SUM)).toEqual([[3, 3]]);
    expect(await project.rows(SHOWN)).toEqual([['one', 3]]);
    expect(await project.json('plan')).toMatchObject({ diagnostics: [], data: { stages: [] } });
  });

  test('a run finds them too, when a whole schema is gone', async () => {
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    await drop('SCHEMA', 'plinth__s');
    const run = await project.json('run');
    expect(run.code, JSON.stringify(run)).toBe(0);
    expect(codes(run)).toEqual(Array.from({ length: 4 }, () => 'environment.table-lost'));
    expect(await project.rows(SUM)).toEqual([[3, 3]]);
    expect(await project.rows(SHOWN)).toEqual([['one', 3]]);
  });

  test('views are made again by a plan, and a run says that they are gone', async () => {
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    await drop('s.days', 's.shown');
    const run = await project.json('run');
    expect(codes(run)).toEqual(['environment.view-lost', 'environment.view-lost']);
    const plan = await project.json('plan', '--yes');
    expect(codes(plan)).toEqual(['environment.view-lost', 'environment.view-lost']);
    expect(plan.data).toMatchObject({ changes: [], missing: [], applied: true });
    expect(await project.rows(SUM)).toEqual([[3, 3]]);
    expect(await project.rows(SHOWN)).toEqual([['one', 3]]);
    expect((await project.plinth('plan')).stdout).toContain('is up to date');
  });
});

/** What a plan makes good again through the real program: decisions of plans that failed, tables and views that somebody dropped. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';

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
  }, 60_000);

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
  }, 60_000);
});

/**
 * A plan of dev makes an audit binding over a table that prod writes at the same time. Whatever comes first, dev never
 * shows a row that it refuses. `first` and `last` stand at gates, so every test meets the moment it is about.
 *
 *   raw.rows ── d.first (FULL, gate) ──▶ d.t (by time) ──▶ d.last (dev only, second gate)
 */
import { afterEach, beforeEach, expect } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import type { DealtTest } from '../support/long-form.ts';
import { describeWithEveryState, type Gate, type MakeProject } from './gated-project.ts';

const DAY_5 = '2025-01-06T00:10:00Z';
const DAY_8 = '2025-01-09T00:10:00Z';
const DAY_9 = '2025-01-10T00:10:00Z';
const NO_BAD = ', audits (no_bad)';

const table = (audits = ''): string =>
  `MODEL (name d.t, kind INCREMENTAL_BY_TIME_RANGE (time_column day), cron '@daily'${audits});
SELECT day, id, is_bad FROM d.first WHERE day BETWEEN @start_date AND @end_date
`;
const side = (name: string): string =>
  `MODEL (name d.${name}, kind FULL, cron '@daily');\nSELECT count(*) AS n FROM d.first\n`;

const files = (gate: Gate): Readonly<Record<string, string>> => ({
  'models/first.sql': `MODEL (name d.first, kind FULL, cron '@daily');\nSELECT day, id, is_bad FROM raw.rows;\n${gate.statement};\n`,
  'models/t.sql': table(),
  'models/left.sql': side('left_side'),
  'models/right.sql': side('right_side'),
  'audits/no_bad.sql': 'AUDIT (name no_bad);\nSELECT * FROM @this_model WHERE is_bad\n',
  'audits/one_only.sql':
    'AUDIT (name one_only);\nSELECT * FROM @this_model WHERE left_n > 5 AND right_n > 5\n',
  'external_models.yaml': '- name: raw.rows\n  columns: {day: date, id: int, is_bad: boolean}\n',
});

/** What dev adds: an audit of the table, or an audited view over a view over an EMBEDDED model over it. */
const DEMANDS: readonly (readonly [what: string, files: Readonly<Record<string, string>>, shows: string])[] =
  [
    ['an audit of the table', { 'models/t.sql': table(NO_BAD) }, 'd__dev.t'],
    [
      'an audited view over the table, through a view and an EMBEDDED model',
      {
        'models/e.sql': 'MODEL (name d.e, kind EMBEDDED);\nSELECT day, id, is_bad FROM d.t\n',
        'models/w.sql': 'MODEL (name d.w, kind VIEW);\nSELECT day, is_bad FROM d.e\n',
        'models/v.sql': `MODEL (name d.v, kind VIEW${NO_BAD});\nSELECT day, is_bad FROM d.w\n`,
      },
      'd__dev.v',
    ],
  ];

function suite(make: MakeProject, test: DealtTest): void {
  let project: ReturnType<MakeProject>;
  let engine: Engine;

  beforeEach(async () => {
    project = make(files);
    engine = await project.warehouse();
    await engine.write([], (session) =>
      session.execute(
        "CREATE SCHEMA raw; CREATE TABLE raw.rows AS SELECT CAST(d AS DATE) AS day, 1 AS id, false AS is_bad FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-05', INTERVAL 1 DAY) AS g(d)",
      ),
    );
    const plan = project.start(DAY_5, 'plan', '--yes');
    await (await project.gate.reached()).pass();
    const { code, stdout, stderr } = await plan.end;
    if (code !== 0) throw new Error(stdout + stderr);
    await engine.write([], (session) =>
      session.execute(
        "INSERT INTO raw.rows VALUES (DATE '2025-01-06', 1, false), (DATE '2025-01-07', 1, true), (DATE '2025-01-08', 1, false)",
      ),
    );
  });
  afterEach(() => project.close());

  function write(given: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(given)) project.write(path, text);
  }

  /** Bad rows as dev shows them; `none` while dev shows nothing. */
  async function badRows(of: string): Promise<unknown> {
    const [schema, name] = of.split('.');
    const { rows } = await engine.query(
      `SELECT 1 FROM duckdb_views() WHERE schema_name = '${schema}' AND view_name = '${name}'`,
    );
    if (rows.length === 0) return 'none';
    return Number((await engine.query(`SELECT count(*) FROM ${of} WHERE is_bad`)).rows[0]?.[0]);
  }

  /** A model that only dev has, filled after the audits of what it reads: a plan stands there between audit and promotion. */
  const last = (from: string): Readonly<Record<string, string>> => ({
    'models/last.sql': `MODEL (name d.last, kind FULL);\nSELECT count(*) AS n FROM ${from};\n${project.second.statement};\n`,
  });

  test.each(DEMANDS)(
    'a run that writes between the audit and the promotion of %s',
    async (_, added, shown) => {
      write({ ...added, ...last(shown.replace('__dev', '')) });
      const plan = project.start(DAY_5, 'plan', 'dev', '--yes');
      const standing = await project.second.reached();
      // The audits have passed by now.
      const run = project.start(DAY_8, 'run');
      await (await project.gate.reached()).pass();
      const ran = await run.end;
      expect([ran.code, ran.code === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, '']);
      await standing.pass();
      const { code, stdout, stderr } = await plan.end;
      expect(await badRows(shown)).toBe('none');
      expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/no_bad/)]);
    },
  );

  test.each(DEMANDS)('a run that was under way when %s was promoted', async (_, added, shown) => {
    const run = project.start(DAY_8, 'run');
    const standing = await project.gate.reached();
    write(added);
    const plan = await project.run(DAY_5, 'plan', 'dev', '--yes');
    expect([plan.code, plan.code === 0 ? '' : plan.stdout + plan.stderr]).toEqual([0, '']);
    await standing.pass();
    const ran = await run.end;
    expect(await badRows(shown)).toBe(0);
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringMatching(/no_bad/)]);
    // Nothing else is lost: once the row is good, prod goes on.
    await engine.write([], (session) => session.execute('UPDATE raw.rows SET is_bad = false'));
    const again = project.start(DAY_9, 'run');
    await (await project.gate.reached()).pass();
    const { code, stdout, stderr } = await again.end;
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    expect((await engine.query(`SELECT count(*)::INTEGER FROM ${shown}`)).rows).toEqual([[8]]);
  });

  test.each(DEMANDS)(
    'a plan that promotes %s waits for a run that is writing, and tells so',
    async (_, added, shown) => {
      // The gate stands behind the rows of the table itself.
      project.write('models/t.sql', `${table()};\n${project.second.statement};\n`);
      const prod = project.start(DAY_5, 'plan', '--yes');
      await (await project.second.reached()).pass();
      expect((await prod.end).code).toBe(0);
      const run = project.start(DAY_8, 'run');
      await (await project.gate.reached()).pass();
      const standing = await project.second.reached();
      write(added);
      if (added['models/t.sql'] !== undefined)
        project.write('models/t.sql', `${table(NO_BAD)};\n${project.second.statement};\n`);
      const plan = project.start(DAY_5, 'plan', 'dev', '--yes', '--json');
      await plan.said(/model\.waiting.*d\.t/);
      await standing.pass();
      expect((await run.end).code).toBe(0);
      const { code, stdout } = await plan.end;
      expect(await badRows(shown)).toBe('none');
      expect([code, stdout]).toEqual([1, expect.stringMatching(/no_bad/)]);
    },
  );

  test('a plan that was paused inside its promotion cannot show a table that was written meanwhile', async () => {
    write({
      'models/t.sql': `${table(NO_BAD)};\nON_VIRTUAL_UPDATE_BEGIN;\n${project.second.statement};\nON_VIRTUAL_UPDATE_END;\n`,
    });
    const paused = project.start(DAY_5, 'plan', 'dev', '--yes');
    const standing = await project.second.reached();
    process.kill(paused.pid, 'SIGSTOP');
    await standing.pass();
    const run = project.start(DAY_8, 'run');
    await (await project.gate.reached()).pass();
    // It cannot know whether dev was promoted: it writes nothing that dev would refuse.
    const ran = await run.end;
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringMatching(/no_bad/)]);
    process.kill(paused.pid, 'SIGCONT');
    const late = await paused.end;
    expect([late.code, late.stdout + late.stderr]).toEqual([1, expect.stringMatching(/lease-lost|fenced/)]);
    expect(await badRows('d__dev.t')).toBe('none');
  });

  test('a table that two plans fill for the first time: the one with the audit does not show what the other wrote', async () => {
    const fresh = (audits: string): string =>
      `MODEL (name d.fresh, kind INCREMENTAL_BY_TIME_RANGE (time_column day), cron '@daily'${audits});
SELECT day, is_bad FROM raw.rows WHERE day BETWEEN @start_date AND @end_date
`;
    write({ 'models/fresh.sql': fresh(NO_BAD), ...last('d.fresh') });
    const dev = project.start(DAY_5, 'plan', 'dev', '--yes');
    const standing = await project.second.reached();
    // qa has the same rows and no audit.
    write({
      'models/fresh.sql': fresh(''),
      'models/last.sql': 'MODEL (name d.last, kind FULL);\nSELECT 1 AS n\n',
    });
    const plan = project.start(DAY_8, 'plan', 'qa', '--yes', '--select', 'd.fresh');
    // prod owns the table with the gate: qa does not fill it.
    const qa = await plan.end;
    expect([qa.code, qa.code === 0 ? '' : qa.stdout + qa.stderr]).toEqual([0, '']);
    expect((await engine.query('SELECT count(*)::INTEGER FROM d__qa.fresh WHERE is_bad')).rows).toEqual([
      [1],
    ]);
    await standing.pass();
    const { code, stdout, stderr } = await dev.end;
    expect(await badRows('d__dev.fresh')).toBe('none');
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/no_bad/)]);
  });

  test('two tables of one run under a view that is new to it are not written past its audit side by side', async () => {
    const run = project.start(DAY_8, 'run');
    const standing = await project.gate.reached();
    write({
      'models/both.sql':
        'MODEL (name d.both, kind VIEW, audits (one_only));\nSELECT l.n AS left_n, r.n AS right_n FROM d.left_side AS l CROSS JOIN d.right_side AS r\n',
    });
    const plan = await project.run(DAY_5, 'plan', 'dev', '--yes');
    expect([plan.code, plan.code === 0 ? '' : plan.stdout + plan.stderr]).toEqual([0, '']);
    await standing.pass();
    const ran = await run.end;
    const { rows } = await engine.query(
      'SELECT least(left_n, right_n)::INTEGER, greatest(left_n, right_n)::INTEGER FROM d__dev.both',
    );
    expect(rows).toEqual([[5, 8]]);
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringMatching(/one_only/)]);
  });
}

describeWithEveryState(suite);

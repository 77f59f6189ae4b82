/**
 * A row that fails a blocking audit is never readable, in no environment and at no instant: for every kind that Plinth
 * writes, for views over each of them, and for a view over two tables that are each clean alone; in plans and in runs.
 *
 *   raw.rows ─┬─ a.<kind> (audited itself)            raw.left ── u.left (FULL) ───┐
 *             └─ b.<kind> ── v.<kind> (audited view)  raw.right ─ u.right (keyed) ─┴─ u.both (audited view: both agree)
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';
import { type ConcurrentProject, describeWithEveryState, type MakeProject } from './gated-project.ts';

const DAY_5 = '2025-01-06T00:10:00Z';
const DAY_8 = '2025-01-09T00:10:00Z';
const PER_ID =
  'SELECT id, bool_or(is_bad) AS is_bad, max(updated_at) AS updated_at FROM raw.rows GROUP BY id';
const DUE = 'SELECT day, id, is_bad FROM raw.rows WHERE day BETWEEN @start_date AND @end_date';

/** How each kind is declared, and what it selects. */
const KINDS: Readonly<Record<string, readonly [head: string, query: string]>> = {
  full: ['kind FULL', 'SELECT day, id, is_bad FROM raw.rows'],
  time: ['kind INCREMENTAL_BY_TIME_RANGE (time_column day)', DUE],
  key: ['kind INCREMENTAL_BY_UNIQUE_KEY (unique_key (day, id))', DUE],
  partition: ['kind INCREMENTAL_BY_PARTITION, partitioned_by (day)', DUE],
  unmanaged: ['kind INCREMENTAL_UNMANAGED', DUE],
  history_time: ['kind SCD_TYPE_2_BY_TIME (unique_key id)', PER_ID],
  history_column: ['kind SCD_TYPE_2_BY_COLUMN (unique_key id, columns (is_bad))', PER_ID],
};
const SEED = (row: string): string => `day,id,is_bad\n2025-01-01,1,false\n${row}`;
const seedModel = (name: string, audits: string): string =>
  `MODEL (name ${name}, kind SEED (path '$root/seeds/rows.csv'), columns (day DATE, id INT, is_bad BOOLEAN)${audits});\n`;

const TABLES = [...Object.keys(KINDS), 'seed'];

function files(): Readonly<Record<string, string>> {
  const models = Object.entries(KINDS).flatMap(([kind, [head, query]]) => [
    [`models/a_${kind}.sql`, `MODEL (name a.${kind}, ${head}, cron '@daily', audits (no_bad));\n${query}\n`],
    [`models/b_${kind}.sql`, `MODEL (name b.${kind}, ${head}, cron '@daily');\n${query}\n`],
  ]);
  const views = TABLES.map((kind) => [
    `models/v_${kind}.sql`,
    `MODEL (name v.${kind}, kind VIEW, audits (no_bad));\nSELECT id, is_bad FROM b.${kind}\n`,
  ]);
  return {
    ...Object.fromEntries([...models, ...views]),
    'seeds/rows.csv': SEED(''),
    'models/a_seed.sql': seedModel('a.seed', ', audits (no_bad)'),
    'models/b_seed.sql': seedModel('b.seed', ''),
    'audits/no_bad.sql': 'AUDIT (name no_bad);\nSELECT * FROM @this_model WHERE is_bad\n',
    'audits/agree.sql': 'AUDIT (name agree);\nSELECT * FROM @this_model WHERE left_n <> right_n\n',
    'models/u_left.sql':
      "MODEL (name u.left_side, kind FULL, cron '@daily');\nSELECT count(*) AS n FROM raw.left_rows\n",
    'models/u_right.sql':
      "MODEL (name u.right_side, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key k), cron '@daily');\nSELECT 1 AS k, count(*) AS n FROM raw.right_rows\n",
    'models/u_both.sql':
      'MODEL (name u.both, kind VIEW, audits (agree));\nSELECT l.n AS left_n, r.n AS right_n FROM u.left_side AS l CROSS JOIN u.right_side AS r\n',
    'external_models.yaml': `- name: raw.rows
  columns: {day: date, id: int, is_bad: boolean, updated_at: timestamp}
- name: raw.left_rows
  columns: {x: int}
- name: raw.right_rows
  columns: {x: int}
`,
  };
}

const ROWS = (days: string): string =>
  `SELECT CAST(d AS DATE) AS day, i::INTEGER AS id, false AS is_bad, CAST(d AS TIMESTAMP) AS updated_at FROM generate_series(${days}, INTERVAL 1 DAY) AS g(d), range(3) AS r(i)`;

/** Where a bad row would be seen, in both environments; `mixed` is the view over two tables. */
const PLACES = ['', '__dev'].flatMap((suffix) => [
  ...TABLES.flatMap((kind) => [`a${suffix}.${kind}`, `v${suffix}.${kind}`]).map(
    (name) => `SELECT '${name}' FROM ${name} WHERE is_bad`,
  ),
  `SELECT 'u${suffix}.both' FROM u${suffix}.both WHERE left_n <> right_n`,
]);
/** A few places a question: answers come fast, and each is one moment. */
const POLLED = Array.from({ length: Math.ceil(PLACES.length / 5) }, (_, i) =>
  PLACES.slice(i * 5, i * 5 + 5).join(' UNION ALL '),
);

function suite(make: MakeProject): void {
  let project: ConcurrentProject;
  let engine: Engine;
  let isOver = false;
  let polling: Promise<void>;
  let polls = 0;
  const seen = new Set<string>();

  async function poll(): Promise<void> {
    while (!isOver) {
      try {
        const { rows } = await engine.query(POLLED[polls++ % POLLED.length] as string);
        for (const [name] of rows) seen.add(String(name));
      } catch (error) {
        // Nothing is shown before the first plan.
        if (!(error instanceof Failure) || !/does not exist/.test(error.message)) throw error;
      }
      await new Promise((done) => setTimeout(done, 1));
    }
  }

  async function outside(sql: string): Promise<void> {
    await engine.write([], (session) => session.execute(sql));
  }

  /** Models and what became of them. */
  async function statuses(
    time: string,
    ...args: readonly string[]
  ): Promise<Readonly<Record<string, string>>> {
    const { code, stdout, stderr } = await project.run(time, ...args, '--json');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const found: Record<string, string> = { exit: String(code) };
    for (const { event, result } of events)
      if (event === 'model.finished') found[result.name] = result.status;
    const last = events.at(-1);
    for (const { name, status } of last?.data?.models ?? []) found[name] = status;
    if (Object.keys(found).length === 1) throw new Error(`${stdout}${stderr}`);
    return found;
  }

  beforeAll(async () => {
    project = make(files);
    engine = await project.warehouse();
    await outside(
      `CREATE SCHEMA raw; CREATE TABLE raw.rows AS ${ROWS("TIMESTAMP '2025-01-01', TIMESTAMP '2025-01-05'")};
     CREATE TABLE raw.left_rows AS SELECT 1 AS x; CREATE TABLE raw.right_rows AS SELECT 1 AS x`,
    );
    for (const environment of ['prod', 'dev']) {
      const { code, stdout, stderr } = await project.run(DAY_5, 'plan', environment, '--yes');
      if (code !== 0) throw new Error(stdout + stderr);
    }
    polling = poll();
    polling.catch(() => {});
  });

  afterAll(async () => {
    isOver = true;
    await polling;
    await project.close();
  });

  const failing = (kinds: readonly string[], schema: string): Record<string, string> =>
    Object.fromEntries(kinds.map((kind) => [`${schema}.${kind}`, 'failed']));

  describe('while a poller looks at every table of two environments', () => {
    test('a run over bad rows publishes none of them, whatever the kind', async () => {
      await outside(
        `INSERT INTO raw.rows ${ROWS("TIMESTAMP '2025-01-06', TIMESTAMP '2025-01-08'")}; UPDATE raw.rows SET is_bad = true WHERE day = DATE '2025-01-07' AND id = 1;
       INSERT INTO raw.left_rows VALUES (2)`,
      );
      const found = await statuses(DAY_8, 'run');
      expect(found).toMatchObject({
        exit: '1',
        ...failing(Object.keys(KINDS), 'a'),
        ...failing(Object.keys(KINDS), 'v'),
      });
      expect(found).toMatchObject({ 'u.both': 'failed' });
      for (const kind of ['full', 'time', 'key', 'partition', 'unmanaged'])
        for (const schema of ['a', 'b'])
          expect(
            (
              await engine.query(
                `SELECT '${schema}.${kind}', CAST(max(day) AS TEXT), count(*)::INTEGER FROM ${schema}.${kind}`,
              )
            ).rows,
          ).toEqual([[`${schema}.${kind}`, '2025-01-05', 15]]);
      expect([...seen]).toEqual([]);
    });

    test('a plan that fills time again over bad rows publishes none of them', async () => {
      await outside("UPDATE raw.rows SET is_bad = true WHERE day = DATE '2025-01-03' AND id = 2");
      const restated = ['full', 'time', 'key', 'partition'].flatMap((kind) =>
        ['a', 'b'].flatMap((schema) => ['--restate-model', `${schema}.${kind}`]),
      );
      const found = await statuses(
        DAY_5,
        'plan',
        '--yes',
        ...[...restated, '--restate-model', 'u.left_side'],
        '--start',
        '2025-01-03',
        '--end',
        '2025-01-03',
      );
      expect(found).toMatchObject({ exit: '1', 'u.both': 'failed' });
      expect(
        Object.entries(found).filter(([name, status]) => /^[av]\./.test(name) && status === 'built'),
      ).toEqual([]);
      expect([...seen]).toEqual([]);
    });

    test('a plan that builds changed models and a changed seed over bad rows shows none of them', async () => {
      for (const [kind, [head, query]] of Object.entries(KINDS))
        project.write(
          `models/a_${kind}.sql`,
          `MODEL (name a.${kind}, ${head}, cron '@daily', audits (no_bad));\n${query.replace('SELECT ', "SELECT 'new' AS era, ")}\n`,
        );
      project.write('seeds/rows.csv', SEED('2025-01-02,2,true\n'));
      const found = await statuses(DAY_8, 'plan', '--yes');
      expect(found).toMatchObject({ exit: '1', 'a.seed': 'failed', 'a.full': 'failed', 'a.time': 'failed' });
      expect((await engine.query('SELECT count(*)::INTEGER FROM a.seed')).rows).toEqual([[1]]);
      expect([...seen]).toEqual([]);
    });

    test('what held them back lets everything through once the rows are good, and two tables in step change together', async () => {
      await outside('UPDATE raw.rows SET is_bad = false; INSERT INTO raw.right_rows VALUES (2)');
      project.write('seeds/rows.csv', SEED('2025-01-02,2,false\n'));
      const plan = await project.run(DAY_8, 'plan', '--yes', '--run');
      expect([plan.code, plan.code === 0 ? '' : plan.stdout + plan.stderr]).toEqual([0, '']);
      for (const kind of ['full', 'time', 'key', 'partition', 'unmanaged'])
        for (const schema of ['a', 'b'])
          expect(
            (await engine.query(`SELECT '${schema}.${kind}', count(*)::INTEGER FROM ${schema}.${kind}`)).rows,
          ).toEqual([[`${schema}.${kind}`, 24]]);
      expect((await engine.query('SELECT left_n::INTEGER, right_n::INTEGER FROM u.both')).rows).toEqual([
        [2, 2],
      ]);
      expect([...seen]).toEqual([]);
      expect(polls).toBeGreaterThan(100);
    });
  });
}

describeWithEveryState(suite);

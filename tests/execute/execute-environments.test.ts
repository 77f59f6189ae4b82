import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../src/domain/failure.ts';
import type { Plan, Stage } from '../../src/domain/plan.ts';
import type { Run, RunEvent } from '../../src/domain/run.ts';
import { recover } from '../../src/runtime/execute/recover.ts';
import { gate, withFaults } from '../support/execution-faults.ts';
import {
  type Applied,
  apply,
  days,
  type Models,
  naming,
  planFor,
  projectOf,
  runOf,
  shiftedClock,
  statuses,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';

let place: TestPlace;
let world: TestWorld;

beforeEach(async () => {
  place = testPlace();
  world = await place.open();
});

afterEach(() => place.remove());

const A = { 's.a': ['FULL', 'SELECT 1 AS x'], 's.b': ['VIEW', 'SELECT x FROM s.a'] } as const;
const B = { 's.a': ['FULL', 'SELECT 2 AS x'], 's.b': ['VIEW', 'SELECT x FROM s.a'] } as const;
const fill = { 's.a': days(0, 1) };

describe('a promotion', () => {
  test('changes all views at once: a failing statement inside it leaves every view as it was', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    const broken = await projectOf({
      ...B,
      's.c': [
        'FULL',
        'SELECT 1 AS y;\nON_VIRTUAL_UPDATE_BEGIN;\nSELECT * FROM nowhere;\nON_VIRTUAL_UPDATE_END',
      ],
    });
    const { run } = await apply(
      world,
      await planFor(world, broken, { fill: { ...fill, 's.c': days(0, 1) } }),
    );
    expect(run.status).toBe('failed');
    expect(run.error?.code).toBe('engine.statement-failed');
    expect(await world.rows('SELECT x FROM s.b')).toEqual(['1']);
    await expect(world.rows('SELECT * FROM s.c')).rejects.toThrow();
    expect(await world.state.journal.promotionIntents()).toEqual([]);
    await recover(world);
    expect(await world.rows('SELECT x FROM s.b')).toEqual(['1']);
  });

  test('asks the engine for columns that could not be known before, and remembers them', async () => {
    await world.engine.write([], async (session) => {
      await session.execute('CREATE SCHEMA raw');
      await session.execute('CREATE TABLE raw.t AS SELECT 1 AS p, 2 AS q');
    });
    const project = await projectOf({ 's.star': ['FULL', 'SELECT * FROM raw.t'] });
    expect(project.entries[0]?.columns).toEqual([]);
    await apply(world, await planFor(world, project, { fill: { 's.star': days(0, 1) } }));
    expect((await world.state.snapshots.environment('prod'))?.entries[0]?.columns).toEqual(['p', 'q']);
    expect(await world.rows('SELECT p, q FROM s.star')).toEqual(['1,2']);
  });

  test('of a table that somebody dropped is refused by name', async () => {
    await world.engine.write([], async (session) => {
      await session.execute('CREATE SCHEMA raw');
      await session.execute('CREATE TABLE raw.t AS SELECT 1 AS p');
    });
    const project = await projectOf({ 's.star': ['FULL', 'SELECT * FROM raw.t'] });
    await apply(world, await planFor(world, project, { fill: { 's.star': days(0, 1) } }));
    const relation = await world.rows(
      "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE table_name LIKE 'star%'",
    );
    await world.engine.write([], (session) => session.execute(`DROP TABLE ${relation[0]}`));
    const { run } = await apply(world, await planFor(world, project, { environment: 'dev' }));
    expect(run.error?.code).toBe('environment.table-missing');
    expect(run.error?.message).toContain('s.star');
    expect(await world.state.snapshots.environment('dev')).toBeUndefined();
  });

  test('shows what dev built in prod without building it again', async () => {
    const project = await projectOf(A);
    await apply(world, await planFor(world, project, { fill, environment: 'dev' }));
    const plan = await planFor(world, project);
    expect(plan.stages.map(({ kind }) => kind)).not.toContain('backfill');
    expect((await apply(world, plan)).run.status).toBe('succeeded');
    expect(await world.rows('SELECT x FROM s.b UNION ALL SELECT x FROM s__dev.b')).toEqual(['1', '1']);
  });
});

describe('a migration', () => {
  const DAYS = 'FROM RANGE(@start_at::TIMESTAMP, @end_before::TIMESTAMP, INTERVAL 1 DAY) AS r(day)';
  const model = (columns: string) =>
    ({
      's.e': [
        'INCREMENTAL_BY_TIME_RANGE (time_column day)',
        `SELECT CAST(day AS DATE) AS day, ${columns} ${DAYS}`,
        "start '2026-01-01'",
      ],
    }) as const;

  async function migrated(
    columns: string,
    allowDestructive: boolean,
    beside: {
      readonly before?: Models;
      readonly after?: Models;
      readonly isFilled?: boolean;
      /** Done when the plan, being applied, has looked at what is shown; before, dev shows the same as prod. */
      readonly meanwhile?: () => Promise<void>;
      /** Rather before the plan is applied at all. */
      readonly isEarly?: boolean;
      /** Rather when its transaction is open and this is about to be done in it. */
      readonly at?: 'alterTable';
      readonly watch?: (event: RunEvent) => void;
    } = {},
  ): Promise<Run> {
    const {
      before = {},
      after = before,
      isFilled = true,
      meanwhile,
      isEarly = false,
      at = 'write',
      watch,
    } = beside;
    const old = await projectOf({ ...model('1 AS n'), ...before });
    await apply(world, await planFor(world, old, { fill: { 's.e': days(0, 2) } }));
    if (meanwhile !== undefined) await apply(world, await planFor(world, old, { environment: 'dev' }));
    const changed = await projectOf({ ...model(columns), ...after });
    const versionOf = (name: string) => old.entries.find((entry) => entry.model === name)?.version;
    // What reads the table keeps its version as well: it follows the table.
    const kept = (name: string) => name === 's.e' || (name in before && before[name]?.[0] === 'VIEW');
    const inherited = {
      snapshots: changed.snapshots.map(({ snapshot, content }) => {
        const version = snapshot.model === 's.e' ? versionOf('s.e') : snapshot.version;
        return { content, snapshot: { ...snapshot, ...(version === undefined ? {} : { version }) } };
      }),
      entries: changed.entries.map((entry) => {
        const version = kept(entry.model) ? versionOf(entry.model) : entry.version;
        return { ...entry, ...(version === undefined ? {} : { version }) };
      }),
    };
    const { fingerprint = '' } = changed.entries.find((entry) => entry.model === 's.e') ?? {};
    const migration = {
      table: { model: 's.e', version: versionOf('s.e') ?? '' },
      fingerprint,
      allowDestructive,
    };
    const plan = await planFor(world, inherited, {
      fill: { ...(isFilled ? { 's.e': days(2, 3) } : {}), ...('s.z' in after ? { 's.z': days(0, 1) } : {}) },
      more: { migrations: [migration] },
    });
    expect(plan.stages.map(({ kind }) => kind)).toContain('migrate');
    let isDone = meanwhile === undefined;
    const once = async (): Promise<void> => {
      if (isDone) return;
      isDone = true;
      await meanwhile?.();
    };
    if (isEarly) await once();
    let hasLooked = false;
    const hurt = withFaults(world, {
      async before(_, method) {
        hasLooked ||= method === 'environments';
        if (hasLooked && method === at) await once();
      },
    });
    return (await apply(hurt, plan, watch === undefined ? {} : { watch })).run;
  }

  test('adds a column in place, keeps the rows, and shows it after the promotion', async () => {
    const run = await migrated("1 AS n, 'new' AS kind", false);
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT day, n, kind FROM s.e ORDER BY day')).toEqual([
      '2026-01-01,1,null',
      '2026-01-02,1,null',
      '2026-01-03,1,new',
    ]);
  });

  test.each([
    ['adds', 'since the plan was made', "1 AS n, 'new' AS kind", true],
    ['loses', 'since the plan was made', "'new' AS kind", true],
    ['narrows', 'since the plan was made', '1::TINYINT AS n', false],
    ['adds', 'at the same moment', "1 AS n, 'new' AS kind", true],
    ['loses', 'at the same moment', "'new' AS kind", false],
    ['narrows', 'at the same moment', '1::TINYINT AS n', false],
  ])('that %s a column leaves what another environment was given %s', async (_, when, columns, isFilled) => {
    const other = await projectOf(model('2 AS n'));
    const run = await migrated(columns, true, {
      isFilled,
      isEarly: when === 'since the plan was made',
      async meanwhile() {
        const plan = await planFor(world, other, { environment: 'dev', fill: { 's.e': days(0, 2) } });
        expect((await apply(world, plan)).run.error).toBeUndefined();
      },
    });
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT n FROM s__dev.e')).toEqual(['2', '2']);
  });

  test.each([
    ['adds', "1 AS n, 2 AS m, 'new' AS kind", true],
    ['narrows', '1::TINYINT AS n, 2 AS m', false],
    ['loses', '1 AS n', false],
  ])(
    'that %s a column leaves an environment readable that is made at the same moment',
    async (_, columns, isFilled) => {
      const before = model('1 AS n, 2 AS m');
      const old = await projectOf(before);
      let late: Run | undefined;
      const run = await migrated(columns, true, {
        ...({ before, after: {}, isFilled, at: 'alterTable' } as const),
        async meanwhile() {
          late = (await apply(world, await planFor(world, old, { environment: 'late' }))).run;
        },
      });
      expect([late?.error, run.error]).toEqual([undefined, undefined]);
      expect((await world.rows('SELECT * FROM s__late.e')).length).toBeGreaterThan(1);
    },
  );

  test('ends the promotion of another environment whose run died before it told state', async () => {
    const other = await projectOf(model('2 AS n'));
    const run = await migrated("1 AS n, 'new' AS kind", true, {
      async meanwhile() {
        const dead = await place.open();
        const dying = withFaults(dead, {
          before(port, method) {
            if (port === 'snapshots' && method === 'finishPromotion') throw new Error('killed');
            if (port === 'journal' && /finishRun|release|drop/.test(method)) throw new Error('killed');
          },
        });
        const plan = await planFor(dead, other, { environment: 'dev', fill: { 's.e': days(0, 2) } });
        await expect(apply(dying, plan)).rejects.toThrow('killed');
        // A run of a process that is gone has no lease any more.
        for (const { name, holder } of await world.state.journal.leases())
          if (name === 'environment:dev') await world.state.journal.releaseLease(name, holder);
      },
    });
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT n FROM s__dev.e')).toEqual(['2', '2']);
    expect(await world.state.journal.promotionIntents()).toEqual([]);
  });

  test('that would lose a column is refused unless it is allowed, and nothing is changed', async () => {
    const run = await migrated("'new' AS kind", false);
    expect(run.error?.code).toBe('plan.destructive-change');
    expect(statuses(run)).toEqual({ 's.e': 'failed' });
    expect(await world.rows('SELECT count(*), sum(n) FROM s.e')).toEqual(['2,2']);
  });

  test('that loses a column does so when it is allowed', async () => {
    const run = await migrated("'new' AS kind", true);
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT count(*), count(kind) FROM s.e')).toEqual(['3,1']);
    await expect(world.rows('SELECT n FROM s.e')).rejects.toThrow();
  });

  test.each([
    ['drops a column', "'new' AS kind", true],
    ['drops a column of a table it does not write', "'new' AS kind", false],
    ['makes a column narrower', '1::TINYINT AS n', false],
  ])('that %s takes nothing away when the plan fails elsewhere', async (_, columns, isFilled) => {
    const bad: Models = { 's.z': ['FULL', 'SELECT 1 AS x', 'audits (forall(criteria := (x > 1)))'] };
    const run = await migrated(columns, true, { after: bad, isFilled });
    expect(run.error?.code).toBe('audit.failed');
    expect(await world.rows('SELECT n FROM s.e ORDER BY day LIMIT 2')).toEqual(['1', '1']);
    const old = await projectOf(model('1 AS n'));
    const next = await planFor(world, old, { fill: { 's.e': days(3, 4) }, isPromoted: false });
    expect((await apply(world, next)).run.error).toBeUndefined();
    expect(await world.rows(`SELECT n FROM s.e WHERE day = '2026-01-04'`)).toEqual(['1']);
  });

  test('that makes a column narrower does so in the promotion', async () => {
    expect((await migrated('1::TINYINT AS n', true, { isFilled: false })).error).toBeUndefined();
    expect(await world.rows('SELECT typeof(n), n FROM s.e LIMIT 1')).toEqual(['TINYINT,null']);
  });

  test('that makes a column narrower and writes it is refused: it would show before the promotion', async () => {
    expect((await migrated("'a' AS n", true)).error?.code).toBe('plan.loss-while-filling');
    expect(await world.rows('SELECT n FROM s.e ORDER BY day')).toEqual(['1', '1']);
  });

  test.each([
    [
      'of the table',
      {
        's.e': [...model('1 AS n')['s.e'].slice(0, 2), "start '2026-01-01', audits (not_null(columns := n))"],
      },
    ],
    ['of a view over it', { 's.x': ['VIEW', 'SELECT n FROM s.e', 'audits (not_null(columns := n))'] }],
  ])('that empties a column is refused by an audit %s in another environment', async (_, more) => {
    await apply(
      world,
      await planFor(world, await projectOf(model('1 AS n')), { fill: { 's.e': days(0, 2) } }),
    );
    const dev = await projectOf({ ...model('1 AS n'), ...(more as unknown as Models) });
    const planned = await apply(world, await planFor(world, dev, { environment: 'dev' }));
    expect(planned.run.error).toBeUndefined();
    const run = await migrated('1::TINYINT AS n', true, { isFilled: false });
    expect(run.error?.code).toBe('audit.failed');
    expect(await world.rows('SELECT n FROM s.e UNION ALL SELECT n FROM s__dev.e')).toEqual([
      '1',
      '1',
      '1',
      '1',
    ]);
  });

  test('that empties a column waits for a write below an audited view of another environment over both', async () => {
    await world.engine.write([], async (session) => {
      await session.execute('CREATE SCHEMA raw');
      await session.execute('CREATE TABLE raw.b AS SELECT 1 AS m');
    });
    const dev = await projectOf({
      ...model('1 AS n'),
      's.b': ['FULL', 'SELECT m FROM raw.b'],
      's.x': [
        'VIEW',
        'SELECT COALESCE(e.n, b.m) AS k FROM s.e AS e, s.b AS b',
        'audits (not_null(columns := k))',
      ],
    });
    const door = gate();
    let sibling: Promise<Applied> | undefined;
    const run = await migrated('1::TINYINT AS n', true, {
      isFilled: false,
      isEarly: true,
      async meanwhile() {
        const environment = 'dev';
        const shown = await planFor(world, dev, { environment, fill: { 's.b': days(0, 1) } });
        expect((await apply(world, shown)).run.error).toBeUndefined();
        await world.engine.write([], (session) => session.execute('UPDATE raw.b SET m = NULL'));
        const again = await planFor(world, dev, {
          ...{ environment, isPromoted: false, restate: { 's.b': days(0, 1) } },
        });
        const held = withFaults(world, {
          async before(_, method) {
            if (method === 'recordLedger') await door.pass();
          },
        });
        sibling = apply(held, again);
        await door.reached;
      },
      watch({ event }) {
        if (event === 'model.waiting') door.open();
      },
    });
    door.open();
    expect((await sibling)?.run.error).toBeUndefined();
    expect(run.error?.code).toBe('audit.failed');
    expect(await world.rows('SELECT DISTINCT k FROM s__dev.x')).toEqual(['1']);
  });

  test('that loses a column takes a view with a star over the table along, in every environment', async () => {
    const star: Models = { 's.v': ['VIEW', 'SELECT * FROM s.e'], 's.w': ['VIEW', 'SELECT * FROM s.v'] };
    const old = await projectOf({ ...model('1 AS n'), ...star });
    await apply(world, await planFor(world, old, { fill: { 's.e': days(0, 2) }, environment: 'dev' }));
    const run = await migrated("'new' AS kind", true, { before: star });
    expect(run.error).toBeUndefined();
    expect(await world.rows('SELECT * FROM s.w ORDER BY day')).toEqual([
      '2026-01-01,null',
      '2026-01-02,null',
      '2026-01-03,new',
    ]);
    expect(await world.rows('SELECT * FROM s__dev.w ORDER BY day LIMIT 1')).toEqual(['2026-01-01']);
  });

  test('that loses a column does not mind a view that is removed with it', async () => {
    const reader: Models = { 's.v': ['VIEW', 'SELECT n FROM s.e'] };
    expect((await migrated("'new' AS kind", true, { before: reader, after: {} })).error).toBeUndefined();
    await expect(world.rows('SELECT * FROM s.v')).rejects.toThrow();
  });
});

describe('the janitor', () => {
  async function clean(
    by: TestWorld,
    work: Pick<Extract<Stage, { kind: 'clean-up' }>, 'tables' | 'environments'>,
  ): Promise<{ readonly run: Run; readonly cleaned: Extract<RunEvent, { event: 'warehouse.cleaned' }> }> {
    const plan = {
      id: 'none',
      environment: 'prod',
      executionTime: 0,
      target: { entries: [] },
    } as unknown as Plan;
    const { planId: _, ...run } = runOf(plan, { kind: 'janitor', environment: 'janitor' });
    const { plan: __, ...rest } = { plan };
    const ended = await apply(by, plan, {
      run,
      stages: [{ id: 'clean', needs: [], kind: 'clean-up', ...work }],
      ...rest,
      ...({ plan: undefined } as object),
    });
    const cleaned = ended.events.find(({ event }) => event === 'warehouse.cleaned');
    if (cleaned?.event !== 'warehouse.cleaned') throw new Error(JSON.stringify(ended.run));
    return { run: ended.run, cleaned };
  }
  const tableOf = async (models: typeof A | typeof B) => {
    const { entries } = await projectOf(models);
    const version = entries.find(({ model }) => model === 's.a')?.version ?? '';
    return { table: { model: 's.a', version }, object: 'table' as const };
  };

  test('drops a table that nothing shows, with its ledger rows, and never one that is shown', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    await apply(world, await planFor(world, await projectOf(B), { fill }));
    const [old, present] = [await tableOf(A), await tableOf(B)];
    const { run, cleaned } = await clean(world, { tables: [old, present], environments: [] });
    expect(run.error).toBeUndefined();
    expect(cleaned.dropped).toEqual([`plinth__s.a__${old.table.version}`]);
    expect(cleaned.kept).toEqual([
      { name: `plinth__s.a__${present.table.version}`, reason: 'the environment prod needs it' },
    ]);
    expect(await world.rows('SELECT x FROM s.b')).toEqual(['2']);
    expect((await world.engine.ledger({ tables: [old.table] })).length).toBe(0);
    expect([...(await world.state.journal.intervals()).keys()]).not.toContain(`s.a__${old.table.version}`);
    expect(await world.state.journal.leases()).toEqual([]);
    // What is gone can be built again.
    expect((await apply(world, await planFor(world, await projectOf(A), { fill }))).run.status).toBe(
      'succeeded',
    );
    expect(await world.rows('SELECT x FROM s.b')).toEqual(['1']);
  });

  test('removes the views of an environment that has expired, not one that was planned again', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    await apply(world, await planFor(world, await projectOf(A), { environment: 'dev' }));
    const kept = await clean(world, { tables: [], environments: ['dev'] });
    expect(kept.cleaned.kept).toEqual([{ name: 'dev', reason: 'it has not expired' }]);
    await world.state.snapshots.invalidate('dev', Date.now(), []);
    const { cleaned } = await clean(world, { tables: [], environments: ['dev'] });
    expect(cleaned).toMatchObject({ environments: ['dev'], kept: [], dropped: ['s__dev.a', 's__dev.b'] });
    expect(await world.state.snapshots.environment('dev')).toBeUndefined();
    await expect(world.rows('SELECT x FROM s__dev.a')).rejects.toThrow();
    expect(await schemasLike('s%')).toEqual(['s']);
    expect(await world.rows('SELECT x FROM s.b')).toEqual(['1']);
  });

  const schemasLike = (pattern: string): Promise<readonly string[]> =>
    world.rows(
      `SELECT schema_name FROM duckdb_schemas() WHERE schema_name LIKE '${pattern}' AND database_name = current_database() ORDER BY 1`,
    );

  test('drops the rows that audits kept beside a table with it, and the schema that is empty then', async () => {
    const bad = await projectOf(
      { 't.m': ['FULL', 'SELECT UNNEST([1, 2]) AS x', 'audits (small, none)'] },
      {
        'audits/a.sql':
          'AUDIT (name small, on_failure quarantine);\nSELECT * FROM @this_model WHERE x < 2;\nAUDIT (name none);\nSELECT * FROM @this_model WHERE x > (SELECT MAX(most) FROM raw.allowed);\n',
      },
    );
    const write = (sql: string) => world.engine.write([], (session) => session.execute(sql));
    await write('CREATE SCHEMA raw');
    await write('CREATE TABLE raw.allowed AS SELECT 9 AS most');
    const range = { 't.m': days(0, 1) };
    expect((await apply(world, await planFor(world, bad, { fill: range }))).run.error).toBeUndefined();
    await write('UPDATE raw.allowed SET most = 1');
    const again = await planFor(world, bad, { restate: range, isPromoted: false });
    expect((await apply(world, again)).run.error?.code).toBe('audit.failed');
    const { version = '' } = bad.entries[0] ?? {};
    const beside = ['', '__failed', '__quarantine'].map((end) => `plinth__t.m__${version}${end}`);
    const tables = () =>
      world.rows(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name = 'plinth__t' ORDER BY 1",
      );
    expect(await tables()).toEqual(beside);
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    const table = { model: 't.m', version };
    const { cleaned } = await clean(world, { tables: [{ table, object: 'table' }], environments: [] });
    expect(cleaned.dropped.toSorted()).toEqual(beside);
    expect(await schemasLike('plinth%')).toEqual(['plinth__s']);
    expect((await apply(world, await planFor(world, bad, { fill: range }))).run.error?.code).toBe(
      'audit.failed',
    );
  });

  test('leaves a schema in which somebody else keeps a table, and says so', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    await apply(world, await planFor(world, await projectOf(A), { environment: 'dev' }));
    await world.engine.write([], (session) => session.execute('CREATE TABLE s__dev.mine AS SELECT 1 AS x'));
    await world.state.snapshots.invalidate('dev', Date.now(), []);
    const { cleaned } = await clean(world, { tables: [], environments: ['dev'] });
    expect(cleaned).toMatchObject({ environments: ['dev'], kept: [{ name: 's__dev' }] });
    expect(await world.rows('SELECT x FROM s__dev.mine')).toEqual(['1']);
  });

  test('leaves a table alone that a plan is about to show', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    await apply(world, await planFor(world, await projectOf(B), { fill }));
    const back = await planFor(world, await projectOf(A));
    const other = await place.open();
    let report: Awaited<ReturnType<typeof clean>> | undefined;
    const hurt = withFaults(world, {
      async before(port, method) {
        if (port === 'snapshots' && method === 'beginPromotion')
          report = await clean(other, { tables: [await tableOf(A)], environments: [] });
      },
    });
    expect((await apply(hurt, back)).run.status).toBe('succeeded');
    expect(report?.cleaned.dropped).toEqual([]);
    expect(await world.rows('SELECT x FROM s.b')).toEqual(['1']);
  });

  test('that died between dropping and telling is finished by recovery', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    await apply(world, await planFor(world, await projectOf(B), { fill }));
    const old = await tableOf(A);
    let isDead = false;
    const dying = withFaults(world, {
      before(port, method) {
        isDead ||= port === 'snapshots' && method === 'forget';
        if (isDead) throw new Error('killed');
      },
    });
    await expect(clean(dying, { tables: [old], environments: [] })).rejects.toThrow('killed');
    const clock = shiftedClock();
    clock.shift(10_000);
    const next = await place.open({ clock });
    await recover(next);
    expect([...(await next.state.journal.intervals()).keys()]).not.toContain(`s.a__${old.table.version}`);
    const { run } = await apply(next, await planFor(next, await projectOf(A), { fill }));
    expect(run.status).toBe('succeeded');
    expect(await next.rows('SELECT x FROM s.b')).toEqual(['1']);
  });
});

describe('state and warehouse', () => {
  const refusal = (by: TestWorld): Promise<unknown> => recover(by).catch((error: unknown) => error);

  test('that belong together are accepted, before and after the first plan', async () => {
    expect(await recover(world)).toEqual([]);
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    expect(await recover(world)).toEqual([]);
  });

  test('that belong to others are refused naming both', async () => {
    await apply(world, await planFor(world, await projectOf(A), { fill }));
    await recover(world);
    const elsewhere = testPlace();
    try {
      const stranger = await elsewhere.open();
      const emptyState = await refusal({ ...stranger, engine: world.engine });
      expect(emptyState).toBeInstanceOf(Failure);
      expect(emptyState).toMatchObject({ code: 'state.mismatch' });
      expect((emptyState as Failure).message).toContain('state.db');
      expect((emptyState as Failure).message).toContain('warehouse.duckdb');
      const emptyWarehouse = await refusal({ ...world, engine: stranger.engine });
      expect(emptyWarehouse).toMatchObject({ code: 'state.mismatch' });
    } finally {
      await elsewhere.remove();
    }
  });
});

test('a run from applied state is refused when the environment moved since it was made', async () => {
  await apply(world, await planFor(world, await projectOf(A), { fill }));
  const plan = await planFor(world, await projectOf(A));
  const { planId: _, ...run } = runOf(plan, { kind: 'run' });
  const generator = apply(world, plan, {
    run,
    stages: [],
    naming,
    basePromotionId: 'another',
    ...({ plan: undefined } as object),
  });
  await expect(generator).rejects.toMatchObject({ code: 'environment.moved' });
});

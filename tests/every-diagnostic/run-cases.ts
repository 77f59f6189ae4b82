import { failure } from '../../src/domain/failure.ts';
import { runWarnings } from '../../src/domain/run-warnings.ts';
import { lostWarnings } from '../../src/operations/change/lost-warnings.ts';
import { outOfStep, promotionDrift } from '../../src/runtime/execute/promotion-drift.ts';
import { recoverState } from '../../src/runtime/execute/recover.ts';
import { withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  naming,
  planFor,
  projectOf,
  runOf,
  shiftedClock,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';
import { fillSource, heldProject, type Settling, SOURCE, settled } from '../support/held-world.ts';
import { codeOf } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

/** The code that something done in a fresh warehouse ends with. */
const running = (code: string, work: (world: TestWorld) => Promise<string | undefined>): DiagnosticCase =>
  acting(code, async () => {
    const place = testPlace();
    try {
      return await work(await place.open());
    } finally {
      await place.remove();
    }
  });

/** What a release of held rows ends with: refused, or in the run's record. */
const releasing = (
  code: string,
  request: Settling,
  options: Parameters<typeof heldProject>[1] & { readonly environment?: string; readonly isFine?: true } = {},
): DiagnosticCase =>
  running(code, async (world) => {
    await world.engine.write([], (session) => session.execute(SOURCE));
    await fillSource(world, options.isFine ? "('2026-01-01', 1, 'a')" : "('2026-01-01', 0, 'a')");
    const project = await heldProject('FULL', options);
    await apply(world, await planFor(world, project, { fill: { 's.m': days(0, 1) } }));
    const { environment = 'prod' } = options;
    if (environment !== 'prod') await apply(world, await planFor(world, project, { environment }));
    let found: string | undefined;
    const thrown = await codeOf(
      settled(world, 'release', { ...request, environment }).then(({ run }) => {
        found = run.error?.code;
      }),
    );
    return thrown ?? found;
  });

const MODELS = { 's.m': ['FULL', 'SELECT 1 AS x'] } as const;
const fill = { 's.m': days(0, 1) };
/** What is told after another program has done something to the warehouse. */
const changed = (code: string, sqlOf: (table: string) => string): DiagnosticCase =>
  running(code, async (world) => {
    await apply(world, await planFor(world, await projectOf(MODELS), { fill }));
    const [table = ''] = await world.rows(
      "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name = 'plinth__s'",
    );
    await world.engine.write([], (session) => session.execute(sqlOf(table)));
    return lostWarnings({ ...world, naming }, 'prod', await recoverState(world, naming('prod')))[0]?.code;
  });
const isRowsCall = (port: string, method: string): boolean =>
  port === 'session' && (method === 'replaceTable' || method === 'insert');

/** What can happen to a run, and to the environment it changes. */
export const runCases: readonly DiagnosticCase[] = [
  running('run.snapshot-missing', async (world) => {
    const plan = await planFor(world, await projectOf(MODELS), { fill });
    return (await apply(world, { ...plan, snapshots: [] })).run.error?.code;
  }),
  running('run.bug', async (world) => {
    const broken = withFaults(world, {
      before(port, method) {
        if (port === 'session' && method === 'recordLedger') throw new TypeError('planted');
      },
    });
    await codeOf(apply(broken, await planFor(world, await projectOf(MODELS), { fill })));
    const [run] = await world.state.journal.runs({ limit: 1 });
    return run?.error?.code;
  }),
  running('run.nothing-restated', async (world) => {
    const project = await projectOf(MODELS);
    await apply(world, await planFor(world, project, { fill }));
    // As if runs that the state has forgotten had held the table.
    await world.engine.write([], (session) =>
      session.execute('UPDATE plinth__ledger SET token = token + 90'),
    );
    return (await apply(world, await planFor(world, project, { restate: fill }))).run.error?.code;
  }),
  running('run.rows-outside', async (world) => {
    const project = await projectOf({
      's.m': [
        'INCREMENTAL_BY_TIME_RANGE (time_column d)',
        'SELECT NULL::DATE AS d UNION ALL SELECT @start_date::DATE',
      ],
    });
    const { run } = await apply(world, await planFor(world, project, { fill }));
    return runWarnings(run)[0]?.code;
  }),
  running('run.cancelled', async (world) => {
    const [stop, cancel] = [new AbortController(), new AbortController()];
    const plan = await planFor(world, await projectOf(MODELS), { fill });
    const { run } = await apply(world, plan, {
      signal: { stop: stop.signal, cancel: cancel.signal },
      watch: ({ event }) => {
        if (event === 'model.started') stop.abort();
      },
    });
    return run.error?.code;
  }),
  running('run.lease-lost', async (world) => {
    const clock = shiftedClock();
    const deaf = withFaults(
      { ...world, clock },
      {
        async before(port, method) {
          if (port === 'journal' && method === 'heartbeat')
            throw failure('state.locked', { file: 'state.db', seconds: 8 });
          if (!isRowsCall(port, method)) return;
          clock.shift(9_000);
          await new Promise((resolve) => setTimeout(resolve, 500));
        },
      },
    );
    return (await apply(deaf, await planFor(world, await projectOf(MODELS), { fill }))).run.error?.code;
  }),
  running('environment.moved', async (world) => {
    const project = await projectOf(MODELS);
    const stale = await planFor(world, project, { fill });
    await apply(world, await planFor(world, project, { fill }));
    return codeOf(apply(world, stale, { run: runOf(stale), naming }));
  }),
  running('environment.busy', async (world) => {
    const plan = await planFor(world, await projectOf(MODELS), { fill });
    await world.state.journal.startRun(runOf(plan), { now: Date.now(), events: [] });
    return codeOf(apply(world, plan));
  }),
  running('environment.table-missing', async (world) => {
    await world.engine.write([], async (session) => {
      await session.execute('CREATE SCHEMA raw');
      await session.execute('CREATE TABLE raw.t AS SELECT 1 AS p');
    });
    const project = await projectOf({ 's.m': ['FULL', 'SELECT * FROM raw.t'] });
    await apply(world, await planFor(world, project, { fill }));
    const [table] = await world.rows(
      "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name = 'plinth__s'",
    );
    await world.engine.write([], (session) => session.execute(`DROP TABLE ${table}`));
    return (await apply(world, await planFor(world, project, { environment: 'dev' }))).run.error?.code;
  }),
  changed('environment.table-lost', (table) => `DROP TABLE ${table}`),
  changed('environment.view-lost', () => 'DROP VIEW s.m'),
  changed('environment.view-replaced', () => 'CREATE OR REPLACE VIEW s.m AS SELECT 2 AS x'),
  changed('environment.column-lost', (table) => `ALTER TABLE ${table} RENAME COLUMN x TO y`),
  changed('environment.column-retyped', (table) => `ALTER TABLE ${table} ALTER COLUMN x TYPE VARCHAR`),
  changed('environment.shown-again', () => "UPDATE plinth__promotions SET promotion_id = 'another'"),
  running('environment.out-of-step', async (world) => {
    await apply(world, await planFor(world, await projectOf(MODELS), { fill }));
    await world.engine.write([], (session) => session.execute('DELETE FROM plinth__promotions'));
    const drift = await promotionDrift(world, 'prod');
    return drift === undefined ? undefined : outOfStep(drift).code;
  }),
  releasing('quarantine.nothing-held', {}, { isFine: true }),
  releasing('quarantine.shared-table', {}, { environment: 'dev' }),
  releasing('quarantine.no-reason', { isAccepted: true }),
  releasing('quarantine.nothing-chosen', { selection: {}, isAll: false }),
  releasing('quarantine.bad-condition', { selection: { where: 'random() < 0.5' } }),
  releasing(
    'quarantine.cannot-accept',
    { isAccepted: true, reason: 'r' },
    { query: 'SELECT d, i, c FROM x.src;\nUPDATE @this_model SET i = 0 WHERE i > 100' },
  ),
];

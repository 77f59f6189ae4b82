import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PostgresConfig } from '../../src/adapters/state/postgres/postgres-config.ts';
import {
  type PostgresOptions,
  postgresStateStore,
} from '../../src/adapters/state/postgres/postgres-state-store.ts';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import type { Run } from '../../src/domain/run.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { recover } from '../../src/runtime/execute/recover.ts';
import { STATE_PASSWORD, sharedPostgres } from '../postgres-server.ts';
import { newSchema, stateConfig } from '../postgres-state.ts';
import { cuttingProxy } from '../state-faults/cutting-proxy.ts';
import { apply, days, planFor, projectOf, runOf, testPlace } from '../support/execution-support.ts';
import { codeOf, inFolder } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

interface Opening {
  readonly file: string;
  open(): Promise<StateStore>;
}

/** The code that something done with the file of a state ends with. */
const withFile = (code: string, work: (opening: Opening) => Promise<unknown>): DiagnosticCase =>
  acting(code, () =>
    inFolder(async (folder) => {
      const file = join(folder, 'state.db');
      const opened: StateStore[] = [];
      const open = async (): Promise<StateStore> => {
        const state = await sqliteStateStore({ file, lockedAfterMs: 100 });
        opened.push(state);
        return state;
      };
      try {
        return await codeOf(work({ file, open }));
      } finally {
        for (const state of opened) await state.close();
      }
    }),
  );

const RUN: Run = {
  id: 'r1',
  kind: 'run',
  environment: 'prod',
  who: 'a case',
  startedAt: 1,
  executionTime: 1,
  status: 'running',
  models: [],
};

async function* lines(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

const FILL = `import { sqliteStateStore } from ${JSON.stringify(
  join(import.meta.dirname, '../../src/adapters/state/sqlite/sqlite-state-store.ts'),
)};
const state = await sqliteStateStore({ file: process.argv[2], thread: 'never' });
const events = [{ at: 1, event: 'x', data: 'x'.repeat(20_000) }];
try { for (;;) await state.snapshots.invalidate('x', 1, events); } catch (error) { console.log(error.code); }
`;

/** The code that a state on the server of tests is refused with. */
const onServer = (
  code: string,
  prepare: string,
  changed: Partial<PostgresConfig> = {},
  options: PostgresOptions = {},
): DiagnosticCase =>
  acting(code, async () => {
    const config = { ...(await stateConfig(newSchema())), ...changed };
    if (prepare !== '') await (await sharedPostgres()).ask(prepare);
    return codeOf(postgresStateStore(config, options));
  });
const roleOf = (user: string, more = ''): string =>
  `DROP ROLE IF EXISTS ${user}; CREATE ROLE ${user} LOGIN PASSWORD '${STATE_PASSWORD}' ${more}`;

/** What a server of states can refuse. */
const serverCases: readonly DiagnosticCase[] = [
  onServer('state.cannot-connect', '', { database: 'elsewhere' }),
  onServer('state.login-refused', '', { password: 'of another' }),
  onServer('state.no-rights', roleOf('case_guest'), { user: 'case_guest' }),
  onServer(
    'state.read-only',
    `${roleOf('case_reader')}; ALTER ROLE case_reader SET default_transaction_read_only = on`,
    {
      user: 'case_reader',
    },
  ),
  onServer('state.too-many-connections', roleOf('case_none', 'CONNECTION LIMIT 0'), { user: 'case_none' }),
  onServer('state.old-server', '', {}, { serverMin: 99 }),
  acting('state.connection-lost', async () => {
    const config = await stateConfig(newSchema());
    const proxy = await cuttingProxy(config.port ?? 0);
    const state = await postgresStateStore({ ...config, port: proxy.port }, { lostAfterMs: 100 });
    await proxy.close();
    try {
      return await codeOf(state.events.lastSequence());
    } finally {
      await state.close();
    }
  }),
];

/** What a state can refuse. */
export const stateCases: readonly DiagnosticCase[] = [
  ...serverCases,
  withFile('state.cannot-open', async ({ file, open }) => {
    mkdirSync(file);
    await open();
  }),
  withFile('state.unreadable', async ({ file, open }) => {
    writeFileSync(file, 'SELECT 1;\n'.repeat(200));
    await open();
  }),
  withFile('state.newer', async ({ file, open }) => {
    await (await open()).journal.startRun(RUN, { now: 1, events: [] });
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await open();
  }),
  withFile('state.locked', async ({ file, open }) => {
    const state = await open();
    await state.journal.startRun(RUN, { now: 1, events: [] });
    const other = new DatabaseSync(file);
    try {
      other.exec('BEGIN IMMEDIATE');
      await state.journal.heartbeat(RUN.id, 1);
    } finally {
      other.close();
    }
  }),
  acting('state.write-failed', () =>
    inFolder(async (folder) => {
      const script = join(folder, 'fill.ts');
      writeFileSync(script, FILL);
      const limited = `ulimit -f 1000; exec "${process.execPath}" "${script}" "${join(folder, 'state.db')}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', limited], { encoding: 'utf8' });
      return stdout.trim() || stderr;
    }),
  ),
  withFile('state.lease-lost', async ({ open }) => {
    const state = await open();
    await state.journal.startRun(RUN, { now: 1, events: [] });
    const stage = { id: 's', needs: [], kind: 'create-schemas', schemas: [] } as const;
    const intent = { id: 'i', runId: 'r2', environment: RUN.environment, at: 1, stage };
    await state.journal.startBackfill(intent, { tables: [], who: 'another', now: 1 });
  }),
  withFile('state.bad-import', async ({ open }) => (await open()).importAll(lines('{"no":"export"}'))),
  withFile('state.not-empty', async ({ open }) => {
    const state = await open();
    await state.journal.startRun(RUN, { now: 1, events: [] });
    const exported: string[] = [];
    for await (const line of state.exportAll()) exported.push(line);
    await state.importAll(lines(...exported));
  }),
  acting('state.snapshot-differs', async () => {
    const place = testPlace();
    try {
      const world = await place.open();
      const project = await projectOf({ 's.m': ['FULL', 'SELECT 1 AS x'] });
      const plan = await planFor(world, project, { fill: { 's.m': days(0, 1) } });
      const { run } = await apply(world, plan);
      if (run.status !== 'succeeded') return run.error?.code;
      const again = await planFor(world, project);
      const snapshots = again.snapshots.map(({ snapshot, content }) => ({
        content,
        snapshot: { ...snapshot, dataHash: 'of something else' },
      }));
      return await codeOf(world.state.snapshots.beginPlan({ ...again, snapshots }, runOf(again), []));
    } finally {
      await place.remove();
    }
  }),
  acting('state.mismatch', async () => {
    const [place, elsewhere] = [testPlace(), testPlace()];
    try {
      const [world, stranger] = [await place.open(), await elsewhere.open()];
      const project = await projectOf({ 's.m': ['FULL', 'SELECT 1 AS x'] });
      await apply(world, await planFor(world, project, { fill: { 's.m': days(0, 1) } }));
      await recover(world);
      return await codeOf(recover({ ...stranger, engine: world.engine }));
    } finally {
      await place.remove();
      await elsewhere.remove();
    }
  }),
];

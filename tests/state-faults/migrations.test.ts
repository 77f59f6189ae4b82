/** A state in PostgreSQL of an earlier version: it is copied and migrated whole or not at all, whatever ends the migration. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/adapters/state/postgres/postgres-dialect.ts';
import { backupTable } from '../../src/adapters/state/postgres/postgres-schema.ts';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import { runOf } from '../conformance/state-store-fixtures.ts';
import {
  type PostgresServer,
  postgresPrograms,
  STATE_USER,
  startPostgresServer,
} from '../postgres-server.ts';
import { configOn, newSchema } from '../postgres-state.ts';
import { IS_LONG } from '../support/long-form.ts';
import { type CutMoment, cuttingProxy, NEVER } from './cutting-proxy.ts';
import { until } from './until.ts';

const VERSION = MIGRATIONS.length;
/** What a later Plinth would do to the state. */
const LATER = [...MIGRATIONS, 'CREATE TABLE added AS SELECT id FROM runs; ALTER TABLE runs ADD colour TEXT'];
const STRIDE = IS_LONG ? 1 : 7;
const MOMENTS: readonly CutMoment[] = ['before', 'while', 'after'];

describe.skipIf(postgresPrograms() === undefined)('a state in PostgreSQL of an earlier version', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server.stop());

  const begin = async (schema: string, id: string, migrations = MIGRATIONS): Promise<void> => {
    const state = await postgresStateStore(configOn(server.port, schema), { migrations });
    await state.journal.startRun(runOf(id, { environment: id }), { now: 1, events: [] });
    await state.close();
  };
  /** The state of a schema: its version, its runs, and the tables that a migration makes. */
  const found = async (schema: string): Promise<Readonly<Record<string, unknown>>> => {
    // The server may still be at work for a process that is gone.
    await server.ask(`SELECT pg_advisory_xact_lock(hashtextextended('plinth ${schema}', 0))`);
    const [row] = await server.ask(`SELECT
      (SELECT value::INTEGER FROM ${schema}.meta WHERE key = 'schema-version') AS version,
      (SELECT array_agg(id ORDER BY id) FROM ${schema}.runs) AS runs,
      to_regclass('${schema}.added') IS NOT NULL AS is_added,
      to_regclass('${schema}.${backupTable('runs', VERSION)}') IS NOT NULL AS is_copied`);
    return row ?? {};
  };
  const BEFORE = { version: VERSION, runs: ['first'], is_added: false, is_copied: false };
  const AFTER = { version: VERSION + 1, runs: ['first'], is_added: true, is_copied: true };
  /** A migration that comes later finds what it needs, and nothing of one that was ended. */
  async function expectUsable(schema: string): Promise<void> {
    const left = await found(schema);
    expect([BEFORE, AFTER]).toContainEqual(left);
    if (left['version'] === VERSION) await begin(schema, 'second');
    await begin(schema, 'third', LATER);
    const runs = left['version'] === VERSION ? ['first', 'second', 'third'] : ['first', 'third'];
    expect(await found(schema)).toEqual({ ...AFTER, runs });
    expect(await server.ask(`SELECT id FROM ${schema}.${backupTable('runs', VERSION)} ORDER BY 1`)).toEqual(
      runs.slice(0, -1).map((id) => ({ id })),
    );
  }

  test('is copied whole: each table, with all its rows', async () => {
    const schema = newSchema();
    await begin(schema, 'first');
    const tables = await server.ask(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}' AND table_name NOT LIKE 'plinth\\_%' ORDER BY 1`,
    );
    expect(tables.length).toBeGreaterThan(20);
    const rowsOf = async (prefix: string): Promise<readonly unknown[]> =>
      Promise.all(
        tables.map(async ({ name }) => [
          name,
          await server.ask(`SELECT to_jsonb(t)::TEXT AS row FROM ${schema}.${prefix}${name} AS t ORDER BY 1`),
        ]),
      );
    const before = await rowsOf('');
    await (await postgresStateStore(configOn(server.port, schema), { migrations: LATER })).close();
    expect(await rowsOf(`plinth_version_${VERSION}_`)).toEqual(before);
    expect(await found(schema)).toEqual(AFTER);
  });

  test('of each version that there was becomes the present one', async () => {
    for (let version = 1; version < VERSION; version++) {
      const schema = newSchema();
      const config = configOn(server.port, schema);
      const older = await postgresStateStore(config, { migrations: MIGRATIONS.slice(0, version) });
      await older.close();
      await server.ask(`INSERT INTO ${schema}.texts VALUES ('hash', 'kept')`);
      await begin(schema, 'first');
      expect(await found(schema), `version ${version}`).toMatchObject({ version: VERSION, runs: ['first'] });
      for (const table of ['texts', backupTable('texts', version)])
        expect(await server.ask(`SELECT * FROM ${schema}.${table}`)).toEqual([
          { hash: 'hash', text: 'kept' },
        ]);
    }
  });

  test.each(['read committed', 'serializable'])(
    'is migrated by one of several that open it at once, as the first made it, where transactions are %s',
    async (isolation) => {
      await server.ask(`ALTER ROLE ${STATE_USER} SET default_transaction_isolation = '${isolation}'`);
      const schema = newSchema();
      const openAtOnce = async (migrations: readonly string[]): Promise<void> => {
        const config = { ...configOn(server.port, schema), poolSize: 1 };
        const states = await Promise.all(
          Array.from({ length: 6 }, () => postgresStateStore(config, { migrations })),
        );
        for (const state of states) await state.close();
      };
      await openAtOnce(MIGRATIONS);
      await begin(schema, 'first');
      await openAtOnce(LATER);
      expect(await found(schema)).toEqual(AFTER);
      await server.ask(`ALTER ROLE ${STATE_USER} RESET default_transaction_isolation`);
    },
  );

  test('stays usable when the connection is cut at any message of the migration', async () => {
    const proxy = await cuttingProxy(server.port);
    let cuts = 0;
    for (let n = 1; ; n += STRIDE) {
      const schema = newSchema();
      await begin(schema, 'first');
      proxy.cutAt(n, MOMENTS[n % MOMENTS.length] as CutMoment);
      const opening = postgresStateStore(configOn(proxy.port, schema), { migrations: LATER });
      const refused = await opening.then(
        async (state) => void (await state.close()),
        (error: unknown) => error,
      );
      const wasCut = proxy.isCut();
      proxy.cutAt(NEVER, 'before');
      if (refused !== undefined) {
        expect(refused, `message ${n}`).toMatchObject({ code: 'state.cannot-connect' });
        cuts++;
      } else expect(await found(schema)).toEqual(AFTER);
      await expectUsable(schema);
      if (!wasCut) break;
    }
    console.log(`${cuts} cuts of a migration`);
    // Each table is copied by a message of its own.
    expect(cuts).toBeGreaterThan(20 / STRIDE);
    await proxy.close();
  });

  test.each(['the process is killed', 'the server crashes'])(
    'stays usable when %s in the middle of the migration',
    async (fault) => {
      const schema = newSchema();
      await begin(schema, 'first');
      const program = fileURLToPath(new URL('./migrate-slowly.ts', import.meta.url));
      const child = spawn(process.execPath, [program, String(server.port), schema], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await until('the middle of the migration', async () => {
        const [row] = await server.ask(
          "SELECT count(*)::INTEGER AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
        );
        return row?.['n'] === 1 ? true : undefined;
      });
      if (fault === 'the process is killed') child.kill('SIGKILL');
      else await server.restart();
      await ended;
      expect(await found(schema)).toEqual(BEFORE);
      await expectUsable(schema);
    },
  );

  test('that a later Plinth has migrated is refused, and is not touched', async () => {
    const schema = newSchema();
    await begin(schema, 'first');
    await begin(schema, 'second', LATER);
    await expect(postgresStateStore(configOn(server.port, schema))).rejects.toMatchObject({
      code: 'state.newer',
      message: expect.stringContaining(`its version is ${VERSION + 1}, this program knows ${VERSION}`),
      diagnostic: expect.objectContaining({ hint: 'update Plinth' }),
    });
    expect(await found(schema)).toEqual({ ...AFTER, runs: ['first', 'second'] });
  });
});

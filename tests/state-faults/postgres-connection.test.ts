/** What `state_connection` of type postgres says, what comes of it, and what is told when the server refuses. */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/adapters/state/postgres/postgres-dialect.ts';
import { backupTable } from '../../src/adapters/state/postgres/postgres-schema.ts';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import type { Failure } from '../../src/domain/failure.ts';
import { runOf } from '../conformance/state-store-fixtures.ts';
import {
  type PostgresServer,
  postgresPrograms,
  STATE_DATABASE,
  STATE_PASSWORD,
  startPostgresServer,
  startStandby,
} from '../postgres-server.ts';
import { configOn, newSchema } from '../postgres-state.ts';
import { expectWithin } from '../support/promised-times.ts';
import { type StateOptions, withConfiguredState } from './configured-state.ts';
import { cuttingProxy, NEVER } from './cutting-proxy.ts';

describe.skipIf(postgresPrograms() === undefined)('state_connection of type postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
    await server.ask(`CREATE ROLE guest LOGIN PASSWORD '${STATE_PASSWORD}'`);
    await server.ask(
      `CREATE ROLE reader LOGIN PASSWORD '${STATE_PASSWORD}'; ALTER ROLE reader SET default_transaction_read_only = on`,
    );
    await server.ask(`GRANT CREATE ON DATABASE ${STATE_DATABASE} TO reader`);
    await server.ask(`CREATE ROLE single LOGIN PASSWORD '${STATE_PASSWORD}' CONNECTION LIMIT 1`);
    await server.ask(`GRANT CREATE ON DATABASE ${STATE_DATABASE} TO single`);
    await server.ask(
      `CREATE ROLE owner; GRANT owner TO plinth; GRANT CREATE ON DATABASE ${STATE_DATABASE} TO owner`,
    );
  });
  afterAll(() => server.stop());

  const opened = (
    options: StateOptions,
    work: (warehouseId: string) => Promise<unknown> = async () => undefined,
  ) => withConfiguredState(server.port, options, ({ warehouseId }) => work(warehouseId));
  /** Every refusal names the gateway and the next step. */
  const refusal = async (
    options: StateOptions,
  ): Promise<{ readonly code: string; readonly message: string }> => {
    const error: unknown = await opened(options).catch((each: unknown) => each);
    const { code, message, diagnostic } = error as Failure;
    expect(message).toContain('gateway local');
    expect(diagnostic.hint).toMatch(/gateways\.local\.state_connection|CREATE SCHEMA/);
    return { code, message };
  };

  test('user and password log in, and a refusal names the gateway and never the password', async () => {
    const { code, message } = await refusal({ password: 'of another' });
    expect(code).toBe('state.login-refused');
    expect(message).toContain('gateway local');
    expect(message).toContain('user plinth');
    expect(message).not.toContain('of another');
    expect((await refusal({ user: 'no_such_user' })).code).toBe('state.login-refused');
  });

  test('a password that is taken from a variable which is not set is refused, and told to be empty', async () => {
    const { code, message } = await refusal({ password: "{{ env_var('NO_SUCH_PASSWORD') }}" });
    expect(code).toBe('state.login-refused');
    expect(message).toMatch(/gateway local .*refused the user plinth: the password is empty/);
  });

  test('a server that is gone for too long is told with gateway and next step, and used again when it is back', async () => {
    const proxy = await cuttingProxy(server.port);
    const state = await postgresStateStore(configOn(proxy.port, newSchema()), { lostAfterMs: 100 });
    const back = Promise.withResolvers<void>();
    proxy.cutAt(1, 'before', () => back.promise);
    await expect(state.events.lastSequence()).rejects.toMatchObject({
      code: 'state.connection-lost',
      message: expect.stringContaining('gateway local'),
      diagnostic: expect.objectContaining({ hint: expect.stringContaining('check that the server runs') }),
    });
    back.resolve();
    proxy.cutAt(NEVER, 'before');
    expect(await state.events.lastSequence()).toBe(0);
    await state.close();
    await proxy.close();
  });

  test('host, port and database say where the server is', async () => {
    await opened({ host: server.folder, schema: newSchema() });
    expect((await refusal({ host: 'no-such-host.invalid' })).code).toBe('state.cannot-connect');
    expect((await refusal({ port: 1 })).code).toBe('state.cannot-connect');
    const { code, message } = await refusal({ database: 'elsewhere' });
    expect(code).toBe('state.cannot-connect');
    expect(message).toContain('elsewhere');
  });

  test('schema is where the tables are, plinth when it is not said', async () => {
    const schema = newSchema();
    await opened({ schema });
    await opened({});
    const found = await server.ask(
      "SELECT table_schema AS of FROM information_schema.tables WHERE table_name = 'leases' ORDER BY 1",
    );
    expect(found.map((row) => row['of'])).toEqual(expect.arrayContaining(['plinth', schema]));
  });

  test('role is taken on, and application_name is shown', async () => {
    const schema = newSchema();
    await opened({ schema, role: 'owner', application_name: 'shop of tests' }, async () => {
      const found = await server.ask(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'shop of tests'",
      );
      expect(found.length).toBeGreaterThan(0);
    });
    const [row] = await server.ask(
      `SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname = '${schema}'`,
    );
    expect(row).toEqual({ owner: 'owner' });
  });

  test('pool_size bounds the connections of a process', async () => {
    const options = { schema: newSchema(), pool_size: 2, application_name: 'two at most' };
    await withConfiguredState(server.port, options, async (state) => {
      await Promise.all(Array.from({ length: 20 }, () => state.events.lastSequence()));
      expect(
        await server.ask("SELECT 1 FROM pg_stat_activity WHERE application_name = 'two at most'"),
      ).toHaveLength(2);
    });
  });

  test('a process that gets fewer connections than pool_size goes on with those', async () => {
    const options = { schema: newSchema(), user: 'single', pool_size: 4 };
    await withConfiguredState(server.port, options, async (state) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => state.events.lastSequence()));
      expect(answers).toEqual(answers.map(() => 0));
    });
  });

  test('sslmode require is refused by a server without TLS, prefer goes on without, sslrootcert is read', async () => {
    const schema = newSchema();
    await opened({ schema, sslmode: 'prefer' });
    await opened({ schema, sslmode: 'disable' });
    expect((await refusal({ schema, sslmode: 'require' })).code).toBe('state.cannot-connect');
    const { message } = await refusal({ schema, sslmode: 'verify-full', sslrootcert: 'missing.pem' });
    expect(message).toContain('missing.pem');
  });

  test('connect_timeout gives up a server that does not answer; keepalives_idle is accepted', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const since = performance.now();
    const { code } = await refusal({ port, connect_timeout: 1, keepalives_idle: 30 });
    expect(code).toBe('state.cannot-connect');
    expectWithin(performance.now() - since, 9_000);
    silent.close();
  });

  test('a user who may not make a schema, who may only read, or who has no connection left is told so', async () => {
    const schema = newSchema();
    const rights = await refusal({ schema, user: 'guest' });
    expect(rights.code).toBe('state.no-rights');
    expect(rights.message).toContain('guest');
    expect((await refusal({ schema, user: 'reader' })).code).toBe('state.read-only');
    const single = { schema: newSchema(), user: 'single', pool_size: 1 };
    await opened(single, async () => expect((await refusal(single)).code).toBe('state.too-many-connections'));
  });

  test('a standby, which follows another server, is refused before anything is asked of it, with a state and without', async () => {
    const schema = newSchema();
    await opened({ schema });
    const standby = await startStandby(server);
    try {
      expect(await standby.ask('SELECT pg_is_in_recovery() AS is_standby')).toEqual([{ is_standby: true }]);
      for (const options of [{ schema }, { schema: newSchema() }]) {
        const error: unknown = await withConfiguredState(standby.port, options, async () => undefined).catch(
          (each: unknown) => each,
        );
        expect(error).toMatchObject({ code: 'state.read-only' });
        expect((error as Error).message).toMatch(/gateway local .*standby/);
      }
    } finally {
      await standby.stop();
    }
  });

  test('a schema with a table of another program is refused, and left as it was', async () => {
    const schema = newSchema();
    await server.ask(`CREATE SCHEMA ${schema} AUTHORIZATION plinth`);
    await server.ask(`CREATE TABLE ${schema}.events (id INTEGER)`);
    const error: unknown = await opened({ schema }).catch((each: unknown) => each);
    expect(error).toMatchObject({
      code: 'state.unreadable',
      message: expect.stringMatching(
        new RegExp(`schema ${schema} cannot be read: .*"events" already exists`),
      ),
    });
    expect(
      await server.ask(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`,
      ),
    ).toEqual([{ name: 'events' }]);
  });

  test('a server that is too old is refused', async () => {
    await expect(
      postgresStateStore(configOn(server.port, newSchema()), { serverMin: 99 }),
    ).rejects.toMatchObject({
      code: 'state.old-server',
      message: expect.stringContaining('gateway local'),
    });
  });

  test('an older schema is copied and brought to the present version, a newer one is refused', async () => {
    const config = configOn(server.port, newSchema());
    const older = await postgresStateStore(config, { migrations: MIGRATIONS.slice(0, -1) });
    await older.journal.startRun(runOf('run-1'), { now: 1, events: [] });
    await older.close();
    const now = await postgresStateStore(config);
    expect((await now.journal.runs({ limit: 9 })).map(({ id }) => id)).toEqual(['run-1']);
    await now.close();
    const copy = await server.ask(
      `SELECT id FROM ${config.schema}.${backupTable('runs', MIGRATIONS.length - 1)}`,
    );
    expect(copy).toEqual([{ id: 'run-1' }]);
    await expect(postgresStateStore(config, { migrations: MIGRATIONS.slice(0, -1) })).rejects.toMatchObject({
      code: 'state.newer',
    });
  });

  test('a schema that was made before lost commits were looked for gets what they need, and keeps what it has', async () => {
    const config = configOn(server.port, newSchema());
    const before = await postgresStateStore(config);
    await before.journal.startRun(runOf('run-1'), { now: 1, events: [] });
    await before.close();
    await server.ask(`DROP TABLE ${config.schema}.plinth_writers`);
    const now = await postgresStateStore(config);
    await now.journal.startRun(runOf('run-2', { environment: 'prod' }), { now: 1, events: [] });
    expect((await now.journal.runs({ limit: 9 })).map(({ id }) => id).toSorted()).toEqual(['run-1', 'run-2']);
    await now.close();
  });

  test('an import that cannot begin leaves its connection to others', async () => {
    const config = { ...configOn(server.port, newSchema()), poolSize: 1 };
    const state = await postgresStateStore(config);
    await server.ask(`REVOKE ALL ON ${config.schema}.plinth_turn FROM plinth`);
    await expect(state.importAll(nothing())).rejects.toMatchObject({ code: 'state.no-rights' });
    await server.ask(`GRANT ALL ON ${config.schema}.plinth_turn TO plinth`);
    expect(await state.events.lastSequence()).toBe(0);
    await state.close();
  });
});

async function* nothing(): AsyncGenerator<string> {}

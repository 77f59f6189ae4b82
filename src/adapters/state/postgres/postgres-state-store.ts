import type { ClientBase } from 'pg';
import type { StateStore } from '../../../domain/state-store.ts';
import { asFailure, eachAsFailure } from '../sql/as-failure.ts';
import { driveAwaiting } from '../sql/awaited-state.ts';
import { type DriverOptions, ServerDriver } from '../sql/server-driver.ts';
import type { Row } from '../sql/state-sql.ts';
import { stateStoreOver } from '../sql/state-store.ts';
import { exportedLines, importLines, type TransferSession } from '../sql/transfer.ts';
import { type PostgresConfig, placeOf } from './postgres-config.ts';
import { MIGRATIONS } from './postgres-dialect.ts';
import { openPool, type PostgresPool } from './postgres-pool.ts';
import { postgresProblem } from './postgres-problem.ts';
import { prepareSchema, type SchemaOptions } from './postgres-schema.ts';
import { performStatement } from './postgres-statement.ts';
import { BEGIN_ALONE, FORGET_WRITERS, inTransaction, stateServer } from './postgres-transaction.ts';

export interface PostgresOptions extends SchemaOptions, DriverOptions {}

/** Opens the state in one schema of a PostgreSQL database, or makes it; any number of processes may have it open. */
export async function postgresStateStore(
  config: PostgresConfig,
  options: PostgresOptions = {},
): Promise<StateStore> {
  const place = placeOf(config);
  const notOpened = (error: unknown): unknown => postgresProblem(error, place, false);
  const pool = await asFailure(openPool(config), notOpened);
  const server = stateServer(pool, place);
  const driver = new ServerDriver(server, options);
  const { problemOf } = server;
  try {
    await asFailure(
      pool.use((client) => prepareSchema(client, config, options)),
      notOpened,
    );
    return await stateStoreOver(
      {
        ask: (name, ...given) => asFailure(driver.perform(name, given)) as Promise<never>,
        expectWork: () => undefined,
      },
      {
        aheadMs: () => driver.aheadMs,
        // The server gives room back by itself.
        compact: () => asFailure(forgetWriters(pool), problemOf),
        exportAll: () => eachAsFailure(exported(pool, driver), problemOf),
        importAll: (lines) => asFailure(imported(pool, driver, { lines, ...options }), problemOf),
        close: () => pool.close(),
      },
    );
  } catch (error) {
    await pool.close();
    throw error;
  }
}

async function forgetWriters(pool: PostgresPool): Promise<void> {
  await pool.use((client) => client.query(FORGET_WRITERS));
}

const ROWS_AT_ONCE = 500;

function sessionOf(client: ClientBase, { state }: ServerDriver, migrations = MIGRATIONS): TransferSession {
  return {
    state,
    migrations,
    perform: (steps) => driveAwaiting(steps, (statement) => performStatement(client, statement)),
    script: async (sql) => {
      await client.query(sql);
    },
    stream: async function* (sql) {
      await client.query(`DECLARE transferred NO SCROLL CURSOR FOR ${sql}`);
      for (;;) {
        const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM transferred`);
        yield* rows;
        if (rows.length < ROWS_AT_ONCE) break;
      }
      await client.query('CLOSE transferred');
    },
    isContradiction: (error) => /^(?:23|22)/.test(String((error as { code?: unknown }).code)),
  };
}

function imported(
  pool: PostgresPool,
  driver: ServerDriver,
  { lines, migrations }: PostgresOptions & { readonly lines: AsyncIterable<string> },
): Promise<void> {
  return pool.use((client) =>
    inTransaction(client, BEGIN_ALONE, () => importLines(sessionOf(client, driver, migrations), lines)),
  );
}

/** A reader that stops early ends the transaction, too. */
async function* exported(pool: PostgresPool, driver: ServerDriver): AsyncGenerator<string, void, undefined> {
  const begun = Promise.withResolvers<ClientBase>();
  const read = Promise.withResolvers<void>();
  const ended = pool
    .use((client) =>
      inTransaction(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', () => {
        begun.resolve(client);
        return read.promise;
      }),
    )
    .catch(begun.reject);
  try {
    yield* exportedLines(sessionOf(await begun.promise, driver));
  } finally {
    read.resolve();
    await ended;
  }
}

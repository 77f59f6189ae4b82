import type { ClientBase } from 'pg';
import type { StateStore } from '../../../domain/state-store.ts';
import { asFailure } from '../sql/as-failure.ts';
import { driveAwaiting } from '../sql/awaited-state.ts';
import type { Row } from '../sql/state-sql.ts';
import { stateStoreOver } from '../sql/state-store.ts';
import { exportedLines, importLines, type TransferSession } from '../sql/transfer.ts';
import { inTransaction } from './in-transaction.ts';
import { type PostgresConfig, placeOf } from './postgres-config.ts';
import { type DriverOptions, PostgresDriver } from './postgres-driver.ts';
import { openPool, type PostgresPool } from './postgres-pool.ts';
import { postgresProblem } from './postgres-problem.ts';
import { prepareSchema, type SchemaOptions } from './postgres-schema.ts';
import { performStatement } from './postgres-statement.ts';
import { MIGRATIONS } from './postgres-words.ts';

export interface PostgresOptions extends SchemaOptions, DriverOptions {}

/** Opens the state in one schema of a PostgreSQL database, or makes it; any number of processes may have it open. */
export async function postgresStateStore(
  config: PostgresConfig,
  options: PostgresOptions = {},
): Promise<StateStore> {
  const place = placeOf(config);
  const translated = <Result>(isOpen: boolean, work: Promise<Result>): Promise<Result> =>
    asFailure(
      work.catch((error: unknown) => {
        throw postgresProblem(error, place, isOpen);
      }),
    );
  const pool = await translated(false, openPool(config));
  try {
    await translated(
      false,
      pool.use((client) => prepareSchema(client, config, options)),
    );
    const driver = new PostgresDriver(pool, place, options);
    return await stateStoreOver(
      {
        ask: (name, ...given) => asFailure(driver.perform(name, given)) as Promise<never>,
        expectWork: () => undefined,
      },
      {
        aheadMs: () => driver.aheadMs,
        // The server gives room back by itself.
        compact: () => translated(true, driver.forgetWriters()),
        exportAll: () => exported(pool, { driver, translated: (work) => translated(true, work) }),
        importAll: (lines) => translated(true, imported(pool, driver, { lines, ...options })),
        close: () => pool.close(),
      },
    );
  } catch (error) {
    await pool.close();
    throw error;
  }
}

const ROWS_AT_ONCE = 500;

function sessionOf(client: ClientBase, { state }: PostgresDriver, migrations = MIGRATIONS): TransferSession {
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

async function imported(
  pool: PostgresPool,
  driver: PostgresDriver,
  { lines, migrations }: PostgresOptions & { readonly lines: AsyncIterable<string> },
): Promise<void> {
  const begin = 'BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE plinth_turn IN EXCLUSIVE MODE';
  await pool.use((client) =>
    inTransaction(client, begin, () => importLines(sessionOf(client, driver, migrations), lines)),
  );
}

/** A reader that stops early ends the transaction, too. */
async function* exported(
  pool: PostgresPool,
  {
    driver,
    translated,
  }: {
    readonly driver: PostgresDriver;
    readonly translated: <Result>(work: Promise<Result>) => Promise<Result>;
  },
): AsyncGenerator<string, void, undefined> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begun = Promise.withResolvers<ClientBase>();
  const lent = pool
    .use(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      begun.resolve(client);
      await ended;
      await client.query('ROLLBACK');
    })
    .catch(begun.reject);
  try {
    const lines = exportedLines(sessionOf(await translated(begun.promise), driver));
    for (let next = await translated(lines.next()); next.done !== true; next = await translated(lines.next()))
      yield next.value;
  } finally {
    end();
    await lent;
  }
}

/** States of tests in PostgreSQL: a schema each, on the server that the tests of a process share. */
import type { PostgresConfig } from '../src/adapters/state/postgres/postgres-config.ts';
import {
  type PostgresOptions,
  postgresStateStore,
} from '../src/adapters/state/postgres/postgres-state-store.ts';
import type { StateStore } from '../src/domain/state-store.ts';
import {
  type PostgresServer,
  STATE_DATABASE,
  STATE_PASSWORD,
  STATE_USER,
  sharedPostgres,
} from './postgres-server.ts';

const PORT = 'PLINTH_TEST_POSTGRES_PORT';
let made = 0;

/** The name of a schema that is not there yet. */
export const newSchema = (): string => `state_${process.pid}_${++made}`;

/** How a schema is reached on a server of tests. */
export const configOn = (port: number, schema: string): PostgresConfig => ({
  gateway: 'local',
  host: '127.0.0.1',
  port,
  user: STATE_USER,
  password: STATE_PASSWORD,
  database: STATE_DATABASE,
  schema,
});

/** The same as `state_connection` of a config.yaml says it. */
export const stateConnection = (
  port: number,
  more: Readonly<Record<string, string | number>>,
): Readonly<Record<string, string | number>> => ({
  type: 'postgres',
  host: '127.0.0.1',
  port,
  user: STATE_USER,
  password: STATE_PASSWORD,
  database: STATE_DATABASE,
  ...more,
});

/** On the shared server; processes that tests start use it, too. */
export async function stateConfig(schema: string): Promise<PostgresConfig> {
  process.env[PORT] ??= String((await sharedPostgres()).port);
  return configOn(Number(process.env[PORT]), schema);
}

/** For processes that a test starts and whose states lie on a server of its own. */
export const variablesFor = ({ port }: PostgresServer): Readonly<Record<string, string>> => ({
  [PORT]: String(port),
});

export async function openPostgresState(schema: string, options?: PostgresOptions): Promise<StateStore> {
  return postgresStateStore(await stateConfig(schema), options);
}

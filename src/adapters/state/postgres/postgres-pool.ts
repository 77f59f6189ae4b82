/*
 * Connections to one schema. Each is set up once; as many are in use as the pool may have, and who wants one more waits
 * for the next that is free. One that broke is not used again.
 */
import pg, { type ClientBase } from 'pg';
import { boundedUse } from '../sql/bounded-use.ts';
import { type PostgresConfig, poolConfig, schemaOf, type Tls, tlsTried } from './postgres-config.ts';
import { failingOf } from './postgres-problem.ts';
import { TYPES } from './postgres-statement.ts';

export interface PostgresPool {
  /** Lends a connection; the work ends its transactions itself. */
  use<Result>(work: (client: ClientBase) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** With one connection made: refusals of the server are thrown here. */
export async function openPool(config: PostgresConfig): Promise<PostgresPool> {
  const [first, second] = tlsTried(config);
  try {
    return await connected(poolOf(config, first));
  } catch (error) {
    if (second === undefined || !isOtherwiseLetIn(error)) throw error;
    return connected(poolOf(config, second));
  }
}

/** The server speaks no TLS, or its rules let this user in only with the other of the two. */
const isOtherwiseLetIn = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '28000' || /does not support SSL/.test((error as Error).message);

async function connected(pool: PostgresPool): Promise<PostgresPool> {
  try {
    await pool.use(async () => undefined);
    return pool;
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function poolOf(config: PostgresConfig, ssl: Tls): PostgresPool {
  const settings = poolConfig(config);
  const role = config.role === undefined ? '' : `SET ROLE ${pg.escapeIdentifier(config.role)};`;
  const setUp = `${role} SET search_path TO ${pg.escapeIdentifier(schemaOf(config))}; SET client_min_messages TO warning`;
  const pool = new pg.Pool({
    ...settings,
    ssl,
    types: TYPES,
    onConnect: async (client: ClientBase) => {
      await client.query(setUp);
    },
  });
  // A connection that is cut says so to the work that uses it; without work the pool forgets it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);

  // The pool's own time-out would also count the time that work waits for other work.
  const bounded = boundedUse(settings.max);
  return {
    use: (work) =>
      bounded(async () => {
        const client = await pool.connect();
        let broken: Error | undefined;
        try {
          return await work(client);
        } catch (error) {
          if (failingOf(error) === 'lost') broken = error as Error;
          throw error;
        } finally {
          client.release(broken);
        }
      }),
    close: () => pool.end(),
  };
}

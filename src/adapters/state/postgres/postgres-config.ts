import { readFileSync } from 'node:fs';
import type { PoolConfig } from 'pg';
import type { PostgresPlace } from './postgres-problem.ts';

/** How a state in PostgreSQL is reached, as `state_connection` says it. */
export interface PostgresConfig {
  readonly gateway: string;
  readonly host: string;
  readonly port?: number | undefined;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly schema?: string | undefined;
  readonly sslmode?: string | undefined;
  /** The file of the certificates that sign the server's. */
  readonly sslrootcert?: string | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly keepAliveMs?: number | undefined;
  /** The role that is taken on after logging in. */
  readonly role?: string | undefined;
  readonly applicationName?: string | undefined;
  readonly poolSize?: number | undefined;
}

const PORT = 5432;
const CONNECT_MS = 10_000;
const POOL_SIZE = 4;
/** A server that says nothing for so long is taken for lost. */
const ANSWER_MS = 60_000;

export const schemaOf = ({ schema = 'plinth' }: PostgresConfig): string => schema;

export function placeOf(config: PostgresConfig): PostgresPlace {
  const { gateway, host, port = PORT, database, user } = config;
  return { gateway, user, place: `${host}:${port}/${database}, schema ${schemaOf(config)}` };
}

/** For `pg`, which would look for what is not said here in the environment of the process. */
export function poolConfig(config: PostgresConfig): PoolConfig & { readonly max: number } {
  const { host, port = PORT, user, password, database, poolSize = POOL_SIZE } = config;
  return {
    host,
    port,
    user,
    password,
    database,
    max: poolSize,
    application_name: config.applicationName ?? 'plinth',
    connectionTimeoutMillis: config.connectTimeoutMs ?? CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: config.keepAliveMs ?? 0,
    allowExitOnIdle: true,
  };
}

export type Tls = NonNullable<PoolConfig['ssl']>;

/** What is tried in turn, as the programs of PostgreSQL understand `sslmode`: only the last two say who the server has to be. */
export function tlsTried({ host, sslmode = 'prefer', sslrootcert }: PostgresConfig): readonly [Tls, Tls?] {
  if (host.startsWith('/') || sslmode === 'disable') return [false];
  if (sslmode === 'allow') return [false, { rejectUnauthorized: false }];
  if (sslmode === 'prefer') return [{ rejectUnauthorized: false }, false];
  const ca = sslrootcert === undefined ? {} : { ca: readFileSync(sslrootcert, 'utf8') };
  if (sslmode === 'verify-full') return [{ ...ca, rejectUnauthorized: true }];
  if (sslmode === 'verify-ca')
    return [{ ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined }];
  return [{ rejectUnauthorized: false }];
}

/** Opens the state that a connection names; each kind's driver is loaded when it is first needed. */
import { resolve } from 'node:path';
import type { Connection, Gateway } from '../../domain/config.ts';
import { failure } from '../../domain/failure.ts';
import type { StateStore } from '../../domain/state-store.ts';
import type { PostgresConfig } from './postgres/postgres-config.ts';

/** A state as a project of a folder asks for it. */
export interface WantedState {
  readonly gateway: Pick<Gateway, 'name' | 'stateConnection'>;
  readonly folder: string;
  /** Also survives a power loss. */
  readonly isDurable: boolean;
}

interface Kind {
  open(wanted: WantedState): Promise<StateStore>;
  /** What tells this state from others, and how messages call it. */
  place(wanted: Pick<WantedState, 'gateway' | 'folder'>): string;
}

const fileOf = ({ options }: Connection, folder: string): string =>
  resolve(folder, String(options['database'] ?? '.plinth/state.db'));

const KINDS: Readonly<Record<string, Kind>> = {
  sqlite: {
    open: async ({ gateway, folder, isDurable }) => {
      const { sqliteStateStore } = await import('./sqlite/sqlite-state-store.ts');
      return sqliteStateStore({
        file: fileOf(gateway.stateConnection, folder),
        synchronous: isDurable ? 'full' : 'normal',
      });
    },
    place: ({ gateway, folder }) => fileOf(gateway.stateConnection, folder),
  },
  postgres: {
    open: async ({ gateway, folder }) => {
      const { postgresStateStore } = await import('./postgres/postgres-state-store.ts');
      return postgresStateStore(serverOf(gateway, folder));
    },
    place: ({ gateway: { stateConnection } }) => {
      const { host, port = 5432, database, schema = 'plinth' } = stateConnection.options;
      return `${host}:${port}/${database}, schema ${schema}`;
    },
  },
};

export async function openStateStore(wanted: WantedState): Promise<StateStore> {
  return kindOf(wanted.gateway.stateConnection).open(wanted);
}

export const placeOfState = (wanted: Pick<WantedState, 'gateway' | 'folder'>): string =>
  kindOf(wanted.gateway.stateConnection).place(wanted);

function kindOf({ type }: Connection): Kind {
  const kind = KINDS[type];
  if (kind === undefined)
    throw failure('state.no-adapter', { engine: type, known: Object.keys(KINDS).join(', ') });
  return kind;
}

/** The options, as the schema of the configuration has checked them. */
function serverOf(
  { name, stateConnection: { options } }: WantedState['gateway'],
  folder: string,
): PostgresConfig {
  const text = (key: string): string | undefined => options[key] as string | undefined;
  const number = (key: string): number | undefined => options[key] as number | undefined;
  const milliseconds = (key: string): number | undefined => {
    const seconds = number(key);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  const certificates = text('sslrootcert');
  return {
    gateway: name,
    host: text('host') ?? '',
    port: number('port'),
    user: text('user') ?? '',
    password: text('password') ?? '',
    database: text('database') ?? '',
    schema: text('schema'),
    sslmode: text('sslmode'),
    sslrootcert: certificates === undefined ? undefined : resolve(folder, certificates),
    connectTimeoutMs: milliseconds('connect_timeout'),
    keepAliveMs: milliseconds('keepalives_idle'),
    role: text('role'),
    applicationName: text('application_name'),
    poolSize: number('pool_size'),
  };
}

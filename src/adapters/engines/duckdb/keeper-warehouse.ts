import { rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Answer } from '../../../domain/engine.ts';
import { makePrivate } from '../../../foundation/private-files.ts';
import { ActiveWriters } from './active-writers.ts';
import { type KeeperSettings, WAREHOUSE } from './duckdb-config.ts';
import { nameSql, textSql } from './duckdb-dialect.ts';
import { classifyError, messageOf } from './duckdb-errors.ts';
import type { KeeperFences } from './keeper-fences.ts';
import { KeeperThreads } from './keeper-threads.ts';
import type { KeeperVersions } from './keeper-versions.ts';
import type { WireError } from './keeper-wire.ts';
import { makeDatabase } from './make-database.ts';
import { WarehouseBooks } from './warehouse-books.ts';

const IDLE_CONNECTIONS_MAX = 16;

/** The opened file with its connections, fences and bookkeeping. */
export interface Warehouse {
  readonly fences: KeeperFences;
  readonly versions: KeeperVersions;
  readonly writers: ActiveWriters;
  readonly threads: KeeperThreads;
  connect(): Promise<DuckDBConnection>;
  giveBack(connection: DuckDBConnection, isTouched: boolean): void;
  prepareBooks(catalogs: readonly string[]): Promise<void>;
  ownFunctions(): Promise<ReadonlySet<string>>;
  forgetFunctions(): void;
  identity(proposed: string): Promise<Answer>;
  /** False when one of its files was deleted or replaced under its name: writing on would be writing to nowhere. */
  isThere(): boolean;
  /** Waits for the bookkeeping: closing a connection that is in use never returns. */
  close(): Promise<void>;
}

/** Why a file could not be opened. */
export class OpenError extends Error {
  readonly error: WireError;
  constructor(error: WireError) {
    super(error.code);
    this.error = error;
  }
}

/** What does not fit into memory takes at most half of the disk that is free: state, results and the next write need some, too. */
function spillBytes(folder: string): number {
  if (folder === '') return 0;
  const { bavail, bsize } = statfsSync(dirname(folder));
  return Math.floor((bavail * bsize) / 2);
}

interface OpenedDatabase {
  readonly instance: DuckDBInstance;
  /** For settings and bookkeeping, beside the sessions. */
  readonly own: DuckDBConnection;
  readonly threads: KeeperThreads;
}

/** Opens the file (its lock decides which keeper may), applies the settings and locks the configuration. */
export async function openWarehouse(settings: KeeperSettings): Promise<Warehouse> {
  const { instance, own, threads } = await openDatabase(settings);
  const inodes = new Map((await filesOf(own)).map((file) => [file, inodeOf(file)]));
  const books = new WarehouseBooks(own, settings.isReadOnly);
  const idle: DuckDBConnection[] = [];
  return {
    fences: books.fences,
    versions: books.versions,
    writers: new ActiveWriters(),
    threads,
    isThere: () => [...inodes].every(([file, inode]) => inodeOf(file) === inode),
    async connect() {
      const kept = idle.pop();
      if (kept !== undefined) return kept;
      const connection = await instance.connect();
      await use(connection);
      return connection;
    },
    giveBack(connection, isTouched) {
      if (isTouched || idle.length >= IDLE_CONNECTIONS_MAX) connection.closeSync();
      else idle.push(connection);
    },
    prepareBooks: (catalogs) => books.prepare(catalogs),
    ownFunctions: () => books.ownFunctions(),
    forgetFunctions: () => books.forgetFunctions(),
    identity: (proposed) => books.identity(proposed),
    async close() {
      await books.written();
      for (const connection of idle) connection.closeSync();
      await threads.close();
      own.closeSync();
      instance.closeSync();
    },
  };
}

/** Throws `OpenError`. */
async function openDatabase(settings: KeeperSettings): Promise<OpenedDatabase> {
  const { database, isReadOnly } = settings;
  try {
    const instance = await DuckDBInstance.create(':memory:');
    const own = await instance.connect();
    for (const file of settings.ownFiles) await makeDatabase(own, file);
    await own.run(
      `ATTACH ${textSql(database)} AS ${nameSql(WAREHOUSE)}${isReadOnly && database !== ':memory:' ? ' (READ_ONLY)' : ''}`,
    );
    for (const file of isReadOnly ? [] : [database, `${database}.wal`]) makePrivate(file);
    // The file is ours now, so what is left of a keeper that was killed can go.
    if (database !== ':memory:') rmSync(`${database}.tmp`, { recursive: true, force: true });
    const spilled = spillBytes(settings.temporaryFolder);
    await own.run(`SET GLOBAL max_temp_directory_size = ${textSql(`${spilled} bytes`)}`);
    for (const statement of settings.statements) await own.run(statement);
    await use(own);
    return { instance, own, threads: await KeeperThreads.of(await instance.connect()) };
  } catch (thrown) {
    throw new OpenError(openError(thrown, database));
  }
}

async function use(connection: DuckDBConnection): Promise<void> {
  await connection.run(`USE ${nameSql(WAREHOUSE)}`);
}

function openError(thrown: unknown, database: string): WireError {
  const error = classifyError(thrown, database);
  return ['engine.locked', 'engine.disk-full', 'engine.out-of-memory'].includes(error.code)
    ? error
    : {
        code: 'engine.cannot-open',
        parameters: { database, detail: String(error.parameters['detail'] ?? messageOf(thrown)) },
      };
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

/** The own file and those of attached catalogs; an address of another server counts as a file that is not there. */
async function filesOf(connection: DuckDBConnection): Promise<readonly string[]> {
  const found = await connection.runAndReadAll(
    'SELECT path FROM system.main.duckdb_databases() WHERE NOT internal AND path IS NOT NULL',
  );
  return found.getRowsJson().map(([path]) => String(path));
}

import { rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Answer } from '../../../domain/engine.ts';
import { makePrivate } from '../../../foundation/private-files.ts';
import { ActiveWriters } from './active-writers.ts';
import { type KeeperSettings, WAREHOUSE } from './duckdb-config.ts';
import { nameSql, textSql } from './duckdb-dialect.ts';
import { classifyError, messageOf } from './duckdb-errors.ts';
import {
  bookSql,
  booksOf,
  booksSql,
  catalogsWithSql,
  createBooksSql,
  IDENTITY,
  LEDGER,
  VIEWS,
} from './duckdb-ledger.ts';
import { KeeperFences } from './keeper-fences.ts';
import { KeeperThreads } from './keeper-threads.ts';
import { KeeperVersions } from './keeper-versions.ts';
import type { WireError } from './keeper-wire.ts';
import { makeDatabase } from './make-database.ts';

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

/** Opens the file (its lock decides which keeper may), applies the settings and locks the configuration. */
export async function openWarehouse(settings: KeeperSettings): Promise<Warehouse> {
  const { database, isReadOnly } = settings;
  let instance: DuckDBInstance;
  let own: DuckDBConnection;
  let threads: KeeperThreads;
  try {
    instance = await DuckDBInstance.create(':memory:');
    own = await instance.connect();
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
    threads = await KeeperThreads.of(await instance.connect());
  } catch (thrown) {
    throw new OpenError(openError(thrown, database));
  }

  const inodes = new Map((await filesOf(own)).map((file) => [file, inodeOf(file)]));
  const fences = new KeeperFences();
  const idle: DuckDBConnection[] = [];
  const made = new Set<string>();
  // Bookkeeping is done by one connection, one thing after the other, beside the sessions.
  const loaded = loadBooks();
  const versions = new KeeperVersions(loaded, async () => (await queued(readBooks)).versions);
  let chain: Promise<unknown> = loaded.catch(() => undefined);
  const queued = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = chain.then(work, work);
    chain = result.catch(() => undefined);
    return result;
  };

  async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
    return (await own.runAndReadAll(sql)).getRowsJson() as readonly (readonly unknown[])[];
  }

  async function catalogsWith(book: string): Promise<readonly string[]> {
    return (await rowsOf(catalogsWithSql(book))).map(([name]) => String(name));
  }

  async function readBooks(): Promise<ReturnType<typeof booksOf>> {
    const [ledgers, views] = [await catalogsWith(LEDGER), await catalogsWith(VIEWS)];
    return booksOf(ledgers.length + views.length === 0 ? [] : await rowsOf(booksSql(ledgers, views)));
  }

  async function loadBooks(): Promise<void> {
    const books = await readBooks();
    fences.load(books.tokens);
    versions.load(books.versions);
  }

  let functions: Promise<ReadonlySet<string>> | undefined;
  async function readFunctions(): Promise<ReadonlySet<string>> {
    const rows = await queued(() =>
      rowsOf(
        'SELECT DISTINCT system.main.lower(function_name) FROM system.main.duckdb_functions() WHERE NOT internal',
      ),
    );
    return new Set(rows.map(([name]) => String(name)));
  }

  async function makeBooks(catalogs: readonly string[]): Promise<void> {
    for (const catalog of catalogs) {
      if (made.has(catalog) || isReadOnly) continue;
      for (const statement of createBooksSql(catalog)) await own.run(statement);
      made.add(catalog);
    }
  }

  return {
    fences,
    versions,
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
    async prepareBooks(catalogs) {
      await loaded;
      if (catalogs.some((catalog) => !made.has(catalog))) await queued(() => makeBooks(catalogs));
      else await chain;
    },
    ownFunctions() {
      functions ??= readFunctions();
      return functions;
    },
    forgetFunctions() {
      functions = undefined;
    },
    identity: (proposed) =>
      queued(async () => {
        await makeBooks([WAREHOUSE]);
        const ids = bookSql(WAREHOUSE, IDENTITY);
        const catalogs = await catalogsWith(LEDGER);
        let hasLedger = false;
        for (const catalog of catalogs)
          hasLedger ||= (await rowsOf(`SELECT 1 FROM ${bookSql(catalog, LEDGER)} LIMIT 1`)).length > 0;
        const [known] = catalogs.includes(WAREHOUSE) ? await rowsOf(`SELECT id FROM ${ids}`) : [];
        if (known === undefined && !isReadOnly)
          await own.run(`INSERT INTO ${ids} VALUES (${textSql(proposed)})`);
        return {
          columns: [
            { name: 'id', type: 'VARCHAR' },
            { name: 'has_ledger', type: 'BOOLEAN' },
          ],
          rows: [[known?.[0] ?? proposed, hasLedger]],
        };
      }),
    async close() {
      await chain;
      for (const connection of idle) connection.closeSync();
      await threads.close();
      own.closeSync();
      instance.closeSync();
    },
  };
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

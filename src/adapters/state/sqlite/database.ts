/*
 * One connection to a state file. Opening reads two pragmas and, when the file is new or older, brings it to our
 * version in one transaction, after a copy of what was there was put beside it.
 */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  isOnlyReadable,
  makePrivate,
  makePrivateFile,
  makePrivateFolder,
} from '../../../foundation/private-files.ts';
import { StateProblem } from '../sql/state-problem.ts';
import type { Row, StateSql, Steps } from '../sql/state-sql.ts';
import { cannotOpen, fileProblem, isUnwritable } from './file-problem.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';
import { SQLITE_DIALECT } from './sqlite-dialect.ts';

/** How the file is opened. */
export interface DatabaseOptions {
  readonly file: string;
  /** `full` also survives a power loss, at the price of an fsync per commit. */
  readonly synchronous?: 'normal' | 'full';
  /** How long SQLite itself waits for a lock, blocking its thread. */
  readonly busyTimeoutMs?: number;
  /** Other migrations than ours: tests only. */
  readonly migrations?: readonly string[];
}

/** The connection with its prepared statements. */
export interface StateDatabase {
  readonly file: string;
  readonly options: DatabaseOptions;
  /** The connection as rules see it. */
  readonly state: StateSql;
  readonly isInTransaction: () => boolean;
  execute(sql: string): void;
  run(sql: string, ...parameters: readonly SQLInputValue[]): number;
  row(sql: string, ...parameters: readonly SQLInputValue[]): Row | undefined;
  rows(sql: string, ...parameters: readonly SQLInputValue[]): readonly Row[];
  iterate(sql: string, ...parameters: readonly SQLInputValue[]): Iterable<Row>;
  close(): void;
}

/** Opens or makes the file; throws `state.*` problems, or SQLite's own "busy", which the caller may repeat. */
export function openDatabase(options: DatabaseOptions): StateDatabase {
  const { file } = options;
  if (isOnlyReadable(file)) return openUnchanging(options);
  let connection: DatabaseSync;
  try {
    makePrivateFolder(dirname(file));
    // SQLite gives the files beside it the rights of the file itself.
    makePrivateFile(file);
    for (const beside of ['-wal', '-shm']) makePrivate(`${file}${beside}`);
    connection = new DatabaseSync(file, { timeout: options.busyTimeoutMs ?? 50 });
  } catch (error) {
    throw cannotOpen(error, file);
  }
  try {
    const database = wrap(connection, options);
    prepareFile(database, options);
    return database;
  } catch (error) {
    connection.close();
    throw fileProblem(error, file);
  }
}

/** Opens a file that cannot be written, such as a backup, as it is: reads are answered, and every write is refused by name. */
function openUnchanging(options: DatabaseOptions): StateDatabase {
  const { file, migrations = MIGRATIONS } = options;
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { readOnly: true, timeout: options.busyTimeoutMs ?? 50 });
    if (!canRead(connection)) {
      connection.close();
      connection = new DatabaseSync(unchangingAddress(file), { readOnly: true });
    }
    const database = wrap(connection, options);
    const version = checkedVersion(database, migrations);
    if (version < migrations.length) {
      const detail = 'it is of an earlier version and cannot be written; copy the project to where it can';
      throw new StateProblem('state.cannot-open', { file, detail });
    }
    return database;
  } catch (error) {
    connection?.close();
    throw fileProblem(error, file);
  }
}

/** Not without the index of the log, which is beside the file only while a process has it open, and cannot be made. */
function canRead(connection: DatabaseSync): boolean {
  try {
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    return true;
  } catch (error) {
    if (isUnwritable(error)) return false;
    throw error;
  }
}

/** SQLite looks for neither log nor locks. */
function unchangingAddress(file: string): URL {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    const detail =
      'it has a log beside it that cannot be read in where nothing can be written; copy the project to where it can';
    throw new StateProblem('state.cannot-open', { file, detail });
  }
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return address;
}

/** Opens a file that another connection of this process has open and prepared; throws what SQLite says. */
export function openReader(file: string): StateDatabase {
  return wrap(new DatabaseSync(file, { readOnly: true, timeout: 0 }), { file });
}

function wrap(connection: DatabaseSync, options: DatabaseOptions): StateDatabase {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    file: options.file,
    options,
    state: {
      dialect: SQLITE_DIALECT,
      place: options.file,
      row: (sql, ...parameters) => new Answer(prepared(sql).get(...parameters) as Row | undefined),
      rows: (sql, ...parameters) => new Answer(prepared(sql).all(...parameters) as unknown as readonly Row[]),
      run: (sql, ...parameters) => new Answer(Number(prepared(sql).run(...parameters).changes)),
      // Who shares a file shares a clock.
    },
    isInTransaction: () => connection.isTransaction,
    execute: (sql) => connection.exec(sql),
    run: (sql, ...parameters) => Number(prepared(sql).run(...parameters).changes),
    row: (sql, ...parameters) => prepared(sql).get(...parameters) as Row | undefined,
    rows: (sql, ...parameters) => prepared(sql).all(...parameters) as unknown as readonly Row[],
    iterate: (sql, ...parameters) =>
      connection.prepare(sql).iterate(...parameters) as unknown as Iterable<Row>,
    close: () => connection.close(),
  };
}

function prepareFile(
  database: StateDatabase,
  { synchronous, migrations = MIGRATIONS }: DatabaseOptions,
): void {
  const version = checkedVersion(database, migrations);
  database.execute(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`,
  );
  if (version < migrations.length) migrate(database, migrations);
}

/** The version of a file that is ours, or 0 of an empty one. */
function checkedVersion(database: StateDatabase, migrations: readonly string[]): number {
  // One transaction: another process may be making the file at this moment.
  database.execute('BEGIN');
  const version = numberOf(database, 'PRAGMA user_version');
  const isOurs = numberOf(database, 'PRAGMA application_id') === APPLICATION_ID;
  const isEmpty = numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  database.execute('COMMIT');
  if (!isOurs && !(isEmpty && version === 0)) {
    const detail = 'it is a SQLite database that Plinth did not make';
    throw new StateProblem('state.unreadable', { file: database.file, detail });
  }
  if (version > migrations.length) {
    throw new StateProblem('state.newer', { file: database.file, version, known: migrations.length });
  }
  return version;
}

function numberOf(database: StateDatabase, sql: string): number {
  return Number(Object.values(database.row(sql) ?? {})[0] ?? 0);
}

function migrate(database: StateDatabase, migrations: readonly string[]): void {
  database.execute('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    const version = numberOf(database, 'PRAGMA user_version');
    if (version > 0 && version < migrations.length) backUp(database.file, version);
    for (const sql of migrations.slice(version)) database.execute(sql);
    if (version === 0) {
      database.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.run("INSERT OR IGNORE INTO meta VALUES ('warehouse-id', ?)", randomUUID());
    }
    if (version < migrations.length) database.execute(`PRAGMA user_version = ${migrations.length}`);
    database.execute('COMMIT');
  } catch (error) {
    if (database.isInTransaction()) database.execute('ROLLBACK');
    throw error;
  }
}

/** The name under which the copy made before a migration lies. */
export function backupFile(file: string, version: number): string {
  return `${file}.version-${version}.backup`;
}

/** Called while the migration has the write lock but has changed nothing, so a second connection copies what was there. */
function backUp(file: string, version: number): void {
  const target = backupFile(file, version);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  makePrivateFile(partial);
  const copier = new DatabaseSync(file);
  try {
    copier.prepare('VACUUM INTO ?').run(partial);
  } finally {
    copier.close();
  }
  renameSync(partial, target);
}

/** What a statement brought, as `yield*` takes it: the rule goes on in the same turn and is never suspended. */
class Answer<Value> implements Iterable<never, Value, unknown>, IteratorReturnResult<Value> {
  readonly done = true;
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }

  [Symbol.iterator](): Iterator<never, Value, unknown> {
    return this;
  }

  next(): this {
    return this;
  }
}

/** Runs a rule to its result. */
export function drive<Result>(steps: Steps<Result>): Result {
  const { done, value } = steps[Symbol.iterator]().next();
  if (done !== true) throw new Error('a rule was given another connection');
  return value;
}

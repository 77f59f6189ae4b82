/** Both ways of moving a state, and its compaction: each on a connection of its own. */
import { exportedLines, importLines, type TransferSession } from '../sql/transfer.ts';
import { type DatabaseOptions, drive, openDatabase, type StateDatabase } from './database.ts';
import { LOCKED_AFTER_MS, whenFree } from './executor.ts';
import { fileProblem } from './file-problem.ts';
import { MIGRATIONS } from './schema.ts';

const CONSTRAINT = 19;

/** Lines without their ends. */
export async function* exportFile(options: DatabaseOptions): AsyncGenerator<string, void, undefined> {
  const database = await open(options);
  try {
    database.execute('BEGIN');
    yield* exportedLines(sessionOf(database, options));
  } catch (error) {
    throw fileProblem(error, options.file);
  } finally {
    database.close();
  }
}

/** All lines or none, into a state in which nothing ever happened. */
export async function importFile(options: DatabaseOptions, lines: AsyncIterable<string>): Promise<void> {
  const database = await open(options);
  try {
    await whenFree(options.file, LOCKED_AFTER_MS, () => database.execute('BEGIN IMMEDIATE'));
    await importLines(sessionOf(database, options), lines);
    database.execute('COMMIT');
  } catch (error) {
    if (database.isInTransaction()) database.execute('ROLLBACK');
    throw fileProblem(error, options.file);
  } finally {
    database.close();
  }
}

/** Less is soon used again. */
const COMPACT_BYTES_MIN = 1024 ** 2;
const COMPACT_PART_MIN = 0.25;

/** Writes the file again without its empty pages, where they are many. */
export async function compactFile(options: DatabaseOptions): Promise<void> {
  const database = await open(options);
  try {
    if (!isMuchEmpty(database)) return;
    await whenFree(options.file, LOCKED_AFTER_MS, () => database.execute('VACUUM'));
    // Readers may keep the log from being emptied; the next writer does it then.
    database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw fileProblem(error, options.file);
  } finally {
    database.close();
  }
}

function isMuchEmpty(database: StateDatabase): boolean {
  const of = (pragma: string): number =>
    Number(Object.values(database.row(`PRAGMA ${pragma}`) ?? {})[0] ?? 0);
  const [free, all] = [of('freelist_count'), of('page_count')];
  return free * of('page_size') >= COMPACT_BYTES_MIN && free / all >= COMPACT_PART_MIN;
}

const open = (options: DatabaseOptions): Promise<StateDatabase> =>
  whenFree(options.file, LOCKED_AFTER_MS, () => openDatabase(options));

function sessionOf(database: StateDatabase, { migrations = MIGRATIONS }: DatabaseOptions): TransferSession {
  return {
    state: database.state,
    migrations,
    perform: drive,
    script: (sql) => database.execute(sql),
    stream: (sql) => database.iterate(sql),
    isContradiction: (error) => ((error as { errcode?: number }).errcode ?? 0) % 256 === CONSTRAINT,
  };
}

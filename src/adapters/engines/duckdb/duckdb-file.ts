import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { failure } from '../../../domain/failure.ts';

/** Which file a path leads to; undefined for a database in memory. */
export type FileIdentity = string;

/** Less than a few blocks: the next checkpoint would fail. */
const FREE_BYTES_MIN = 4 * 1024 ** 2;

export async function fileIdentity(database: string): Promise<FileIdentity | undefined> {
  if (database === ':memory:') return undefined;
  try {
    const { dev, ino } = await stat(database);
    return `${dev}:${ino}`;
  } catch {
    // There is none, which is another file than any.
    return 'none';
  }
}

/** Fails when the path leads to another file than the one that was opened, or its disk has no room. */
export async function checkFile(database: string, opened: FileIdentity | undefined): Promise<void> {
  if (opened === undefined) return;
  const present = await fileIdentity(database);
  if (present === 'none') throw failure('engine.warehouse-gone', { database });
  if (present !== opened)
    throw failure('engine.cannot-open', { database, detail: 'another file has taken its place' });
  const { bavail, bsize } = await statfs(dirname(database));
  if (bavail * bsize < FREE_BYTES_MIN)
    throw failure('engine.disk-full', { detail: 'the warehouse has no room to grow' });
}

/** DuckDB takes what follows for options of an address, and puts the log of the file elsewhere. */
export function refuseQuestionMarks(path: string): void {
  if (!path.includes('?')) return;
  throw failure(
    'engine.cannot-open',
    { database: path, detail: 'DuckDB cuts the path of a file at its question mark' },
    { hint: 'move the project to a folder without ? in its path, or name another file in config.yaml' },
  );
}

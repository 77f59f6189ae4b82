import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { nameSql, textSql } from './duckdb-dialect.ts';

const BEING_MADE = 'plinth being made';

/**
 * Makes an empty database file where there is none, whole or not at all: a process that is killed, or a disk that is full, while DuckDB
 * writes the head of a file leaves one that can never be opened.
 */
export async function makeDatabase(connection: DuckDBConnection, path: string): Promise<void> {
  if (existsSync(path)) return;
  removeAbandoned(path);
  const draft = `${path}.${process.pid}.new`;
  try {
    await connection.run(`ATTACH ${textSql(draft)} AS ${nameSql(BEING_MADE)}`);
    await connection.run(`DETACH ${nameSql(BEING_MADE)}`);
    // The log of a file that is gone would be taken for the new file's.
    if (!existsSync(path)) rmSync(`${path}.wal`, { force: true });
    publish(draft, path);
  } finally {
    for (const file of [draft, `${draft}.wal`]) rmSync(file, { force: true });
  }
}

/** Another process may have been faster: its file stays. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // Not every file system has links.
    if (!existsSync(path)) renameSync(draft, path);
  }
}

/** Drafts of processes that are gone. */
function removeAbandoned(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const pid = /^\.(\d+)\.new(?:\.wal)?$/.exec(name.slice(basename(path).length))?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

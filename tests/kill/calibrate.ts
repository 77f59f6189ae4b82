/*
 * Where a process can be killed, learnt from an undisturbed run. strace counts the calls of each thread for itself
 * (`when=n` strikes whichever thread makes its n-th call first), so the moment of a kill is
 *
 *   moment(n) = min over threads of the time of that thread's n-th call
 *
 * and the numbers worth trying are those whose moment lies between the first intent and the last write of the run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which of a process's calls are counted: those on the state (of one on a server: its messages, twice, as each is met before and after the server has it), those on the warehouse, or every write, also to sockets and other threads. */
export type Calls = keyof typeof FILES | 'any';

/** The calls that change something somebody else can see. */
export const WRITES = 'pwrite64,write,writev,sendmsg,sendto,fdatasync,fsync,ftruncate,unlink,rename';
/** Those of them that a file gets: a keeper that stops at every answer as well answers too slowly. */
export const FILE_WRITES = 'pwrite64,write,fdatasync,fsync,ftruncate,unlink,rename';

export const FILES = {
  state: ['.plinth/state.db', '.plinth/state.db-wal'],
  warehouse: ['kill.duckdb', 'kill.duckdb.wal'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface Call {
  readonly thread: string;
  readonly at: number;
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** A log of `strace -f -y -ttt`. */
export function readCalls(log: string): readonly Call[] {
  const calls: Call[] = [];
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [, thread, at, name, rest = ''] = /^(\d+) +(\d+\.\d+) (\w+)\((.*)/.exec(line) ?? [];
    if (thread === undefined || name === undefined) continue;
    const path = /^\d+<([^>]*)>/.exec(rest)?.[1] ?? /^"([^"]*)"/.exec(rest)?.[1] ?? '';
    calls.push({ thread, at: Number(at) * 1000, name, path, text: rest });
  }
  return calls;
}

/** The moment of each number: `moments[n - 1]`, epoch milliseconds. */
export function momentsOf(calls: readonly Call[], which: Calls, folder: string): readonly number[] {
  const paths = which === 'any' ? undefined : FILES[which].map((name) => join(folder, name));
  const counts = new Map<string, number>();
  const moments: number[] = [];
  for (const { thread, at, name, path } of calls) {
    if (name === 'fcntl' || (paths !== undefined && !paths.includes(path))) continue;
    const n = (counts.get(thread) ?? 0) + 1;
    counts.set(thread, n);
    // Lines are in order of time, so the first thread to come to n decides.
    moments[n - 1] ??= at;
  }
  return moments;
}

/** The changes of the journal: SQLite holds one lock for each, and those that wrote nothing are not journal steps. */
export function stepsOf(calls: readonly Call[], folder: string): readonly { begin: number; end: number }[] {
  const wal = join(folder, '.plinth/state.db-wal');
  const steps: { begin: number; end: number }[] = [];
  let open: { begin: number; end: number } | undefined;
  for (const { name, path, text, at } of calls) {
    if (name === 'fcntl' && path.endsWith('state.db-shm') && /l_start=120,/.test(text)) {
      if (open !== undefined && open.end > 0) steps.push(open);
      open = /F_WRLCK/.test(text) ? { begin: at, end: 0 } : undefined;
    } else if (name === 'pwrite64' && path === wal && open !== undefined) open.end = at;
  }
  return steps;
}

/** Numbers whose moment lies in a time. */
export function numbersBetween(moments: readonly number[], begin: number, end: number): readonly number[] {
  return moments.flatMap((at, index) => (at >= begin && at <= end ? [index + 1] : []));
}

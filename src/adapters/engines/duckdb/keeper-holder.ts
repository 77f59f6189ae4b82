/** What can be known of the process that holds a database file, on Linux: elsewhere nothing is. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Failure, failure } from '../../../domain/failure.ts';
import type { WireError } from './keeper-wire.ts';

const isLinux = process.platform === 'linux';

/** The keeper (about to listen, or about to end) that holds the lock; undefined when it is another program. */
export function keeperAt({ code, parameters: { pid } }: WireError): { readonly socket?: string } | undefined {
  if (code !== 'engine.locked') return undefined;
  if (!isLinux) return {};
  try {
    const words = wordsOf(Number(pid));
    const entry = entryOf(words);
    // A process that has just ended has no words any more.
    if (entry < 0) return words.join('') === '' ? {} : undefined;
    const socket = words[entry + 2];
    return socket === undefined || socket === '' ? {} : { socket };
  } catch {
    return {};
  }
}

const wordsOf = (pid: number): readonly string[] => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');

const entryOf = (words: readonly string[]): number =>
  words.findIndex((word) => /[\\/]keeper\.[jt]s$/.test(word));

/** Whether a process may still have the file: it takes a while to die, the longer the more memory it had. */
export function mayHold(pid: number, database: string): boolean {
  try {
    if (!isLinux) return process.kill(pid, 0);
    const words = wordsOf(pid);
    if (words.join('') !== '') return words.includes(database);
    // Its words go first, its files when the last thread has ended.
    return !/^[ZX]/.test(stateOf(pid)) || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

const stateOf = (pid: number): string =>
  /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

/** Why a keeper that holds the file can never be reached from here; undefined when it may be, in a moment. */
export function heldElsewhere(
  { parameters }: WireError,
  { database, unseenMs }: { readonly database: string; readonly unseenMs: number },
): Failure | undefined {
  const pid = Number(parameters['pid']);
  if (!isLinux) return undefined;
  if (!(pid > 0)) {
    const detail = 'it is in another container or on another machine';
    return unseenMs < UNSEEN_MS
      ? undefined
      : failure('engine.held-elsewhere', { database, holder: 'a process that cannot be seen', detail });
  }
  try {
    const { uid } = statSync(`/proc/${pid}`);
    const holder = `the keeper of Plinth (process ${pid} of user ${uid} on ${hostname()})`;
    if (uid !== process.getuid?.())
      return failure('engine.held-elsewhere', { database, holder, detail: 'it belongs to another user' });
    if (readlinkSync(`/proc/${pid}/ns/mnt`) !== readlinkSync('/proc/self/ns/mnt'))
      return failure('engine.held-elsewhere', {
        ...{ database, holder },
        detail: 'it has other files in its temporary folder (another container, or PrivateTmp of systemd)',
      });
  } catch {
    // It is gone, or cannot be looked at.
  }
  return undefined;
}

/** A process that has just died is not seen either. */
const UNSEEN_MS = 2_000;

/** The keeper that listens on a socket, when it is stopped: it takes connections and never answers. */
export function stoppedKeeper(database: string, socket: string): Failure | undefined {
  if (!isLinux) return undefined;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const words = wordsOf(Number(name));
      if (entryOf(words) < 0 || !words.includes(socket) || !/^[Tt]/.test(stateOf(Number(name)))) continue;
      return failure('engine.held-elsewhere', {
        database,
        holder: `the keeper of Plinth (process ${name})`,
        detail: `it is stopped; kill -CONT ${name} lets it go on`,
      });
    } catch {
      // It has ended since the folder was read.
    }
  }
  return undefined;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure, failure } from '../../../domain/failure.ts';
import { HANDLES_HINT } from '../../../foundation/file-handles.ts';
import { NODE_FLAGS } from '../../../foundation/node-flags.ts';
import { workerUrl } from '../../../foundation/worker-url.ts';
import type { KeeperSettings } from './duckdb-config.ts';
import { failureOf, greet, KeeperClient } from './keeper-client.ts';
import { heldElsewhere, keeperAt, mayHold, stoppedKeeper } from './keeper-holder.ts';
import { driverVersion, type Hello, KEEPER_PROTOCOL, type WireError } from './keeper-wire.ts';

const ENTRY = 'adapters/engines/duckdb/keeper';
/** Long enough for a keeper that replays a large log, or one that is closing its file. */
const PATIENCE_MS = 60_000;
/** A start that another client began is waited for this long before we begin our own. */
const OTHERS_START_MS = 3_000;
/** A keeper that is dying, or about to listen, is waited for this long, because another could not start. */
const HOLDER_MS = 10_000;
const KILLED_MAX = 3;
/** A keeper that takes longer to say a word is looked at. */
const SILENT_MS = 5_000;
/** What a name of a Unix socket may have, less what comes behind the folder. */
const RUNTIME_LETTERS_MAX = 107 - '/plinth/0123456789abcdef.sock.4194304'.length;

/**
 * A client of the keeper of a file, which is started if there is none; every loser of a race joins the winner. `lost` is the
 * process of a keeper that was lost: while it dies it still has the file.
 */
export async function joinKeeper(
  settings: KeeperSettings,
  { who, lost }: { readonly who: string; readonly lost?: number | undefined },
): Promise<KeeperClient> {
  const hello: Hello = {
    kind: 'hello',
    protocol: KEEPER_PROTOCOL,
    duckdb: driverVersion(),
    options: settings.optionsHash,
    pid: process.pid,
    who,
  };
  const own = settings.socket;
  if (own === undefined) {
    const answer = await startKeeper(settings, hello);
    if (answer instanceof KeeperClient) return answer;
    throw answer === undefined ? startFailure(settings) : failureOf(answer.error);
  }
  let path = own;
  let lastWords: WireError | undefined;
  let killed = 0;
  let holder = { pid: lost ?? 0, since: Date.now() };
  const isHeld = (): boolean =>
    holder.pid > 0 && Date.now() - holder.since < HOLDER_MS && mayHold(holder.pid, settings.database);
  const deadline = Date.now() + PATIENCE_MS;
  for (let attempt = 0; Date.now() < deadline; attempt++) {
    const reached = await unlessStopped(reach(path, hello), { database: settings.database, path });
    if (reached instanceof KeeperClient) return reached;
    if (reached instanceof Failure) throw reached;
    if (reached !== undefined && reached !== 'none') {
      if (!reached.isEnding) throw failureOf(reached.error);
    } else if (reached === 'none' && !isHeld() && attemptStart(own)) {
      try {
        const answer = await startKeeper(settings, hello);
        if (answer instanceof KeeperClient) return answer;
        if (answer === undefined) {
          // One that ended without a word was killed: the next one need not be.
          if (++killed >= KILLED_MAX || readLog(`${own}.log`) !== '') throw startFailure(settings);
          continue;
        }
        lastWords = answer.error;
        const found = keeperAt(lastWords);
        if (found === undefined) throw failureOf(lastWords);
        // A process with another XDG_RUNTIME_DIR may have started it elsewhere.
        path = found.socket ?? own;
        const pid = Number(lastWords.parameters['pid']);
        if (pid !== holder.pid) holder = { pid, since: Date.now() };
        const there = await reach(path, hello);
        if (there instanceof KeeperClient) return there;
        const unseenMs = Date.now() - holder.since;
        const elsewhere =
          there === 'none' ? heldElsewhere(lastWords, { database: settings.database, unseenMs }) : undefined;
        if (elsewhere !== undefined) throw elsewhere;
      } finally {
        rmSync(`${own}.starting`, { force: true });
      }
    }
    await pause(Math.min(200, 10 + attempt * 5));
  }
  throw lastWords === undefined ? startFailure(settings) : failureOf(lastWords);
}

/** Where the keeper of a file listens. */
export function socketPath(database: string): string {
  return join(runtimeFolder(), `${hash('sha256', database, 'hex').slice(0, 16)}.sock`);
}

/** A folder that belongs to this user alone: who can write here can speak to keepers. */
function runtimeFolder(): string {
  // Where there are no numbers of users, files say 0.
  const uid = process.getuid?.() ?? 0;
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const folder =
    runtime !== undefined &&
    runtime !== '' &&
    Buffer.byteLength(runtime) <= RUNTIME_LETTERS_MAX &&
    isOwnFolder(runtime, uid)
      ? join(runtime, 'plinth')
      : `/tmp/plinth-${uid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isOwnFolder(folder, uid))
    throw failure('engine.cannot-open', {
      database: folder,
      detail: 'this folder, in which the processes that keep databases are found, must belong to this user',
    });
  return folder;
}

function isOwnFolder(folder: string, uid: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory() || found.uid !== uid) return false;
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return true;
}

/** The answer, or why none will come: the keeper that should give it is stopped. */
async function unlessStopped<Answer>(
  answer: Promise<Answer>,
  { database, path }: { readonly database: string; readonly path: string },
): Promise<Answer | Failure> {
  let look: NodeJS.Timeout | undefined;
  const stopped = new Promise<Failure>((resolve) => {
    look = setInterval(() => {
      const found = stoppedKeeper(database, path);
      if (found !== undefined) resolve(found);
    }, SILENT_MS);
  });
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    clearInterval(look);
  }
}

async function reach(path: string, hello: Hello): Promise<Awaited<ReturnType<typeof greet>> | 'none'> {
  // Without waiting: the process that asks may be about to work for a second without a pause, and a keeper could open the file meanwhile.
  if (!existsSync(path)) return 'none';
  const socket = connect(path);
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  return isThere ? greet(socket, [hello]) : 'none';
}

/** True for one of many that would start a keeper at the same time. Only saves work: the lock on the file decides. */
function attemptStart(socket: string): boolean {
  const path = `${socket}.starting`;
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch {
    const begun = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - begun < OTHERS_START_MS) return false;
    rmSync(path, { force: true });
    return attemptStart(socket);
  }
}

async function startKeeper(settings: KeeperSettings, hello: Hello): ReturnType<typeof greet> {
  const log = settings.socket === undefined ? 'ignore' : openSync(`${settings.socket}.log`, 'w', 0o600);
  let child: ChildProcess;
  try {
    const [command, ...words] = keeperCommand(settings);
    child = spawn(command, words, {
      cwd: settings.folder,
      detached: true,
      env: {
        ...process.env,
        UV_THREADPOOL_SIZE: '32',
        TZ: 'UTC',
        NODE_OPTIONS: '',
        NODE_COMPILE_CACHE: join(runtimeFolder(), 'compiled'),
      },
      stdio: ['ignore', 'ignore', log, 'pipe'],
    });
  } finally {
    if (typeof log === 'number') closeSync(log);
  }
  child.on('error', () => undefined);
  const failed = once(child, 'error').then(([error]) => error as NodeJS.ErrnoException);
  child.unref();
  // Without a handle left for it there is none, and the reason follows a moment later.
  const socket = child.stdio?.[3] as Socket | undefined;
  if (socket === undefined) throw cannotStart(settings, await failed);
  return greet(socket, [{ kind: 'start', settings }, hello]);
}

/** A shell sets the limit of address space, where there is one to set. */
function keeperCommand(settings: KeeperSettings): readonly [string, ...string[]] {
  const words = [
    ...NODE_FLAGS,
    fileURLToPath(workerUrl(ENTRY)),
    // Only to be seen by others: by `keeperAt`, and by people who look at processes.
    settings.database,
    settings.socket ?? '',
  ];
  if (process.platform !== 'linux') return [process.execPath, ...words];
  const limit = Math.round(settings.addressMax / 1024);
  return ['/bin/sh', '-c', `ulimit -v ${limit} 2>/dev/null; exec "$0" "$@"`, process.execPath, ...words];
}

function cannotStart({ database }: KeeperSettings, cause: NodeJS.ErrnoException): Error {
  const isLimit = cause.code === 'EMFILE' || cause.code === 'ENFILE';
  return failure(
    'engine.cannot-open',
    { database, detail: `the process that keeps it cannot be started (${cause.message})` },
    { cause, ...(isLimit ? { hint: HANDLES_HINT } : {}) },
  );
}

function startFailure(settings: KeeperSettings): Error {
  const log = settings.socket === undefined ? '' : readLog(`${settings.socket}.log`);
  return failure('engine.cannot-open', {
    database: settings.database,
    detail: `the process that keeps it ended while it started${log === '' ? '' : `: ${log}`}`,
  });
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').slice(-3).join(' ');
  } catch {
    return '';
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

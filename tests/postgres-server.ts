/** A PostgreSQL of the tests' own: a cluster in a temporary folder, on loopback and a socket, gone with the process that started it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface PostgresServer {
  readonly folder: string;
  readonly port: number;
  /** Runs SQL as the superuser, in the database that states of tests lie in. */
  ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends all sessions at once and starts again, as `pg_ctl restart` in the middle of work does. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const STATE_USER = 'plinth';
export const STATE_PASSWORD = 'a secret of tests';
export const STATE_DATABASE = 'states';

/** Where the server's programs are; undefined when it is not installed. */
export function postgresPrograms(): string | undefined {
  const home = '/usr/lib/postgresql';
  const versions = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(home, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

let started: Promise<PostgresServer> | undefined;

/** One for all test files of a process. */
export function sharedPostgres(): Promise<PostgresServer> {
  started ??= startPostgresServer();
  return started;
}

/** Ends the server when its standard input ends: with this process, however that ends. Unless it is told to keep it, the folder goes, too. */
const GUARD =
  'folder=$0; "$@" & server=$!; word=$(cat); kill -QUIT $server; wait $server; [ "$word" = keep ] || rm -rf "$folder"';

export async function startPostgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const place = newPlace();
  place.make('initdb', ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C.UTF-8', '--no-sync']);
  const rules = ['local all,replication postgres trust', 'local all all scram-sha-256'];
  writeFileSync(
    join(place.data, 'pg_hba.conf'),
    `${[...rules, 'host all all 127.0.0.1/32 scram-sha-256'].join('\n')}\n`,
  );
  // Nothing has to survive the machine, only the server's process: without fsync that is still so.
  const options = ['fsync=off', 'full_page_writes=off', 'max_connections=150', 'shared_buffers=32MB'];
  const server = await runServer(place, [...options, ...settings]);
  await server.askIn('postgres', `CREATE ROLE ${STATE_USER} LOGIN PASSWORD '${STATE_PASSWORD}'`);
  await server.askIn('postgres', `CREATE DATABASE ${STATE_DATABASE} OWNER ${STATE_USER}`);
  return server;
}

/** A server that follows another one, has what that one has, and can only be read. */
export async function startStandby({ folder, port }: PostgresServer): Promise<PostgresServer> {
  const place = newPlace();
  const primary = ['-h', folder, '-p', String(port), '-U', 'postgres'];
  place.make('pg_basebackup', [...primary, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']);
  return runServer(place, ['fsync=off', 'max_connections=150', 'shared_buffers=32MB']);
}

/** Where a server has its data, and who runs its programs. */
interface Place {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly owner: { readonly uid?: number; readonly gid?: number };
  /** Runs a program that fills the folder of the data. */
  make(program: string, words: readonly string[]): void;
}

function newPlace(): Place {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'plinth-postgres-'));
  // The server refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const make = (program: string, words: readonly string[]): void => {
    const made = spawnSync(join(bin, program), ['-D', data, ...words], {
      cwd: folder,
      encoding: 'utf8',
      ...owner,
    });
    if (made.status !== 0) throw new Error(`${program}: ${made.error?.message ?? made.stderr}`);
  };
  return { bin, folder, data, owner, make };
}

interface RunningServer extends PostgresServer {
  askIn(database: string, sql: string): ReturnType<PostgresServer['ask']>;
}

async function runServer(
  { bin, folder, data, owner }: Place,
  options: readonly string[],
): Promise<RunningServer> {
  const port = await freePort();
  let guard: ChildProcess | undefined;
  const askIn: RunningServer['askIn'] = async (database, sql) => {
    const one = new pg.Client({ host: folder, port, user: 'postgres', database });
    one.on('error', () => undefined);
    await one.connect();
    try {
      return (await one.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await one.end();
    }
  };
  const start = async (): Promise<void> => {
    const words = [join(bin, 'postgres'), '-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port)];
    guard = spawn('sh', ['-c', GUARD, folder, ...words, ...options.flatMap((each) => ['-c', each])], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      ...owner,
    });
    guard.unref();
    (guard.stdin as unknown as { unref(): void }).unref();
    await untilReady(() => askIn('postgres', 'SELECT 1'));
  };
  const end = async (word = ''): Promise<void> => {
    const ended = new Promise((resolve) => guard?.once('exit', resolve));
    guard?.ref();
    guard?.stdin?.end(word);
    await ended;
  };
  await start();
  return {
    folder,
    port,
    askIn,
    ask: (sql) => askIn(STATE_DATABASE, sql),
    restart: async () => {
      await end('keep');
      await start();
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (tries > 600) throw error;
    }
    await sleep(50);
  }
}

const idOf = (flag: '-u' | '-g'): number =>
  Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

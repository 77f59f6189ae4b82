/** Real servers and workers on one state in PostgreSQL. They share the project folder, since the keeper of a DuckDB file serves one folder at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Ended, PROGRAM, runPlinth } from '../e2e/run-plinth.ts';
import {
  type PostgresServer,
  STATE_DATABASE,
  STATE_PASSWORD,
  STATE_USER,
  startPostgresServer,
} from '../postgres-server.ts';
import { temporaryProject } from '../support/temporary-project.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'other-machine.mjs')).href;

/** How a process differs from those of this machine. */
export interface Machine {
  /** Another name: its processes cannot be looked at from here, nor those of here from there. */
  readonly name?: string;
  readonly aheadMs?: number;
}

/** A server or a worker. */
export interface Member {
  readonly pid: number;
  /** The address of the product; empty for a worker. */
  readonly url: string;
  output(): string;
  ask(path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
  kill(): void;
  readonly ended: Promise<number | null>;
}

export interface Machines {
  readonly server: PostgresServer;
  readonly schema: string;
  /** Rows of the state, by SQL. */
  state(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  plinth(time: string, ...words: readonly string[]): Promise<Ended>;
  serve(machine?: Machine, ...words: readonly string[]): Promise<Member>;
  work(machine?: Machine): Promise<Member>;
  /** Ends all members, the keeper with them, and the server of the state. */
  close(): Promise<void>;
}

const END_MS = 20_000;

/** `files` without config.yaml. */
export async function sharedProject(files: Readonly<Record<string, string>>): Promise<Machines> {
  const server = await startPostgresServer();
  const schema = 'plinth';
  await server.ask(`ALTER DATABASE ${STATE_DATABASE} SET search_path TO ${schema}`);
  const project = temporaryProject({
    ...files,
    'config.yaml': JSON.stringify({
      name: 'shared',
      gateways: {
        local: {
          connection: { type: 'duckdb', database: 'shared.duckdb' },
          state_connection: {
            type: 'postgres',
            host: '127.0.0.1',
            port: server.port,
            user: STATE_USER,
            password: "{{ env_var('STATE_PASSWORD') }}",
            database: STATE_DATABASE,
            schema,
          },
        },
      },
      model_defaults: { dialect: 'duckdb', start: '2025-06-10', cron: '@daily' },
    }),
  });
  const members: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];

  /** Answers when the first line was written to the standard output. */
  async function start(words: readonly string[], { name, aheadMs = 0 }: Machine): Promise<Member> {
    const child = spawn(PROGRAM, words, {
      cwd: project.folder,
      env: {
        ...process.env,
        STATE_PASSWORD,
        NODE_OPTIONS: `--import=${PRELOAD}`,
        ...(name === undefined ? {} : { PLINTH_TEST_MACHINE: name }),
        PLINTH_TEST_AHEAD_MS: String(aheadMs),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    members.push({ child, ended });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const line = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        said += chunk.toString();
        if (said.includes('\n')) resolve(said.split('\n')[0] as string);
      });
      child.on('error', reject);
      child.on('close', (code) => reject(new Error(`${words.join(' ')} ended with ${code}: ${output}`)));
    });
    const { products = [] } = JSON.parse(line) as { readonly products?: readonly { base_url: string }[] };
    const url = products[0]?.base_url ?? '';
    return {
      pid: child.pid as number,
      url,
      output: () => output,
      ask: async (path, body) => {
        const answer = await fetch(`${url}${path}`, {
          ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
          headers: { 'content-type': 'application/json' },
        });
        return (await answer.json()) as Record<string, unknown>;
      },
      kill: () => void child.kill('SIGKILL'),
      ended,
    };
  }

  return {
    server,
    schema,
    state: (sql) => server.ask(sql),
    plinth: (time, ...words) =>
      runPlinth(words, { cwd: project.folder, variables: { PLINTH_NOW: time, STATE_PASSWORD } }),
    serve: (machine = {}, ...words) =>
      start(['serve', '--port', '0', '--json', '--auth', 'disabled', ...words], machine),
    work: (machine = {}) => start(['worker', '--json'], machine),
    async close() {
      for (const { child } of members) child.kill('SIGTERM');
      await Promise.all(
        members.map(async ({ child, ended }) => {
          const isEnded = await Promise.race([ended.then(() => true), sleep(END_MS, false, { ref: false })]);
          if (!isEnded) child.kill('SIGKILL');
        }),
      );
      await server.stop();
      project.delete();
    },
  };
}

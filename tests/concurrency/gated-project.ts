import { execFileSync, spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine } from '../../src/domain/engine.ts';
import { type Ended, PROGRAM, type TemporaryProject, temporaryProject } from '../e2e/run-plinth.ts';
import { type PostgresServer, postgresPrograms, startPostgresServer } from '../postgres-server.ts';
import { newSchema, stateConnection } from '../postgres-state.ts';
import { type DealtTest, dealtTest } from '../support/long-form.ts';

/** A process of plinth that goes on beside the test. */
export interface Going {
  readonly pid: number;
  readonly end: Promise<Ended>;
  /** Waits until it has written this to its output. */
  said(pattern: RegExp): Promise<void>;
}

/** A place inside a write where it stands still until it is let through: a pipe that a statement reads. */
export interface Gate {
  /** The statement, for a model's text. */
  readonly statement: string;
  /** Waits until a write has come to the gate; letting it through is the caller's. */
  reached(): Promise<Standing>;
  /** The write that is standing there at this moment. */
  standing(): Promise<Standing | undefined>;
}

export interface Standing {
  pass(): Promise<void>;
}

/** A temporary project of real processes on one warehouse. */
export interface ConcurrentProject extends TemporaryProject {
  start(time: string, ...args: readonly string[]): Going;
  run(time: string, ...args: readonly string[]): Promise<Ended>;
  /** A client of the warehouse, like every other. */
  warehouse(): Promise<Engine>;
  /** Ends what still runs, and takes the folder away. */
  close(): Promise<void>;
}

const LATE_MS = 45_000;

/** Makes a project; what stands at its gates is said by its files. */
export type MakeProject = (
  files: (gate: Gate, second: Gate) => Readonly<Record<string, string>>,
) => ConcurrentProject & { readonly gate: Gate; readonly second: Gate };

/** A suite of processes whose projects have their states in files, and on a server; the short form deals its tests out to both. */
export function describeWithEveryState(suite: (make: MakeProject, test: DealtTest) => void): void {
  describe('with the state in SQLite', () => suite(concurrentProject, dealtTest(0, 2)));
  describe.skipIf(postgresPrograms() === undefined)('with the state in PostgreSQL', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgresServer();
    });
    afterAll(() => server.stop());
    suite(
      (files) => concurrentProject(files, stateConnection(server.port, { schema: newSchema() })),
      dealtTest(1, 2),
    );
  });
}

export function concurrentProject(
  files: Parameters<MakeProject>[0],
  state?: Readonly<Record<string, unknown>>,
): ReturnType<MakeProject> {
  const project = temporaryProject({ 'gates/.keep': '' });
  const [gate, second] = ['gate', 'second'].map((name) => {
    const pipe = join(project.folder, 'gates', name);
    execFileSync('mkfifo', [pipe]);
    return gateAt(pipe);
  }) as [Gate, Gate];
  const connection = { allowed_paths: ['gates', 'seeds'] };
  project.write(
    'config.yaml',
    `name: concurrency
gateways:
  local:
    connection: {type: duckdb, database: c.duckdb, allowed_paths: [gates, seeds]}
${state === undefined ? '' : `    state_connection: ${JSON.stringify(state)}\n`}model_defaults: {dialect: duckdb, start: '2025-01-01'}
`,
  );
  for (const [path, text] of Object.entries(files(gate, second))) project.write(path, text);
  const going = new Set<Going>();
  const engines: Engine[] = [];

  function begin(time: string, ...args: readonly string[]): Going {
    const child = spawn(PROGRAM, args, {
      cwd: project.folder,
      env: { ...process.env, NO_COLOR: '1', PLINTH_NOW: time },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const late = setTimeout(() => child.kill('SIGKILL'), LATE_MS);
    const end = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) =>
        setImmediate(() => {
          clearTimeout(late);
          resolve({ code, signal, stdout, stderr });
        }),
      );
    });
    const process_: Going = {
      pid: child.pid as number,
      end,
      async said(pattern) {
        while (!pattern.test(stdout)) {
          if (child.exitCode !== null)
            throw new Error(`it ended without saying ${pattern}: ${stdout}${stderr}`);
          await sleep(20);
        }
      },
    };
    going.add(process_);
    end.finally(() => going.delete(process_)).catch(() => {});
    return process_;
  }

  return {
    ...project,
    gate,
    second,
    start: begin,
    run: (time, ...args) => begin(time, ...args).end,
    async warehouse() {
      const engine = await duckdbEngine({ database: 'c.duckdb', folder: project.folder, connection });
      engines.push(engine);
      return engine;
    },
    async close() {
      for (const { pid } of going) process.kill(pid, 'SIGKILL');
      // Whoever stands at the gate in the keeper would keep it alive for ever.
      for (const one of [gate, second]) await (await one.standing())?.pass();
      await Promise.all(engines.map((engine) => engine.close()));
      const isInFolder = existsSync(join(project.folder, '.plinth', 'state.db'));
      project.remove();
      if (isInFolder && state !== undefined) throw new Error('the state is in a file, and not on the server');
    },
  };
}

function gateAt(pipe: string): Gate {
  const standing = async (): Promise<Standing | undefined> => {
    try {
      const handle = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
      return {
        async pass() {
          await handle.write('open\n');
          await handle.close();
        },
      };
    } catch (error) {
      // Nobody reads.
      if ((error as NodeJS.ErrnoException).code === 'ENXIO') return undefined;
      throw error;
    }
  };
  return {
    statement: `CREATE OR REPLACE TEMP TABLE passed AS SELECT * FROM read_csv('${pipe}', header = false, auto_detect = false, columns = {'x': 'VARCHAR'})`,
    standing,
    async reached() {
      const until = Date.now() + LATE_MS;
      for (;;) {
        const found = await standing();
        if (found !== undefined) return found;
        if (Date.now() > until) throw new Error('no write came to the gate');
        await sleep(5);
      }
    },
  };
}

/** Ledger rows as `model start end`, with every row that is there twice named twice. */
export async function ledgerOf(engine: Engine, model: string): Promise<readonly string[]> {
  const { rows } = await engine.query(
    `SELECT strftime(interval_start, '%Y-%m-%d') || ' ' || strftime(interval_end, '%Y-%m-%d') FROM plinth__ledger WHERE model = '${model}' ORDER BY 1`,
  );
  return rows.map(([text]) => String(text));
}

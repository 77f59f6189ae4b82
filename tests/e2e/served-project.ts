import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { PROGRAM } from './run-plinth.ts';

/** It may take that long to answer what was asked; then it is told again, which ends it at once. */
const END_MS_MAX = 15_000;

/** `plinth serve` as a process, when it answers. */
export interface StartedServer {
  readonly url: string;
  readonly pid: number;
  readonly products: readonly {
    readonly tenant: string;
    readonly name: string;
    readonly base_url: string;
  }[];
  /** What the server wrote so far. */
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  signal(signal: NodeJS.Signals): void;
  /** How the server ended; waits until it has. */
  readonly ended: Promise<number | null>;
  /** Ends the server with SIGTERM; its exit code, null when it had to be killed. */
  stop(): Promise<number | null>;
}

/** A project that is planned and served by the real program, as a user would start it; stopping takes its folder away. */
export interface ServedProject extends PlannedProject, StartedServer {}

/** Plans `files` into prod, lets `prepare` make users and tokens at the command line, then serves on a free port. */
export async function servedProject(
  files: Readonly<Record<string, string>>,
  prepare: (project: PlannedProject) => Promise<void>,
  args: readonly string[] = ['--auth', 'required'],
): Promise<ServedProject> {
  const project = plannedProject(files, '2025-06-15');
  const planned = await project.plinth('plan', '--yes');
  if (planned.code !== 0) throw new Error(`${planned.stdout}${planned.stderr}`);
  await prepare(project);
  const server = await startedServer(project.folder, args);
  return {
    ...project,
    ...server,
    async stop() {
      const code = await server.stop();
      project.remove();
      return code;
    },
  };
}

/** The program serving a folder that is planned. */
export async function startedServer(
  folder: string,
  args: readonly string[] = ['--auth', 'required'],
  { hasScheduler = false } = {},
): Promise<StartedServer> {
  const scheduler = hasScheduler ? [] : ['--no-scheduler'];
  const child = spawn(PROGRAM, ['serve', '--port', '0', '--json', ...scheduler, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes('\n')) resolve(stdout.split('\n')[0] as string);
    });
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`serve ended with ${code}: ${stdout}${stderr}`)));
  });
  return {
    ...(JSON.parse(line) as Pick<ServedProject, 'url' | 'products'>),
    pid: child.pid as number,
    output: () => ({ stdout, stderr }),
    signal: (signal) => void child.kill(signal),
    ended,
    async stop() {
      let code: number | null | undefined;
      for (const signal of ['SIGTERM', 'SIGTERM', 'SIGKILL'] as const) {
        child.kill(signal);
        code = await Promise.race([ended, sleep(END_MS_MAX, undefined, { ref: false })]);
        if (code !== undefined) break;
        console.error(`the server did not end ${END_MS_MAX} ms after ${signal}`);
      }
      return code ?? null;
    },
  };
}

/** The text of a new token, which is shown this once. */
export async function newToken(project: PlannedProject, ...args: readonly string[]): Promise<string> {
  const { data, code, diagnostics } = await project.json('token', 'create', ...args);
  const token = data?.['token'];
  if (code !== 0 || typeof token !== 'string') throw new Error(JSON.stringify(diagnostics));
  return token;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PLINTH = join(import.meta.dirname, '..', '..', 'bin', 'plinth');

/** Only the calls named are stopped at, which `-f` is needed for. */
export const STRACE = ['strace', '--seccomp-bpf', '-f', '-qq'] as const;

/** The next keeper of this folder that this process starts runs below strace, and is its own process (`-D`: strace is its child's child). */
export function traceNextKeeper(folder: string, words: readonly string[]): void {
  process.env['PLINTH_KILL_NODE'] ??= process.execPath;
  process.execPath = join(import.meta.dirname, 'keeper-node.sh');
  writeFileSync(join(folder, 'trace-keeper'), [...STRACE.slice(1), '-D', ...words, ''].join('\n'));
}

/** Waits, for at most a minute, until a process is no more; false when it still is, or when nobody waits any longer. */
export async function isGone(pid: number, isOver: () => boolean = () => false): Promise<boolean> {
  for (let i = 0; i < 30_000 && !isOver(); i++) {
    if (!isAlive(pid)) return true;
    await sleep(2);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    // One that has ended and is not yet buried has no words.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** Kills a process that strace holds at the entry of a thread's n-th call; its log has a call as soon as it is entered. */
export async function killAtCall(
  pid: number,
  { log, n, isOver }: { readonly log: string; readonly n: number; readonly isOver: () => boolean },
): Promise<void> {
  for (let i = 0; i < 30_000 && !isOver(); i++) {
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    const calls = Map.groupBy(text.matchAll(/^(\d+) +\w+\(/gm), ([, thread]) => thread);
    if ([...calls.values()].some(({ length }) => length >= n)) {
      const tracer = tracerOf(pid);
      process.kill(pid, 'SIGKILL');
      // It would sit out the time for which it holds the thread, with the sockets and locks of the dead.
      if (tracer !== undefined) process.kill(tracer, 'SIGKILL');
      return;
    }
    await sleep(3);
  }
}

/** Who traces a process; undefined when nobody does. */
export function tracerOf(pid: number): number | undefined {
  const tracer = Number(/^TracerPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return tracer > 0 ? tracer : undefined;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs plinth in a project folder, below another program (strace) when one is given. */
export function plinth(
  folder: string,
  args: readonly string[],
  below: readonly string[] = [],
): Promise<Ended> {
  return ended(startPlinth(folder, args, below));
}

/** The same, not waited for. */
export function startPlinth(
  folder: string,
  args: readonly string[],
  below: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  return start([...below, PLINTH, ...args], folder, variables);
}

/** Starts a process that talks to us only. */
export function start(
  command: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(program, args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...variables },
  });
}

/** Waits for the end; after two minutes the process is killed and says so. */
export function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    const late = setTimeout(() => {
      stderr += '\n(killed by the test: two minutes)';
      child.kill('SIGKILL');
    }, 120_000);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    // Not `close`: a keeper that it started may keep the pipes.
    child.on('exit', (code, signal) => {
      clearTimeout(late);
      setImmediate(() => resolve({ code, signal, stdout, stderr }));
    });
  });
}

/** The keeper of a project's warehouse, found by what it was started with. */
export function keeperOf(folder: string): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (
        !words[0]?.endsWith('strace') &&
        words.some((word) => /keeper\.[jt]s$/.test(word)) &&
        words.some((word) => word.startsWith(`${folder}/`))
      )
        return Number(name);
    } catch {
      // It ended while we looked.
    }
  }
  throw new Error(`${folder} has no keeper`);
}

/** Whether this machine lets us disturb system calls; else why not. */
export async function whyNoTracing(): Promise<string | undefined> {
  if (!existsSync('/usr/bin/strace')) return 'strace is not installed';
  const { code, stderr } = await ended(
    start([...STRACE, '-o', '/dev/null', '-e', 'trace=write', 'true'], '/'),
  );
  return code === 0 ? undefined : `strace may not trace here: ${stderr.trim().split('\n').at(-1)}`;
}

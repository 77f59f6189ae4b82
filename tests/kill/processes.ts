import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PLINTH = join(import.meta.dirname, '..', '..', 'bin', 'plinth');

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
  return ended(start([...below, PLINTH, ...args], folder));
}

/** Starts a process that talks to us only. */
export function start(command: readonly string[], folder: string): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(program, args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
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

/** Waits until every thread of a process has its tracer. */
export async function isTraced(pid: number): Promise<void> {
  const isEvery = (): boolean =>
    readdirSync(`/proc/${pid}/task`).every((thread) =>
      /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
    );
  for (let i = 0; i < 1000 && !isEvery(); i++) await sleep(5);
}

/** Whether this machine lets us disturb system calls; else why not. */
export async function whyNoTracing(): Promise<string | undefined> {
  if (!existsSync('/usr/bin/strace')) return 'strace is not installed';
  const { code, stderr } = await ended(
    start(['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=write', 'true'], '/'),
  );
  return code === 0 ? undefined : `strace may not trace here: ${stderr.trim().split('\n').at(-1)}`;
}

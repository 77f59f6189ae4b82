import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const PLINTH = join(ROOT, 'bin', 'plinth');

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

/** Starts a process in a group of its own, so that it and its children can be ended together. */
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
    child.on('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** The keeper of a project's warehouse, found by what it was started with. */
export function keeperOf(folder: string): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (words.some((word) => /keeper/.test(word)) && words.some((word) => word.includes(folder)))
        return Number(name);
    } catch {
      // It ended while we looked.
    }
  }
  return undefined;
}

/** Whether this machine lets us disturb system calls. */
export async function canTrace(): Promise<boolean> {
  if (!existsSync('/usr/bin/strace')) return false;
  const { code } = await ended(start(['strace', '-qq', '-o', '/dev/null', '-e', 'trace=write', 'true'], '/'));
  return code === 0;
}

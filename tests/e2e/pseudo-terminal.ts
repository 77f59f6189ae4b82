import { type ChildProcess, spawn } from 'node:child_process';
import { PROGRAM } from './run-plinth.ts';

/** Python's standard library opens a terminal, runs the program in it and passes all it shows on; the terminal ends with the program. */
const IN_TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
sys.stderr.write(str(pid) + "\\n"); sys.stderr.flush()
while True:
    try:
        shown = os.read(terminal, 65536)
    except OSError:
        break
    if not shown:
        break
    os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** The program on a terminal of its own. */
export interface OnTerminal {
  /** All it showed so far. */
  readonly shown: () => string;
  /** Waits until it showed this; fails when it ends before. */
  until(text: string | RegExp): Promise<void>;
  /** To the program itself. */
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
  /** Kills what still runs. */
  [Symbol.dispose](): void;
}

/** Starts the program as a person at a terminal does. */
export function onTerminal(
  args: readonly string[],
  options: { readonly cwd: string; readonly variables?: Readonly<Record<string, string>> },
): OnTerminal {
  const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, ...inherited } = process.env;
  const child: ChildProcess = spawn('python3', ['-c', IN_TERMINAL, PROGRAM, ...args], {
    cwd: options.cwd,
    env: { ...inherited, TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '1', ...options.variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let shown = '';
  let told = '';
  let hasEnded = false;
  const watchers = new Set<() => void>();
  const tell = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    tell();
  });
  child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      hasEnded = true;
      tell();
      resolve(code);
    });
  });
  const signal = (name: NodeJS.Signals): void => void process.kill(Number(told.split('\n')[0]), name);
  return {
    shown: () => shown.replaceAll('\r\n', '\n'),
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const isThere = typeof text === 'string' ? shown.includes(text) : text.test(shown);
          if (!isThere && !hasEnded) return;
          watchers.delete(look);
          if (isThere) resolve();
          else reject(new Error(`it ended before it showed ${String(text)}: ${shown}${told}`));
        };
        watchers.add(look);
        look();
      }),
    signal,
    ended,
    [Symbol.dispose]() {
      if (hasEnded) return;
      signal('SIGKILL');
      child.kill('SIGKILL');
    },
  };
}

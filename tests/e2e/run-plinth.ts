import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The program of this repository, or an installed one that PLINTH_PROGRAM names. */
export const PROGRAM = process.env['PLINTH_PROGRAM'] ?? join(import.meta.dirname, '../../bin/plinth');

/** How a process ended and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** What is done to the process while it runs. */
  readonly meanwhile?: (child: ReturnType<typeof spawn>) => void;
}

/** Runs the real program without a terminal, stdin closed, colours and times fixed unless a test says otherwise. */
export function runPlinth(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, ...inherited } = process.env;
    const child = spawn(PROGRAM, args, {
      cwd: options.cwd ?? tmpdir(),
      env: { ...inherited, PLINTH_NOW: '2025-06-15T12:00:00Z', LANG: 'C.UTF-8', ...options.variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    options.meanwhile?.(child);
  });
}

/** The last line of stdout, which `--json` promises to be one object. */
export function envelope({ stdout }: Ended): {
  readonly schema: string;
  readonly ok: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: Record<string, unknown>;
  readonly diagnostics: readonly Record<string, unknown>[];
} {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

/** A project folder that a test made; `remove` takes it away. */
export interface TemporaryProject {
  readonly folder: string;
  readonly write: (path: string, text: string) => void;
  readonly remove: () => void;
}

export function temporaryProject(files: Readonly<Record<string, string>>): TemporaryProject {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-e2e-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

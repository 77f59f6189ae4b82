import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Runs a command in the repository; its output is shown as it comes, or kept and returned when `quiet`. */
export function step(
  command: string,
  args: readonly string[],
  options: { quiet?: boolean } = {},
): Promise<{ code: number; output: string; ms: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: options.quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output, ms: performance.now() - began }));
  });
}

import { createInterface } from 'node:readline/promises';
import { failure } from '../domain/failure.ts';
import type { CommandContext } from './command.ts';

/** A question, and what `--yes` does in a script: "Apply this plan to prod?" and "apply this plan to prod". */
export interface Confirmation {
  readonly question: string;
  readonly action: string;
}

/** Asks for confirmation on stderr; where it cannot ask, the error names the flag that confirms. */
export async function ask(
  { terminal, switches }: CommandContext,
  { question, action }: Confirmation,
): Promise<boolean> {
  if (switches.has('yes')) return true;
  if (!terminal.isInputTerminal) throw failure('cli.needs-yes', { why: 'Not a terminal', action });
  if (terminal.mode === 'json') throw failure('cli.needs-yes', { why: 'The output is JSON', action });
  const line = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal sends Ctrl-C to the reader of its lines; here it interrupts the command as everywhere.
  line.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<string>((resolve) => line.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([line.question(`${question} [y/N] `), ended]);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    line.close();
  }
}

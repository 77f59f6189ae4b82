import { createInterface } from 'node:readline/promises';
import { failure } from '../domain/failure.ts';
import type { CommandContext } from './command.ts';

/** Asks for leave on stderr; without a terminal there is nobody to ask, and the flag is named instead. */
export async function ask({ terminal, switches }: CommandContext, question: string): Promise<boolean> {
  if (switches.has('yes')) return true;
  if (!terminal.isInputTerminal || terminal.mode === 'json') throw failure('cli.needs-yes', { question });
  const line = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal hands Ctrl-C to whoever reads it; here it means what it always means.
  line.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<string>((resolve) => line.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([line.question(`${question} [y/N] `), ended]);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    line.close();
  }
}

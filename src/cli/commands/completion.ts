import type { CommandAnswer, CommandContext } from '../command.ts';
import { COMPLETION_SCRIPTS } from '../completion/completion-scripts.ts';

export async function run({ arguments: [shell = ''] }: CommandContext): Promise<CommandAnswer> {
  const script = COMPLETION_SCRIPTS[shell] as string;
  return { data: { shell, script }, print: (terminal) => terminal.out(script) };
}

import { clean } from '../../operations/project/clean.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const removed = clean(await context.workspace());
  return {
    data: { removed },
    print: ({ out, note }) => {
      for (const path of removed) out(path);
      if (removed.length === 0) note('There is nothing to remove.');
    },
  };
}

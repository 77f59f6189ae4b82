import { environmentName } from '../../domain/environment.ts';
import { invalidate } from '../../operations/invalidate.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const world = await openWorld(await context.workspace());
  const { name } = await invalidate(world, environmentName(context.arguments[0] as string));
  return {
    data: { environment: name, expired: true },
    print: (terminal) => terminal.note(`${name} has expired; plinth janitor removes it.`),
  };
}

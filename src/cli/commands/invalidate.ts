import { environmentName } from '../../domain/environment.ts';
import { invalidate } from '../../operations/change/invalidate.ts';
import { openWorld } from '../../operations/open-world.ts';
import { cleanRun } from '../clean-run.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { waitOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const waitMs = waitOption(context);
  const world = await openWorld(await context.workspace());
  const { name } = await invalidate(world, environmentName(context.arguments[0] as string));
  if (!context.switches.has('sync'))
    return {
      data: { environment: name, expired: true },
      print: (terminal) => terminal.note(`${name} has expired; plinth janitor removes it.`),
    };
  // Its views only: tables stay for their time to live, as after any other end of an environment.
  const work = {
    stages: [{ id: 'clean-up', needs: [], kind: 'clean-up' as const, tables: [], environments: [name] }],
  };
  const answer = await cleanRun(context, world, { work, waitMs });
  const { environments } = (answer.data ?? {}) as { readonly environments?: readonly string[] };
  return {
    ...answer,
    data: {
      environment: name,
      expired: true,
      removed: environments?.includes(name) === true,
      ...(answer.data as object),
    },
  };
}

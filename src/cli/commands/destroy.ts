import { destroyWork } from '../../operations/change/destroy-work.ts';
import { openWorld } from '../../operations/open-world.ts';
import { clean } from '../../operations/project/clean.ts';
import { ask } from '../ask.ts';
import { cleanRun } from '../clean-run.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { counted } from '../render/table.ts';
import { waitOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const environments = await world.state.snapshots.environments();
  const names = environments.map(({ name }) => name).join(', ');
  const what =
    environments.length === 0 ? 'all tables that Plinth made' : `${names} and all tables that Plinth made`;
  const question = `Remove ${what} from ${world.names.warehouse}? Their rows cannot be brought back.`;
  const action = `remove ${what} from ${world.names.warehouse}`;
  if (!(await ask(context, { question, action })))
    return { print: ({ note }) => note('Nothing was changed.') };
  const work = await destroyWork(world, context.executionTime);
  const answer = await cleanRun(context, world, { work, waitMs });
  const removed = clean(workspace);
  return {
    ...answer,
    data: { ...(answer.data as object), removed },
    print: (terminal) => {
      answer.print?.(terminal);
      terminal.note(
        `Users, tokens and the record of ${counted(environments.length, 'environment')} stay in ${world.names.state}.`,
      );
    },
  };
}

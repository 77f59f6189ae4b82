import { janitorWork } from '../../operations/change/janitor-work.ts';
import { tablesThere } from '../../operations/change/tables-there.ts';
import { trimState } from '../../operations/change/trim-state.ts';
import { openWorld } from '../../operations/open-world.ts';
import { cleanRun } from '../clean-run.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { counted } from '../render/table.ts';
import { waitOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const work = await janitorWork(world, context.executionTime, {
    keeps: context.switches.has('ignore-ttl') ? 'named' : 'young',
  });
  const isDryRun = context.switches.has('dry-run');
  if (!isDryRun && work.stages.length > 0)
    return cleanRun(context, world, { work, waitMs, trim: () => trimState(world) });
  const tables = await tablesThere(world, work.gone.tables);
  const records = isDryRun ? 0 : await trimState(world);
  return {
    data: { environments: work.gone.environments, dropped: [], would_drop: tables, kept: [], records },
    print: ({ out, note }) => {
      for (const name of work.gone.environments) out(`environment ${name}`);
      for (const table of tables) out(`table ${table}`);
      if (records > 0) note(`${counted(records, 'record')} of history removed`);
      else if (work.stages.length === 0) note('There is nothing to remove.');
    },
  };
}

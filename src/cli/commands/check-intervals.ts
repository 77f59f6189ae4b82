import { intervalPairs } from '../../domain/interval-pairs.ts';
import { dueWork } from '../../operations/change/due-work.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { intervalText } from '../render/intervals.ts';
import { renderTable } from '../render/table.ts';
import { runRequest } from '../run-request.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.arguments[0]);
  const { missing, waiting, diagnostics } = await dueWork(world, runRequest(context, environment));
  const isChanged = context.switches.has('exit-code') && missing.length > 0;
  return {
    ...(isChanged ? { exitCode: EXIT.changes } : {}),
    data: {
      environment,
      missing: missing.map(({ model, ranges }) => ({ model, intervals: intervalPairs(ranges) })),
      waiting: waiting.map(({ model, ranges, reason }) => ({
        model,
        intervals: intervalPairs(ranges),
        reason,
      })),
    },
    diagnostics,
    print: (terminal) => {
      const rows = [
        ...missing.map(({ model, ranges }) => [model, intervalText(ranges), '']),
        ...waiting.map(({ model, ranges, reason }) => [model, intervalText(ranges), `waiting: ${reason}`]),
      ];
      if (rows.length === 0) terminal.note(`Nothing is missing in ${environment}.`);
      else
        terminal.out(
          renderTable(
            terminal,
            [{ title: 'model' }, { title: 'missing' }, { title: 'why it waits', isElastic: true }],
            rows,
          ),
        );
    },
  };
}

import { intervalPairs } from '../../domain/interval-pairs.ts';
import { relationText } from '../../domain/relation.ts';
import { tableName } from '../../operations/change/table-name.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.values.get('env'));
  const named = await tableName(world, { model: context.arguments[0] as string, environment });
  return {
    data: {
      model: named.model,
      environment,
      table: relationText(named.table),
      view: relationText(named.view),
      version: named.version,
      fingerprint: named.fingerprint,
      intervals: intervalPairs(named.intervals),
    },
    print: (terminal) => terminal.out(relationText(named.table)),
  };
}

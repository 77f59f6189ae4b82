import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { querySql } from '../../operations/query-sql.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { printRows, rowsJson } from '../render/rows.ts';
import { countOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { values } = context;
  const sql = values.get('sql');
  if (sql === undefined)
    return {
      error: diagnostic('cli.missing-argument', { command: 'query', argument: '--sql SQL (the query)' }),
    };
  const limit = countOption(context, 'limit');
  const world = await openWorld(await context.workspace());
  const { cancel } = context.interruption();
  const answer = await querySql(world, {
    sql,
    environment: environmentOf(world.config, values.get('env')),
    signal: cancel,
    ...(limit === undefined ? {} : { limit }),
  });
  return {
    data: rowsJson(answer),
    print: (terminal) => printRows(terminal, answer, values.get('format')),
  };
}

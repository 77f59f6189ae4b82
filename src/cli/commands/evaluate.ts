import { findModel } from '../../domain/find-model.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { evaluate } from '../../operations/project/evaluate.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { printRows, rowsJson } from '../render/rows.ts';
import { countOption, rangeOption } from '../times.ts';

const ROWS = 20;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const range = rangeOption(context);
  const rowsMax = countOption(context, 'limit') ?? ROWS;
  const opening = openWorld(await context.workspace());
  // Asked for first: another process opens the warehouse while this one loads without many pauses.
  await opening.catch(() => undefined);
  const [loaded, world] = await Promise.all([loadForCommand(context), opening]);
  const found = findModel(loaded.project, context.arguments[0] as string);
  const { sources } = loaded;
  const errors = loaded.diagnostics.filter(({ severity }) => severity === 'error');
  if (!found.ok) return { error: found.problem, diagnostics: errors, sources };
  const own = errors.filter(({ at }) => at?.file === found.model.file);
  if (hasErrors(own)) return refusal(own, sources);
  const answer = await evaluate(world, loaded, {
    model: found.model,
    environment: environmentOf(world.config, context.values.get('env')),
    range,
    executionTime: context.executionTime,
    rowsMax,
  });
  return {
    data: rowsJson(answer),
    print: (terminal) => printRows(terminal, answer, context.values.get('format')),
  };
}

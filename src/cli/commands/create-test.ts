import { findModel } from '../../domain/find-model.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { openWorld } from '../../operations/open-world.ts';
import { createTest } from '../../operations/project/create-test.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { counted } from '../render/table.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const workspace = await context.workspace();
  const opening = openWorld(workspace);
  await opening.catch(() => undefined);
  const [loaded, world] = await Promise.all([loadForCommand(context), opening]);
  const { sources } = loaded;
  const found = findModel(loaded.project, context.arguments[0] as string);
  if (!found.ok) return { error: found.problem, sources };
  const own = loaded.diagnostics.filter(({ at }) => at?.file === found.model.file);
  if (hasErrors(own)) return refusal(own, sources);
  const { values, switches } = context;
  const [name, path] = [values.get('name'), values.get('path')];
  const made = await createTest(
    workspace,
    { world, loaded },
    {
      model: found.model,
      queries: pairs(context, 'query').map(([table, sql]) => ({ table, sql })),
      variables: Object.fromEntries(pairs(context, 'var')),
      ...(name === undefined ? {} : { name }),
      ...(path === undefined ? {} : { path }),
      includeCtes: switches.has('include-ctes'),
      mayOverwrite: switches.has('overwrite'),
    },
  );
  return {
    data: made,
    print: ({ note }) => note(`${made.name} in ${made.file} expects ${counted(made.rows, 'row')}.`),
  };
}

/** `NAME=VALUE`, as options of two words are kept. */
const pairs = ({ lists }: CommandContext, name: string): readonly (readonly [string, string])[] =>
  (lists.get(name) ?? []).map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });

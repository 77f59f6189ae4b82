import { environmentName } from '../../domain/environment.ts';
import { changeJson } from '../../domain/plan-json.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { compareEnvironments } from '../../operations/change/compare-environments.ts';
import { diff } from '../../operations/change/diff.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { changeLines, hookLines } from '../render/plan-text.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { arguments: words } = context;
  const workspace = await context.workspace();
  const opening = openWorld(workspace);
  opening.catch(() => undefined);
  if (words[1] !== undefined) {
    const world = await opening;
    const [environment, other] = [environmentOf(world.config, words[0]), environmentName(words[1])];
    const found = await compareEnvironments(world, environment, other);
    return answerOf(context, { environment, against: other, ...found });
  }
  const loaded = await loadForCommand(context);
  const { diagnostics, sources } = loaded;
  if (hasErrors(diagnostics)) return refusal(diagnostics, sources);
  const world = await opening;
  const environment = environmentOf(world.config, words[0]);
  const found = await diff(workspace, loaded, { world, environment });
  const answer = answerOf(context, {
    ...found,
    environment,
    against: null,
    hasDiff: !loaded.project.config.plan.noDiff,
  });
  return { ...answer, diagnostics: [...diagnostics, ...found.diagnostics], sources };
}

function answerOf(
  { switches }: CommandContext,
  {
    environment,
    against,
    changes,
    statements,
    hasDiff = true,
  }: {
    readonly environment: string;
    readonly against: string | null;
    readonly hasDiff?: boolean;
  } & Awaited<ReturnType<typeof compareEnvironments>>,
): CommandAnswer {
  const isSame = changes.length + statements.length === 0;
  return {
    ...(switches.has('exit-code') && !isSame ? { exitCode: EXIT.changes } : {}),
    data: { environment, against, changes: changes.map(changeJson), statements_changed: statements },
    print: (terminal) => {
      if (isSame) terminal.note(`${against ?? 'The project'} and ${environment} are the same.`);
      const lines = changeLines(terminal, changes, hasDiff && !switches.has('no-diff'));
      for (const line of [...lines, ...hookLines(statements)]) terminal.out(line);
    },
  };
}

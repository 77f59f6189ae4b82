import { explainStage } from '../../domain/plan.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { apply } from '../../operations/apply.ts';
import { plan } from '../../operations/plan.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';

/** Walking skeleton of `plan`: builds views, full tables and seeds on DuckDB. Hidden from help until issue 4 builds the real one. */
export async function run(context: CommandContext): Promise<CommandAnswer> {
  const loaded = await loadForCommand(context);
  const { diagnostics, sources, project } = loaded;
  if (hasErrors(diagnostics)) return { diagnostics, sources };
  const workspace = await context.workspace();
  const state = await workspace.state();
  const environment = context.arguments[0] ?? 'prod';
  const planned = await plan(workspace, loaded, state, environment);
  const isApplied = context.switches.has('yes');
  if (isApplied && planned.stages.length > 0) {
    const options = project.config.gateways[project.config.defaultGateway]?.connection.options;
    const engine = await workspace.engine(String(options?.['database'] ?? ':memory:'));
    for await (const stage of apply({ engine, state }, planned)) context.terminal.note(explainStage(stage));
  }
  const { changes } = planned;
  return {
    data: { environment, changes, stages: planned.stages.map(({ kind }) => ({ kind })), applied: isApplied },
    print: ({ out }) => {
      for (const { model, change } of changes) out(`${change} ${model}`);
      if (changes.length === 0) out(`${environment} is up to date`);
      else if (!isApplied) out('nothing was changed; pass --yes to apply');
    },
    diagnostics,
    sources,
  };
}

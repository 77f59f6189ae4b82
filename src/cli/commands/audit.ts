import { runJson } from '../../domain/run-json.ts';
import { auditEnvironment } from '../../operations/change/audit-environment.ts';
import { runSources } from '../../operations/change/run-sources.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { followRun, runAnswer } from '../follow-run.ts';
import { counted } from '../render/table.ts';
import { waitOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { values, executionTime } = context;
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const environment = environmentOf(world.config, context.arguments[0]);
  const selection = values.get('select');
  const events = auditEnvironment(
    world,
    { environment, executionTime, ...(selection === undefined ? {} : { selection }) },
    { who: workspace.who, waitMs, signal: context.interruption() },
  );
  const done = await followRun(context, events);
  const answer = runAnswer(done, runJson(done));
  const audits = done.models.flatMap((model) => model.audits);
  const count = (status: string): number => audits.filter((audit) => audit.status === status).length;
  return {
    ...answer,
    sources: await runSources(workspace, world, { run: done }),
    print: (terminal) => {
      for (const { name, audits: own } of done.models)
        for (const audit of own)
          terminal.out(
            `${audit.status.padStart(11)}  ${name}  ${audit.name}${audit.failedRows === 0 ? '' : `  ${counted(audit.failedRows, 'row')}${audit.sample === undefined ? '' : `, kept in ${audit.sample}`}`}`,
          );
      terminal.note(
        `${counted(audits.length, 'audit')}: ${count('passed')} passed, ${count('failed')} failed, ${count('warned')} warned (run ${done.id})`,
      );
    },
  };
}

import { environmentName } from '../../domain/environment.ts';
import { runJson } from '../../domain/run-json.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { runs, storedRun } from '../../operations/change/runs.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { durationText } from '../render/intervals.ts';
import { auditLines, modelLine, runSummary } from '../render/run-text.ts';
import { renderTable } from '../render/table.ts';
import { countOption } from '../times.ts';

const LISTED = 20;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const id = context.arguments[0];
  const limit = countOption(context, 'limit') ?? LISTED;
  const world = await openWorld(await context.workspace());
  return id === undefined ? listed(context, world, limit) : shown(world, id);
}

async function shown(world: Parameters<typeof storedRun>[0], id: string): Promise<CommandAnswer> {
  const found = await storedRun(world, id);
  return {
    data: { run: runJson(found) },
    print: (terminal) => {
      for (const model of found.models) {
        terminal.out(modelLine(terminal, model));
        for (const line of auditLines(model)) terminal.out(line);
        if (model.error !== undefined) terminal.out(`           ${model.error.message}`);
      }
      terminal.out(runSummary(found));
    },
  };
}

async function listed(
  { values }: CommandContext,
  world: Parameters<typeof storedRun>[0],
  limit: number,
): Promise<CommandAnswer> {
  const environment = values.get('env');
  const found = await runs(world, {
    limit,
    ...(environment === undefined ? {} : { environment: environmentName(environment) }),
  });
  return {
    data: {
      runs: found.map(({ models, ...run }) => ({
        ...runJson({ ...run, models: [] }),
        models: models.length,
      })),
    },
    print: (terminal) =>
      terminal.out(
        renderTable(
          terminal,
          [
            { title: 'run' },
            { title: 'environment' },
            { title: 'kind' },
            { title: 'status' },
            { title: 'started' },
            { title: 'took', align: 'right' },
            { title: 'models', align: 'right' },
            { title: 'who', isElastic: true },
          ],
          found.map((each) => [
            each.id,
            each.environment,
            each.kind,
            each.status,
            isoInstantShort(each.startedAt),
            each.endedAt === undefined ? '' : durationText(each.endedAt - each.startedAt),
            String(each.models.length),
            each.who,
          ]),
        ),
      ),
  };
}

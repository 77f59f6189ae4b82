import { checkResultJson } from '../../domain/check-json.ts';
import { environmentName } from '../../domain/environment.ts';
import { driftedJson } from '../../domain/profile-json.ts';
import { runJson } from '../../domain/run-json.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { runs, storedRun } from '../../operations/change/runs.ts';
import { openWorld } from '../../operations/open-world.ts';
import { checksOfRun } from '../../operations/quality/checks-of-run.ts';
import { profilesOfRun } from '../../operations/quality/profiles-of-run.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { checkedLine, problemLines } from '../render/check-text.ts';
import { durationText } from '../render/intervals.ts';
import { driftLines, profiledLine } from '../render/profile-text.ts';
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
  const [checks, profiles] = await Promise.all([checksOfRun(world, found), profilesOfRun(world, found)]);
  return {
    data: {
      run: {
        ...runJson(found),
        checks: checks.map(checkResultJson),
        profiles: profiles.map(driftedJson),
      },
    },
    print: (terminal) => {
      for (const model of found.models) {
        terminal.out(modelLine(terminal, model));
        for (const line of auditLines(model)) terminal.out(line);
        if (model.error !== undefined) terminal.out(`           ${model.error.message}`);
      }
      for (const [model, results] of Map.groupBy(checks, (each) => each.model)) {
        const ms = results.reduce((sum, each) => sum + each.ms, 0);
        for (const line of [
          checkedLine(terminal, { model, results, ms }),
          ...problemLines(terminal, results),
        ])
          terminal.out(line);
      }
      for (const profile of profiles)
        for (const line of [profiledLine(terminal, profile), ...driftLines(profile)]) terminal.out(line);
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

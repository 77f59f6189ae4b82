import { intervalPairs } from '../../domain/interval-pairs.ts';
import type { EnvironmentStatus } from '../../domain/model-status.ts';
import { notRunInEnvironment } from '../../domain/not-run.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { status } from '../../operations/change/status.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { ageText, intervalText } from '../render/intervals.ts';
import { renderTable } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, executionTime } = context;
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.arguments[0]);
  const found = await status(world, { environment, executionTime });
  const now = world.clock.now();
  return {
    data: {
      environment,
      plan_id: found.environment.planId,
      changed_by:
        found.holder === undefined
          ? null
          : {
              run_id: found.holder.holder,
              who: found.holder.who,
              since: isoInstantShort(found.holder.since),
            },
      last_run:
        found.lastRun === undefined
          ? null
          : {
              run_id: found.lastRun.id,
              kind: found.lastRun.kind,
              status: found.lastRun.status,
              started_at: isoInstantShort(found.lastRun.startedAt),
              error: found.lastRun.error?.message ?? null,
            },
      models: found.models.map((each) => ({
        name: each.model,
        kind: each.kind,
        status: each.status,
        missing: intervalPairs(each.missing),
        filled_until: each.filledUntil === undefined ? null : isoInstantShort(each.filledUntil),
        detail: each.detail ?? null,
        run_id: each.runId ?? null,
      })),
    },
    diagnostics: notRunInEnvironment(found.environment.definitions),
    print: (terminal) => print(terminal, found, { isAll: switches.has('all'), now }),
  };
}

function print(
  terminal: Terminal,
  { environment, holder, lastRun, models }: EnvironmentStatus,
  { isAll, now }: { readonly isAll: boolean; readonly now: number },
): void {
  const say = terminal.mode === 'rich' ? terminal.out : terminal.note;
  say(
    `${environment.name}, plan ${environment.planId}, promoted ${ageText(now - environment.promotedAt)} ago`,
  );
  if (holder !== undefined) say(`being changed by ${holder.who}, since ${ageText(now - holder.since)}`);
  if (lastRun !== undefined)
    say(
      `last ${lastRun.kind} ${lastRun.id}: ${lastRun.status}, ${ageText(now - lastRun.startedAt)} ago${lastRun.error === undefined ? '' : `: ${lastRun.error.message}`}`,
    );
  const counts = Map.groupBy(models, (each) => each.status);
  say([...counts].map(([word, list]) => `${list.length} ${word}`).join(', '));
  const shown = models.filter((each) => isAll || each.status !== 'fine');
  if (shown.length === 0) return;
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'model' },
        { title: 'status' },
        { title: 'lacks' },
        { title: 'filled until' },
        { title: 'why', isElastic: true },
      ],
      shown.map((each) => [
        each.model,
        each.status,
        each.missing.length === 0 ? '' : intervalText(each.missing),
        each.filledUntil === undefined ? '' : isoInstantShort(each.filledUntil),
        each.detail ?? '',
      ]),
    ),
  );
}

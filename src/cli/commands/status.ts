import { driftedColumns } from '../../domain/drifted-columns.ts';
import { intervalPairs } from '../../domain/interval-pairs.ts';
import type { EnvironmentStatus } from '../../domain/model-status.ts';
import type { HealthReasonKind } from '../../domain/product-health.ts';
import type { ProductHealth } from '../../domain/product-page.ts';
import { driftedJson } from '../../domain/profile-json.ts';
import type { TableProfile } from '../../domain/table-profile.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { environmentHealth } from '../../operations/catalog/environment-health.ts';
import { status } from '../../operations/change/status.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { presentDrift } from '../../operations/quality/present-drift.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { freshnessJson, freshnessLine, reasonJson, timeOrNull } from '../render/health.ts';
import { ageText, intervalText } from '../render/intervals.ts';
import { printable } from '../render/printable.ts';
import { driftText } from '../render/profile-text.ts';
import { renderTable } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, executionTime } = context;
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.arguments[0]);
  const found = await status(world, { environment, executionTime });
  const now = world.clock.now();
  const [health, drifted] = await Promise.all([
    environmentHealth(world, found),
    presentDrift(world, found.environment),
  ]);
  const clocks = new Map(health.clocks.map((each) => [each.model, each]));
  return {
    data: {
      environment,
      plan_id: found.environment.planId,
      health: health.health,
      reasons: health.reasons.map(reasonJson),
      drift: drifted.map(driftedJson),
      freshness: freshnessJson(health.freshness),
      served_time: isoInstantShort(now),
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
        filled_until: timeOrNull(each.filledUntil),
        source_time: timeOrNull(clocks.get(each.model)?.sourceTime),
        load_time: timeOrNull(clocks.get(each.model)?.loadTime),
        publish_time: timeOrNull(clocks.get(each.model)?.publishTime),
        newest: timeOrNull(clocks.get(each.model)?.newest),
        detail: each.detail ?? null,
        run_id: each.runId ?? null,
      })),
    },
    print: (terminal) => print(terminal, found, { isAll: switches.has('all'), now, health, drifted }),
  };
}

function print(
  terminal: Terminal,
  { environment, holder, lastRun, models }: EnvironmentStatus,
  {
    isAll,
    now,
    health,
    drifted,
  }: {
    readonly isAll: boolean;
    readonly now: number;
    readonly health: ProductHealth;
    readonly drifted: readonly TableProfile[];
  },
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
  printHealth(say, health);
  for (const profile of drifted)
    for (const { column, from, drift } of driftedColumns(profile))
      if (from === 'previous') say(`drift: ${printable(`${profile.model}.${column}`)}, ${driftText(drift)}`);
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

const REASONS_SHOWN = 5;
const SHOWN_ELSEWHERE: ReadonlySet<HealthReasonKind> = new Set(['broken', 'late', 'stale', 'run', 'slo']);

/** What the lines before and after, and the table of models, show is not said twice. */
function printHealth(say: (line: string) => void, { health, reasons, freshness }: ProductHealth): void {
  say(`health: ${health}`);
  const said = reasons.filter(({ kind }) => !SHOWN_ELSEWHERE.has(kind));
  for (const { words, since } of said.slice(0, REASONS_SHOWN))
    say(`  ${words}${since === undefined ? '' : `, since ${isoInstantShort(since)}`}`);
  if (said.length > REASONS_SHOWN) say(`  and ${said.length - REASONS_SHOWN} more: --json lists them`);
  if (freshness !== undefined) say(freshnessLine(freshness));
}

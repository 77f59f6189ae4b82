import { physicalRelation, relationText } from '../../domain/relation.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { janitor, janitorWork } from '../../operations/janitor.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { followRun, runAnswer } from '../follow-run.ts';
import { counted } from '../render/table.ts';
import { waitOption } from '../times.ts';

type Cleaned = Extract<RunEvent, { event: 'warehouse.cleaned' }>;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const work = await janitorWork(world, context.executionTime);
  const tables = work.gone.tables.map((id) =>
    relationText(physicalRelation(id, world.engine.capabilities.identifierMax)),
  );
  if (context.switches.has('dry-run') || work.stages.length === 0)
    return {
      data: { environments: work.gone.environments, dropped: [], would_drop: tables, kept: [] },
      print: ({ out, note }) => {
        for (const name of work.gone.environments) out(`environment ${name}`);
        for (const table of tables) out(`table ${table}`);
        if (work.stages.length === 0) note('There is nothing to remove.');
      },
    };
  const cleaned: Cleaned[] = [];
  const events = watched(
    janitor(world, work, {
      who: workspace.who,
      waitMs,
      signal: context.interruption(),
      executionTime: context.executionTime,
    }),
    cleaned,
  );
  const done = await followRun(context, events);
  const dropped = cleaned.flatMap((event) => event.dropped);
  const environments = cleaned.flatMap((event) => event.environments);
  const answer = runAnswer(done, {
    run_id: done.id,
    environments,
    dropped,
    kept: cleaned.flatMap((event) => event.kept),
  });
  return {
    ...answer,
    print: ({ note }) =>
      note(
        `${counted(environments.length, 'environment')} and ${counted(dropped.length, 'table or view', 'tables and views')} removed (run ${done.id})`,
      ),
  };
}

/** Passes everything on and keeps what was dropped. */
async function* watched(
  events: AsyncGenerator<RunEvent, Run>,
  cleaned: Cleaned[],
): AsyncGenerator<RunEvent, Run> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    if (next.value.event === 'warehouse.cleaned') cleaned.push(next.value);
    yield next.value;
  }
}

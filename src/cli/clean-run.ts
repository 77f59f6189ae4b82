import type { Stage } from '../domain/plan.ts';
import type { Run, RunEvent } from '../domain/run.ts';
import { janitor } from '../operations/change/janitor.ts';
import type { OpenedWorld } from '../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from './command.ts';
import { followRun, runAnswer } from './follow-run.ts';
import { counted } from './render/table.ts';

type Cleaned = Extract<RunEvent, { event: 'warehouse.cleaned' }>;

/** Removes what a janitor found, and answers with what is gone and what had to stay. */
export async function cleanRun(
  context: CommandContext,
  world: OpenedWorld,
  {
    work,
    waitMs,
    trim,
  }: {
    readonly work: { readonly stages: readonly Stage[] };
    readonly waitMs: number | undefined;
    /** Removes old history afterwards; answers with how many records went. */
    readonly trim?: () => Promise<number>;
  },
): Promise<CommandAnswer> {
  const { who } = await context.workspace();
  const reported: Cleaned[] = [];
  const events = watched(
    janitor(world, work, {
      who,
      waitMs,
      signal: context.interruption(),
      executionTime: context.executionTime,
    }),
    reported,
  );
  const done = await followRun(context, events);
  const dropped = reported.flatMap((event) => event.dropped);
  const environments = reported.flatMap((event) => event.environments);
  const records = await trim?.();
  const answer = runAnswer(done, {
    run_id: done.id,
    environments,
    dropped,
    kept: reported.flatMap((event) => event.kept),
    ...(records === undefined ? {} : { records }),
  });
  const history = records === undefined ? '' : `, ${counted(records, 'record')} of history`;
  return {
    ...answer,
    print: ({ note }) =>
      note(
        `${counted(environments.length, 'environment')} and ${counted(dropped.length, 'table or view', 'tables and views')}${history} removed (run ${done.id})`,
      ),
  };
}

/** Passes everything on and keeps what was dropped. */
async function* watched(
  events: AsyncGenerator<RunEvent, Run>,
  reported: Cleaned[],
): AsyncGenerator<RunEvent, Run> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    if (next.value.event === 'warehouse.cleaned') reported.push(next.value);
    yield next.value;
  }
}

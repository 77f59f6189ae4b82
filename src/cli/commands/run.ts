import type { Environment } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { ModelResult, Run } from '../../domain/run.ts';
import { runJson } from '../../domain/run-json.ts';
import { type DueWork, dueWork } from '../../operations/change/due-work.ts';
import { localEdits } from '../../operations/change/local-edits.ts';
import { run as runDue } from '../../operations/change/run.ts';
import { runSources } from '../../operations/change/run-sources.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { checkAfter } from '../../operations/quality/check-after.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { followRun, runAnswer } from '../follow-run.ts';
import { intervalText } from '../render/intervals.ts';
import { counted } from '../render/table.ts';
import { runRequest } from '../run-request.ts';
import { waitOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { terminal } = context;
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const environment = environmentOf(world.config, context.arguments[0]);
  const request = runRequest(context, environment);
  const edits = localEdits(workspace, world, environment);
  // A run that fails does not wait for it, and ends what it reads.
  edits.catch(() => undefined);
  const signal = context.interruption();
  const attempt = async (): Promise<{ readonly due: DueWork; readonly done: Run }> => {
    const due = await dueWork(world, request);
    const done = await followRun(
      context,
      checkAfter(world, runDue(world, due, { who: workspace.who, waitMs, signal }), signal.stop),
    );
    return { due, done };
  };
  // The run that was waited for has changed what is due.
  const inTurn = (): ReturnType<typeof attempt> =>
    attempt().catch((error: unknown) => {
      if (waitMs !== undefined && error instanceof Failure && error.code === 'environment.moved')
        return inTurn();
      throw error;
    });
  const { due, done } = await inTurn();
  const edited = await edits;
  const waiting = due.waiting.map(({ model, reason, ranges }) => ({ model, reason, ranges }));
  const answer = runAnswer(done, {
    ...runJson({ ...done, models: [...done.models, ...untouched(due.environment, done)] }),
    waiting: waiting.map(({ model, reason }) => ({ model, reason })),
    ignored_edits: edited,
  });
  return {
    ...answer,
    sources: await runSources(workspace, world, { run: done }),
    diagnostics: [...due.diagnostics, ...(answer.diagnostics ?? [])],
    print: () => {
      for (const { model, reason, ranges } of waiting)
        terminal.note(`  Waiting  ${model}  ${intervalText(ranges)}  ${reason}`);
      answer.print?.(terminal);
      if (edited.length > 0)
        terminal.note(
          `Edits of ${counted(edited.length, 'model')} in the project folder are ignored (${edited.slice(0, 5).join(', ')}${edited.length > 5 ? ' …' : ''}): a run uses what was applied; plinth plan ${environment} applies them.`,
        );
    },
  };
}

/** Models the run had no reason to look at: they have what is due. */
function untouched({ entries }: Environment, { models }: Run): readonly ModelResult[] {
  const done = new Set(models.map(({ name }) => name));
  return entries
    .filter(({ model, version }) => version !== undefined && !done.has(model))
    .map(({ model }) => ({ name: model, status: 'up-to-date', intervals: [], rows: 0, ms: 0, audits: [] }));
}

import type { QualityEvent } from '../domain/check-event.ts';
import type { Run, RunEvent } from '../domain/run.ts';
import { runWarnings } from '../domain/run-warnings.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { CommandAnswer, CommandContext } from './command.ts';
import { EXIT } from './exit-code.ts';
import { printable } from './render/printable.ts';
import { runProgress } from './render/run-progress.ts';
import { runSummary } from './render/run-text.ts';

/** Draws the events of a run until it ends. */
export async function followRun(
  { terminal, reportWork }: CommandContext,
  events: AsyncGenerator<RunEvent | QualityEvent, Run>,
): Promise<Run> {
  const progress = runProgress(terminal);
  const models = new Set<string>();
  reportWork({ models: () => [...models].map(printable), note: progress.note });
  try {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      if (next.value.event === 'model.started') models.add(next.value.model);
      else if ('result' in next.value) models.delete(next.value.result.name);
      progress.show(next.value);
    }
  } finally {
    progress.end();
    reportWork({ models: () => [], note: terminal.note });
  }
}

/** How a command ends that did a run: the first failure is its error, the others stand beside it, what was done is its data. */
export function runAnswer(run: Run, data: Readonly<Record<string, unknown>>): CommandAnswer {
  const errors: readonly Diagnostic[] = [
    ...(run.error === undefined ? [] : [run.error]),
    ...run.models.flatMap(({ error }) => (error === undefined ? [] : [error])),
  ];
  const [error, ...diagnostics] = errors.filter(
    (each, index) =>
      errors.findIndex(({ code, message }) => code === each.code && message === each.message) === index,
  );
  return {
    exitCode: exitCodeOfRun(run),
    data,
    ...(error === undefined || run.status === 'succeeded' ? {} : { error }),
    diagnostics: [
      ...(error !== undefined && run.status === 'succeeded' ? [error] : []),
      ...diagnostics,
      ...runWarnings(run),
    ],
    print: (terminal) => terminal.note(runSummary(run)),
  };
}

function exitCodeOfRun({ status }: Run): number {
  switch (status) {
    case 'succeeded':
      return EXIT.ok;
    case 'cancelled':
      return EXIT.interrupted;
    default:
      return EXIT.workFailed;
  }
}

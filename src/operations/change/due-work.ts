import { makeRun, type RunInput, type RunOutcome, signalQuestions } from '../../compiler/plan/make-run.ts';
import type { Environment } from '../../domain/environment.ts';
import type { RunEvent } from '../../domain/run.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { recoverState } from '../../runtime/execute/recover.ts';
import { appliedEnvironment, type OpenedWorld, type OpenedWorldReader } from '../open-world.ts';
import { askSignals, type SignalQuestion } from './ask-signals.ts';
import { lostWarnings } from './lost-warnings.ts';
import { promotionAgain } from './promotion-again.ts';
import { type RunRequest, runInput } from './run-input.ts';

/** What is due in an environment, what has to wait, and what happened while that was found out. */
export interface DueWork extends RunOutcome {
  readonly environment: Environment;
  readonly executionTime: number;
  readonly selection?: string;
  /** Not everything that was due was looked at, by time or by models. */
  readonly isPart: boolean;
  readonly recovered: readonly RunEvent[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds out what the crons make due and the signals let through; looks at applied state only, never at models in the folder. */
export async function dueWork(world: OpenedWorld, request: RunRequest): Promise<DueWork> {
  const recovery = await recoverState(world, world.naming(request.environment));
  const environment = await appliedEnvironment(world, request.environment);
  const input = await runInput(world, environment, request);
  const signals = await askSignals(world, environment.name, await questionsOf(world, input));
  const due = makeRun({ ...input, ready: signals.ready });
  const promote = await promotionAgain(world, { ...request, environment, drift: recovery.drift, due, input });
  return {
    ...(promote === undefined ? due : makeRun({ ...input, ready: signals.ready, promote })),
    environment,
    executionTime: request.executionTime,
    ...(request.selection === undefined ? {} : { selection: request.selection }),
    isPart: [request.selection, request.start, request.end].some((limit) => limit !== undefined),
    recovered: recovery.events,
    diagnostics: [...lostWarnings(world, environment.name, recovery), ...signals.diagnostics],
  };
}

async function questionsOf(
  { state }: OpenedWorldReader,
  input: Omit<RunInput, 'ready'>,
): Promise<readonly SignalQuestion[]> {
  const asked = signalQuestions(input);
  const entries = input.environment.entries.filter(({ model }) => asked.has(model));
  if (entries.length === 0) return [];
  const contents = await state.snapshots.contents(entries.map(({ fingerprint }) => fingerprint));
  return entries.map(({ model, fingerprint }) => ({
    model,
    ranges: asked.get(model) ?? [],
    signals: input.snapshots.get(fingerprint)?.schedule.signals ?? [],
    files: contents.get(fingerprint)?.signalFiles,
  }));
}

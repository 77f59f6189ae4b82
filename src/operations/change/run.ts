import { makeRun, type RunInput, type RunOutcome, signalQuestions } from '../../compiler/plan/make-run.ts';
import { type PromoteWork, promotionBetween } from '../../compiler/plan/plan-promotion.ts';
import { selectModels } from '../../compiler/plan/select-models.ts';
import { type Environment, type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { type Diagnostic, hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import { outOfStep, type PromotionDrift } from '../../runtime/execute/promotion-drift.ts';
import { recoverState } from '../../runtime/execute/recover.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld, type OpenedWorldReader } from '../open-world.ts';
import type { ActOptions } from './apply.ts';
import { askSignals, type SignalQuestion } from './ask-signals.ts';
import { lostWarnings } from './lost-warnings.ts';

/** Enough for environments that are run more often than planned. */
const RUNS_LOOKED_AT = 20;
const RUNS_MAX = 10_000;

export interface RunRequest {
  readonly environment: string;
  readonly executionTime: number;
  readonly selection?: string;
  /** Also what the selected models read, as far up as there are models. */
  readonly withUpstream?: boolean;
  /** Nothing outside of these instants; a table that stands goes on from where it ends. */
  readonly start?: number;
  readonly end?: number;
  /** Every interval that has ended, whatever the crons say. */
  readonly ignoreCron?: boolean;
  /** Also tables that another environment owns, where the rows would be the same. */
  readonly isShared?: boolean;
}

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

/**
 * A warehouse that is older than the state shows again what the state says once this run has filled it. Refused when the state is the
 * older of the two, or when a table would still be missing.
 */
async function promotionAgain(
  { state }: OpenedWorldReader,
  {
    environment,
    drift,
    due,
    input,
    selection,
  }: {
    readonly environment: Environment;
    readonly drift: PromotionDrift | undefined;
    readonly due: RunOutcome;
    readonly input: Omit<RunInput, 'ready'>;
    readonly selection?: string;
  },
): Promise<PromoteWork | undefined> {
  if (drift === undefined) return undefined;
  const filled = new Set(due.missing.map(({ model }) => model));
  const shown = environment.entries.filter((entry) => tableOf(entry) !== undefined);
  const isThere = (entry: EnvironmentEntry): boolean => {
    const table = tableOf(entry);
    return table === undefined || filled.has(entry.model) || input.intervals.has(tableKey(table));
  };
  if (drift.older === 'state' || selection !== undefined || !shown.every(isThere)) throw outOfStep(drift);
  const contents = await state.snapshots.contents(shown.map(({ fingerprint }) => fingerprint));
  return promotionBetween(environment, environment, {
    withStatements: shown
      .filter(({ fingerprint }) => contents.get(fingerprint)?.model.virtualUpdateHash !== undefined)
      .map(({ model }) => model),
    lost: new Set(shown.map(({ model }) => model)),
    shown: drift.shown,
  });
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

/** Fills what is due; without anything due it is still a run, with a record. */
export async function* run(
  world: OpenedWorld,
  due: DueWork,
  { who, waitMs, signal }: ActOptions,
): AsyncGenerator<RunEvent, Run> {
  yield* due.recovered;
  const startedAt = world.clock.now();
  return yield* executeStages(world, {
    run: {
      id: newId('r', startedAt),
      kind: 'run',
      environment: due.environment.name,
      who,
      startedAt,
      executionTime: due.executionTime,
      ...(due.selection === undefined ? {} : { selection: due.selection }),
      ...(due.isPart ? { isPart: true as const } : {}),
      status: 'running',
      models: [],
    },
    stages: due.stages,
    entries: due.environment.entries,
    ...(due.environment.around === undefined ? {} : { hooks: due.environment.around }),
    basePromotionId: due.environment.promotionId,
    naming: (environment) => world.naming(environment),
    maxParallel: world.config.run.maxParallel,
    executionTime: due.executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Everything about an environment that decides what is due. */
export async function runInput(
  world: OpenedWorldReader,
  environment: Environment,
  request: Omit<RunRequest, 'environment'>,
): Promise<Omit<RunInput, 'ready'>> {
  const { executionTime, selection, withUpstream = false, start, end, isShared = false } = request;
  const { snapshots, journal } = world.state;
  const [environments, known, intervals, restatements, lastRunAt] = await Promise.all([
    snapshots.environments(),
    snapshots.snapshots(),
    journal.intervals(),
    journal.restatements(),
    lastRunTime(world, environment.name),
  ]);
  return {
    environment,
    environments,
    snapshots: new Map(known.map((snapshot) => [snapshot.fingerprint, snapshot])),
    intervals,
    restatements,
    executionTime,
    isShared,
    bounds: { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
    ignoreCron: request.ignoreCron ?? false,
    beforeAll: environment.around?.beforeAll ?? [],
    afterAll: environment.around?.afterAll ?? [],
    naming: (name) => world.naming(name),
    concurrency: world.config.run.maxParallel,
    ...(lastRunAt === undefined ? {} : { lastRunAt }),
    ...(selection === undefined
      ? {}
      : { selected: await selected(world, environment, selection, { withUpstream }) }),
  };
}

/**
 * Since when the ticks of automatic restatements wait: the last run that looked at everything, else the first plan. A plan,
 * or a run of selected models or times, does not restate by itself, so what it would have done must still come.
 */
async function lastRunTime({ state }: OpenedWorldReader, environment: string): Promise<number | undefined> {
  for (const limit of [RUNS_LOOKED_AT, RUNS_MAX]) {
    const runs = await state.journal.runs({ environment, status: 'succeeded', limit });
    const last = runs.find(
      ({ kind, selection, isPart }) => kind === 'run' && selection === undefined && isPart !== true,
    );
    if (last !== undefined) return last.executionTime;
    if (runs.length < limit) return runs.findLast(({ kind }) => kind === 'plan')?.executionTime;
  }
  return undefined;
}

/** The models an expression means among those of an environment. */
export async function selected(
  { state }: OpenedWorldReader,
  { entries }: Environment,
  expression: string,
  { withUpstream }: { readonly withUpstream: boolean } = { withUpstream: false },
): Promise<ReadonlySet<string>> {
  const contents = await state.snapshots.contents(entries.map(({ fingerprint }) => fingerprint));
  const models = entries.flatMap(({ fingerprint }) => {
    const model = contents.get(fingerprint)?.model;
    return model === undefined
      ? []
      : [{ name: model.name, tags: model.tags, file: model.file, parents: model.dependencies }];
  });
  const { names, diagnostics } = selectModels(expression, { models });
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  if (hasErrors(diagnostics) && first !== undefined) throw new Failure(first);
  if (!withUpstream) return names;
  const parents = new Map(models.map((model) => [model.name, model.parents]));
  return new Set([...names, ...reachable([...names], (model) => parents.get(model) ?? [])]);
}

/*
 * The one interpreter of stages: plan, run, restatement, rollback and janitor all end here.
 *
 *   environment's lease ─▶ plan into state ─▶ stages by their needs, side by side ─▶ the run's record, leases released
 *        └── heartbeat every 2 s, until the end; a lost lease stops everything
 *
 * Events are yielded as they happen; the work does not wait for their reader.
 */
import type { Clock } from '../../domain/clock.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import type { ModelResult, Run, RunEvent } from '../../domain/run.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import type { World } from '../world.ts';
import { audit } from './audit.ts';
import { backfill } from './backfill.ts';
import { prepareRun, takeEnvironment } from './begin-run.ts';
import { cleanUp } from './clean-up.ts';
import { contentsOf } from './contents.ts';
import { createSchemas } from './create-schemas.ts';
import { loggedEvent, planEvents } from './event-log.ts';
import { eventQueue } from './event-queue.ts';
import { keepLeases } from './keep-leases.ts';
import { LaterWork } from './later-work.ts';
import { migrate } from './migrate.ts';
import { prepareWave } from './prepare-wave.ts';
import { promote } from './promote.ts';
import { Proofs } from './proofs.ts';
import { diagnosticOf, EMPTY_RESULT, modelsOfStage, type RunContext, report } from './run-context.ts';
import { runHooks } from './run-hooks.ts';
import { RunLog } from './run-log.ts';
import { settle } from './settle.ts';
import { StageSchedule } from './stage-schedule.ts';
import type { StagesToRun } from './stages-to-run.ts';
import { ViewLocks } from './view-locks.ts';

/**
 * Executes stages and answers with the run as it ended. Throws only when nothing was begun (the environment is busy or
 * has moved) or for a bug of ours; a failed stage is in the run's record.
 */
export async function* executeStages(
  world: World,
  execution: StagesToRun,
): AsyncGenerator<RunEvent, Run, undefined> {
  const queue = eventQueue<RunEvent>();
  const abandoned = new AbortController();
  const working = executeRun(world, execution, { push: queue.push, abandoned: abandoned.signal }).finally(
    queue.end,
  );
  // Its error is thrown below, after the events that led to it.
  working.catch(() => {});
  try {
    yield* queue.items();
    return await working;
  } finally {
    // The reader stopped: the rest would not be read.
    abandoned.abort();
    await working.catch(() => {});
  }
}

async function executeRun(
  world: World,
  execution: StagesToRun,
  { push, abandoned }: { readonly push: (event: RunEvent) => void; readonly abandoned: AbortSignal },
): Promise<Run> {
  const { run, stages } = execution;
  const { lost, stop, cancel } = signalsOf(execution, abandoned);
  const loseLease = (detail: string): void =>
    lost.abort(failure('run.lease-lost', { run: run.id, environment: run.environment, detail }));
  const log = new RunLog(world, run, push);
  const started = startOf(execution);
  const environmentToken = await takeEnvironment(world, execution, {
    stop,
    events: [loggedEvent(started, run, world.clock.now())],
  });
  const ended = new AbortController();
  const heartbeat = keepLeases(world, run.id, { end: ended.signal, lost: loseLease });
  const contents = contentsOf(world, run.environment, execution.plan?.snapshots ?? []);
  const outcome: Outcome = { results: new Map(), errors: [], isBegun: false, rest: [] };
  const later = new LaterWork(outcome.errors);
  try {
    const begun = await prepareRun({ world, execution, cancel, loseLease }, environmentToken, contents);
    outcome.isBegun = true;
    push(started);
    const context: RunContext = {
      world,
      execution,
      contents,
      environmentToken,
      ...begun,
      prepared: new Map(),
      shownByMark: new Map(),
      proofs: new Proofs(stages),
      viewLocks: new ViewLocks(),
      results: outcome.results,
      stop,
      cancel,
      emit: (event) => log.emit(event),
      takeEvents: () => log.takeEvents(),
      finishLater: (work) => later.add(work),
      loseLease,
    };
    await contents.preload(fingerprintsOf(stages));
    outcome.rest = await executeInOrder(context, outcome.errors);
    for (const stage of outcome.rest) skipModels(context, stage, undefined);
  } catch (error) {
    outcome.errors.push(error);
  } finally {
    await later.ended();
    ended.abort();
    await heartbeat;
    await contents.close();
  }
  if (lost.signal.aborted) outcome.errors.unshift(lost.signal.reason);
  else if (stop.aborted && outcome.rest.length > 0)
    outcome.errors.push(
      failure('run.cancelled', { what: `${outcome.rest.length} of ${stages.length} stages` }),
    );
  const isCancelled = stop.aborted && !lost.signal.aborted;
  return recordEnd(world, endOfRun(execution, { ...outcome, isCancelled, clock: world.clock }), {
    outcome,
    log,
  });
}

/** What becomes of a run while it is executed. */
interface Outcome {
  readonly results: Map<string, ModelResult>;
  readonly errors: unknown[];
  /** The environment was taken and is as the stages expect it. */
  isBegun: boolean;
  /** Stages that were never begun. */
  rest: readonly Stage[];
}

/** `lost` ends the run because its lease is gone; `stop` and `cancel` are those of its caller, too. */
function signalsOf(
  { signal }: StagesToRun,
  abandoned: AbortSignal,
): { readonly lost: AbortController; readonly stop: AbortSignal; readonly cancel: AbortSignal } {
  const lost = new AbortController();
  const cancel = AbortSignal.any([lost.signal, abandoned, ...(signal === undefined ? [] : [signal.cancel])]);
  return {
    lost,
    cancel,
    stop: AbortSignal.any([cancel, ...(signal === undefined ? [] : [signal.stop])]),
  };
}

const startOf = ({ run, stages }: StagesToRun): RunEvent => ({
  event: 'run.started',
  run,
  stages: stages.length,
  models: new Set(stages.flatMap(modelsOfStage)).size,
});

/** Stores the run as it ended. Throws when it was not begun, and for a bug. */
async function recordEnd(
  world: World,
  end: Run,
  { outcome: { errors, isBegun }, log }: { readonly outcome: Outcome; readonly log: RunLog },
): Promise<Run> {
  const final = log.hidden(end);
  log.emit({ event: 'run.finished', run: final });
  await world.state.journal.finishRun(final, [
    ...log.takeEvents(),
    ...(isBegun ? planEvents(final, world.clock.now()) : []),
  ]);
  const bug = errors.find((error) => !(error instanceof Failure));
  if (bug !== undefined || !isBegun) throw bug ?? errors[0];
  return final;
}

/** Answers with the stages that were never begun because the run was stopped. */
async function executeInOrder(context: RunContext, errors: unknown[]): Promise<readonly Stage[]> {
  const { execution, stop } = context;
  const schedule = new StageSchedule(execution.stages, execution.maxParallel);
  for (;;) {
    const next = await schedule.next(() => stop.aborted);
    if (next === undefined) return schedule.rest;
    if (next.kind === 'skip') skipModels(context, next.stage, next.because);
    else {
      prepareWave(context, next.stage, schedule.ready);
      schedule.begin(next.stage, executeAndTell(context, next.stage, errors));
    }
  }
}

async function executeAndTell(context: RunContext, stage: Stage, errors: unknown[]): Promise<void> {
  const { clock } = context.world;
  const began = clock.now();
  context.emit({ event: 'stage.started', stage });
  try {
    await executeStage(context, stage);
  } catch (error) {
    // A process with a newer fencing token is at work: everything else this run would do is refused, too.
    if (error instanceof Failure && (error.code === 'engine.fenced' || error.code === 'state.lease-lost'))
      context.loseLease(error.diagnostic.message.replace(/\.$/, ''));
    errors.push(error);
    context.emit({ event: 'stage.failed', stage, error: diagnosticOf(error, stage.kind) });
    throw error;
  }
  context.emit({ event: 'stage.finished', stage, ms: clock.now() - began });
}

function executeStage(context: RunContext, stage: Stage): Promise<void> {
  switch (stage.kind) {
    case 'statements':
      return runHooks(context, stage);
    case 'create-schemas':
      return createSchemas(context, stage);
    case 'migrate':
      return migrate(context, stage);
    case 'backfill':
      return stage.settles === undefined
        ? backfill(context, stage)
        : settle(context, { ...stage, settles: stage.settles });
    case 'audit':
      return audit(context, stage);
    case 'promote':
      return promote(context, stage);
    case 'clean-up':
      return cleanUp(context, stage);
    default:
      return unreachable(stage);
  }
}

/** Everything below a failed stage; without one, what was not begun because the run was stopped. */
function skipModels(context: RunContext, stage: Stage, because: Stage | undefined): void {
  const failed = because === undefined ? undefined : blamedModel(context, because);
  for (const name of modelsOfStage(stage)) {
    // A model whose rows were written keeps its result when only a later stage of it is left out.
    if (context.results.has(name)) continue;
    report(context, {
      name,
      status: 'skipped',
      ...EMPTY_RESULT,
      ...(failed === undefined ? {} : { because: failed }),
    });
  }
}

/** In a stage of several models the one that failed, else the first. */
function blamedModel({ results }: RunContext, stage: Stage): string | undefined {
  const models = modelsOfStage(stage);
  return models.find((model) => results.get(model)?.status === 'failed') ?? models[0];
}

function endOfRun(
  { run, stages }: StagesToRun,
  {
    results,
    errors,
    isCancelled,
    clock,
  }: {
    readonly results: ReadonlyMap<string, ModelResult>;
    readonly errors: readonly unknown[];
    readonly isCancelled: boolean;
    readonly clock: Clock;
  },
): Run {
  const order = new Map([...new Set(stages.flatMap(modelsOfStage))].map((name, index) => [name, index]));
  const models = [...results.values()].toSorted(
    (a, b) => (order.get(a.name) ?? order.size) - (order.get(b.name) ?? order.size),
  );
  const [first] = errors;
  return {
    ...run,
    models,
    endedAt: clock.now(),
    status: first === undefined ? 'succeeded' : isCancelled ? 'cancelled' : 'failed',
    ...(first === undefined ? {} : { error: diagnosticOf(first, 'the run') }),
  };
}

/** Contents that stages will ask for, read in one go. */
function fingerprintsOf(stages: readonly Stage[]): readonly string[] {
  return stages.flatMap((stage) => {
    switch (stage.kind) {
      case 'backfill':
        return [...stage.members, ...stage.auditedViews].map(({ fingerprint }) => fingerprint);
      case 'audit':
      case 'migrate':
        return [stage.fingerprint];
      case 'promote':
        return stage.views.map(({ entry }) => entry.fingerprint);
      default:
        return [];
    }
  });
}

/*
 * The one interpreter of stages: plan, run, restatement, rollback and janitor all end here.
 *
 *   environment's lease ─▶ plan into state ─▶ stages by their needs, side by side ─▶ the run's record, leases released
 *        └── heartbeat every 2 s, until the end; a lost lease stops everything
 *
 * Events are yielded as they happen; the work does not wait for their reader.
 */
import type { Clock } from '../../domain/clock.ts';
import type { NewEvent } from '../../domain/event.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import type { ModelResult, Run, RunEvent } from '../../domain/run.ts';
import { hiddenEvent, hiddenRun } from '../../domain/secret-values.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import type { World } from '../world.ts';
import { audit } from './audit.ts';
import { backfill } from './backfill.ts';
import { prepareRun, takeEnvironment } from './begin-run.ts';
import { cleanUp } from './clean-up.ts';
import { contentsOf } from './contents.ts';
import { createSchemas } from './create-schemas.ts';
import { isLogged, loggedEvent, planEvents } from './event-log.ts';
import { eventQueue } from './event-queue.ts';
import type { Execution } from './execution.ts';
import { keepLeases } from './keep-leases.ts';
import { migrate } from './migrate.ts';
import { prepareWave } from './prepare-wave.ts';
import { promote } from './promote.ts';
import { Proofs } from './proofs.ts';
import { diagnosticOf, EMPTY_RESULT, modelsOfStage, type RunContext, report } from './run-context.ts';
import { runHooks } from './run-hooks.ts';
import { StageSchedule } from './stage-schedule.ts';
import { ViewLocks } from './view-locks.ts';

/**
 * Executes stages and answers with the run as it ended. Throws only when nothing was begun (the environment is busy or
 * has moved) or for a bug of ours; a failed stage is in the run's record.
 */
export async function* executeStages(
  world: World,
  execution: Execution,
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
  execution: Execution,
  { push, abandoned }: { readonly push: (event: RunEvent) => void; readonly abandoned: AbortSignal },
): Promise<Run> {
  const { run, stages } = execution;
  const { clock, state } = world;
  const lost = new AbortController();
  const ended = new AbortController();
  const outside = [abandoned, ...(execution.signal === undefined ? [] : [execution.signal.cancel])];
  const cancel = AbortSignal.any([lost.signal, ...outside]);
  const stop = AbortSignal.any([cancel, ...(execution.signal === undefined ? [] : [execution.signal.stop])]);
  const log: NewEvent[] = [];
  const hide = world.hide ?? ((text: string) => text);
  const emit = (raw: RunEvent): void => {
    const event = hiddenEvent(raw, hide);
    push(event);
    if (isLogged(event)) log.push(loggedEvent(event, run, clock.now()));
  };
  const takeEvents = (): readonly NewEvent[] => log.splice(0);
  const loseLease = (detail: string): void =>
    lost.abort(failure('run.lease-lost', { run: run.id, environment: run.environment, detail }));

  const started: RunEvent = {
    event: 'run.started',
    run,
    stages: stages.length,
    models: new Set(stages.flatMap(modelsOfStage)).size,
  };
  const environmentToken = await takeEnvironment(world, execution, {
    stop,
    events: [loggedEvent(started, run, clock.now())],
  });
  const heartbeat = keepLeases(world, run.id, { end: ended.signal, lost: loseLease });
  const contents = contentsOf(world, run.environment, execution.plan?.snapshots ?? []);
  const results = new Map<string, ModelResult>();
  const errors: unknown[] = [];
  const later = new Set<Promise<void>>();
  let isBegun = false;
  let rest: readonly Stage[] = [];
  try {
    const begun = await prepareRun({ world, execution, cancel, loseLease }, environmentToken, contents);
    isBegun = true;
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
      results,
      stop,
      cancel,
      emit,
      takeEvents,
      finishLater(work) {
        const end = work.catch((error: unknown) => void errors.push(error)).finally(() => later.delete(end));
        later.add(end);
      },
      loseLease,
    };
    await contents.preload(fingerprintsOf(stages));
    rest = await executeInOrder(context, errors);
    for (const stage of rest) skipModels(context, stage, undefined);
  } catch (error) {
    errors.push(error);
  } finally {
    await Promise.all(later);
    ended.abort();
    await heartbeat;
    await contents.close();
  }
  if (lost.signal.aborted) errors.unshift(lost.signal.reason);
  else if (stop.aborted && rest.length > 0)
    errors.push(failure('run.cancelled', { what: `${rest.length} of ${stages.length} stages` }));
  const ending = { results, errors, isCancelled: stop.aborted && !lost.signal.aborted, clock };
  const final = hiddenRun(endOfRun(execution, ending), hide);
  emit({ event: 'run.finished', run: final });
  await state.journal.finishRun(final, [...takeEvents(), ...(isBegun ? planEvents(final, clock.now()) : [])]);
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
      return backfill(context, stage);
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
  { run, stages }: Execution,
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

import { failure } from '../domain/failure.ts';
import type { Plan } from '../domain/plan.ts';
import type { Run, RunEvent } from '../domain/run.ts';
import { isoInstantShort } from '../foundation/time/iso.ts';
import { executeStages } from '../runtime/execute/execute-stages.ts';
import type { RunSignal } from '../runtime/execute/execution.ts';
import { recover } from '../runtime/execute/recover.ts';
import { auditPolicies } from './audit-access.ts';
import { newId } from './new-id.ts';
import type { OpenedWorld } from './open-world.ts';

/** What every verb that changes an environment is told beside what to do. */
export interface ActOptions {
  readonly who: string;
  /** How long to wait while another run changes the environment; not at all when absent. */
  readonly waitMs?: number | undefined;
  readonly signal?: RunSignal;
  /** What the run is called; a plan by default. */
  readonly kind?: Run['kind'];
}

/** Does what a plan says, and yields what happens. Refused with `environment.moved` when the environment is not what the plan was made for. */
export async function* apply(
  world: OpenedWorld,
  plan: Plan,
  { who, waitMs, signal, kind = 'plan' }: ActOptions,
): AsyncGenerator<RunEvent, Run> {
  yield* await recover(world);
  await refuseMoved(world, plan);
  const startedAt = world.clock.now();
  await auditPolicies(world, plan, { who, at: startedAt });
  const run: Run = {
    id: newId('r', startedAt),
    kind,
    environment: plan.environment,
    planId: plan.id,
    who,
    startedAt,
    executionTime: plan.executionTime,
    status: 'running',
    models: [],
  };
  return yield* executeStages(world, {
    run,
    plan,
    stages: plan.stages,
    entries: plan.target.entries,
    ...(plan.target.around === undefined ? {} : { around: plan.target.around }),
    naming: (environment) => world.naming(environment),
    maxParallel: world.config.run.maxParallel,
    executionTime: plan.executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Told before any work; the store looks again when it begins the plan. */
async function refuseMoved({ state }: OpenedWorld, plan: Plan): Promise<void> {
  const present = await state.snapshots.environment(plan.environment);
  if (present?.promotionId === plan.basePromotionId) return;
  const detail =
    present === undefined
      ? 'it has been removed'
      : present.promotionId === plan.target.promotionId
        ? 'the plan has been applied already'
        : `plan ${present.planId} was applied at ${isoInstantShort(present.promotedAt)}`;
  throw failure('environment.moved', { environment: plan.environment, detail });
}

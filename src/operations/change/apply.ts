import type { Plan } from '../../domain/plan.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import { recover } from '../../runtime/execute/recover.ts';
import type { RunSignal } from '../../runtime/execute/stages-to-run.ts';
import { auditPolicies } from '../access/audit-policies.ts';
import { widerAccessOf } from '../access/wider-access.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import { refuseMoved, refuseOutOfStep, refuseWider } from './refuse-plan.ts';

/** What every verb that changes an environment gets besides its work. */
export interface ActOptions {
  readonly who: string;
  /** How long to wait while another run changes the environment; not at all when absent. */
  readonly waitMs?: number | undefined;
  readonly signal?: RunSignal;
  /** What the run is called; a plan by default. */
  readonly kind?: Run['kind'];
  /** Whether the plan may widen access. */
  readonly allowsWiderAccess?: boolean | undefined;
}

/**
 * Does what a plan says, and yields what happens. Refused with `environment.moved` when the environment is not what the plan was made for,
 * and with `plan.widens-access` when it widens access and nothing allows that.
 */
export async function* apply(
  world: OpenedWorld,
  plan: Plan,
  { who, waitMs, signal, kind = 'plan', allowsWiderAccess = false }: ActOptions,
): AsyncGenerator<RunEvent, Run> {
  yield* await recover(world);
  await refuseMoved(world, plan);
  await refuseOutOfStep(world, plan);
  // Found again: what a file says of itself does not decide.
  if (!allowsWiderAccess) refuseWider(plan, await widerAccessOf(world, plan));
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
    ...(plan.target.hooks === undefined ? {} : { hooks: plan.target.hooks }),
    naming: (environment) => world.naming(environment),
    maxParallel: world.config.run.maxParallel,
    executionTime: plan.executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}

import { tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import type { WiderAccess } from '../../domain/wider-access.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import type { RunSignal } from '../../runtime/execute/execution.ts';
import { outOfStep, promotionDrift } from '../../runtime/execute/promotion-drift.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { auditPolicies } from '../access/audit-policies.ts';
import { widerAccessOf } from '../access/wider-access.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';

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
    ...(plan.target.around === undefined ? {} : { hooks: plan.target.around }),
    naming: (environment) => world.naming(environment),
    maxParallel: world.config.run.maxParallel,
    executionTime: plan.executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A plan that was made for an environment which the warehouse showed then makes only those views that change. */
async function refuseOutOfStep(world: OpenedWorld, { environment, target, stages }: Plan): Promise<void> {
  const drift = await promotionDrift(world, environment);
  if (drift === undefined) return;
  const made = new Set(
    stages.flatMap((stage) => (stage.kind === 'promote' ? stage.views.map(({ entry }) => entry.model) : [])),
  );
  if (!target.entries.every((entry) => tableOf(entry) === undefined || made.has(entry.model)))
    throw outOfStep(drift);
}

const TOLD_MAX = 3;

/** Who would see more of what, as far as one line has room for it. */
export function refuseWider({ id, environment }: Plan, wider: readonly WiderAccess[]): void {
  if (wider.length === 0) return;
  const reported = wider
    .slice(0, TOLD_MAX)
    .map(
      ({ who, kind, name }) =>
        `${who === '*' ? 'all callers' : who} (${kind === 'access' ? 'access: ' : ''}${name})`,
    );
  const more = wider.length > TOLD_MAX ? ` and ${wider.length - TOLD_MAX} more` : '';
  throw failure('plan.widens-access', { id, environment, who: `${reported.join(', ')}${more}` });
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

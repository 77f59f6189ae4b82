import { tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Plan } from '../../domain/plan.ts';
import type { WiderAccess } from '../../domain/wider-access.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { outOfStep, promotionDrift } from '../../runtime/execute/promotion-drift.ts';
import type { OpenedWorld } from '../open-world.ts';

/** Told before any work; the store looks again when it begins the plan. */
export async function refuseMoved({ state }: OpenedWorld, plan: Plan): Promise<void> {
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

/** A plan that was made for an environment which the warehouse showed then makes only those views that change. */
export async function refuseOutOfStep(
  world: OpenedWorld,
  { environment, target, stages }: Plan,
): Promise<void> {
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

/*
 * Whether the warehouse shows the promotion that the state has. The two are files of their own and can come from
 * different times: one of them was put back from a copy.
 *
 *   warehouse has an earlier promotion of the state ─▶ the warehouse is older: what the state says is shown again
 *   warehouse has one that the state does not know  ─▶ the state is older: only a plan may go on
 */
import type { Environment } from '../../domain/environment.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { WorldReader } from '../world.ts';

/** An environment of which state and warehouse say different things. */
export interface PromotionDrift {
  readonly environment: string;
  readonly older: 'state' | 'warehouse';
  /** What the warehouse shows, as far as the state knows it. */
  readonly shown?: Environment;
  /** In words. */
  readonly detail: string;
}

const LOOKS_MAX = 3;

/** Undefined when both agree, or when a promotion is under way, which its run ends. */
export async function promotionDrift(world: WorldReader, name: string): Promise<PromotionDrift | undefined> {
  const { engine, state } = world;
  // A promotion that ends between two of these questions looks like a difference, so a difference is looked at again.
  for (let look = 1; ; look++) {
    const begun = await state.journal.promotionIntents();
    if (begun.some(({ target }) => target.name === name)) return undefined;
    const shown = await engine.promotionOf(name);
    const present = await state.snapshots.environment(name);
    if (present === undefined || shown === present.promotionId) return undefined;
    if (look === LOOKS_MAX) return driftOf(world, present, shown);
  }
}

async function driftOf(
  { state, names }: WorldReader,
  { name, promotionId }: Environment,
  shown: string | undefined,
): Promise<PromotionDrift> {
  const known = (await state.snapshots.promotions(name)).find(
    ({ environment }) => environment.promotionId === shown,
  );
  if (shown !== undefined && known === undefined)
    return {
      environment: name,
      older: 'state',
      detail: `the warehouse ${names.warehouse} shows ${shown}, which the state ${names.state} does not know`,
    };
  const what = known === undefined ? 'nothing of it' : `${shown} of ${new Date(known.at).toISOString()}`;
  return {
    environment: name,
    older: 'warehouse',
    ...(known === undefined ? {} : { shown: known.environment }),
    detail: `the warehouse ${names.warehouse} shows ${what}, the state ${names.state} has ${promotionId}`,
  };
}

/** The error for commands that cannot bring both together. */
export function outOfStep({ environment, older, detail }: PromotionDrift): Failure {
  return failure('environment.out-of-step', { environment, older, detail });
}

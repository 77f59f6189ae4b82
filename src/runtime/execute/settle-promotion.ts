import type { Lease } from '../../domain/lease.ts';
import type { RunEvent } from '../../domain/run.ts';
import type { PromotionIntent } from '../../domain/state-store.ts';
import type { World } from '../world.ts';
import { promotionEvents } from './promotion-events.ts';
import { promotionFence } from './promotion-fence.ts';

/**
 * Ends a promotion that its run did not: the warehouse says whether it happened. Before it is asked, the run that began
 * it is shut out, because it may only have been paused.
 */
export async function settlePromotion(
  world: World,
  { target, runId }: PromotionIntent,
  lease: Lease | undefined,
): Promise<RunEvent> {
  const { engine, state, clock } = world;
  const { name, promotionId } = target;
  // The next holder gets the next token; when another process has the lease by now, that token is the limit.
  if (lease !== undefined) {
    const token = lease.holder === runId ? lease.token + 1 : lease.token;
    await engine.raiseFences([promotionFence(name, token)]);
  }
  const at = clock.now();
  if ((await engine.promotionOf(name)) === promotionId) {
    const event = { event: 'run.recovered', runId, did: `finished the promotion of ${name}` } as const;
    await state.snapshots.finishPromotion(target, at, [
      { at, event: event.event, environment: name, runId, data: { runId, did: event.did } },
      ...(await promotionEvents(world, target, { at, runId })),
    ]);
    return event;
  }
  await state.snapshots.dropPromotion(name, runId);
  return { event: 'run.recovered', runId, did: `dropped the promotion of ${name}, which had not happened` };
}

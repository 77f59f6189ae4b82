import type { RunEvent } from '../../domain/run.ts';
import type { PromotionIntent } from '../../domain/state-store.ts';
import type { World } from '../world.ts';
import { settlePromotion } from './settle-promotion.ts';

/** What became of promotions that were begun. */
export interface PromotionRecovery {
  readonly events: readonly RunEvent[];
  /** Those whose runs live: they will end them. */
  readonly ongoing: readonly PromotionIntent[];
  /** Whether a run has its environment still. */
  isAlive(runId: string, environment: string): boolean;
}

/** Ends promotions whose runs are dead. A run that finds one in its way may do so, too, without waiting for the next plan. */
export async function recoverPromotions(world: World): Promise<PromotionRecovery> {
  const { state, clock } = world;
  // Before the leases: a run that began a promotion has its lease already, and one that ends meanwhile is settled once more.
  const promotions = await state.journal.promotionIntents();
  const leases = new Map((await state.journal.leases()).map((lease) => [lease.name, lease]));
  const isAlive = (runId: string, environment: string): boolean => {
    const lease = leases.get(`environment:${environment}`);
    return lease !== undefined && lease.holder === runId && lease.expiresAt > clock.now();
  };
  const events: RunEvent[] = [];
  const ongoing: PromotionIntent[] = [];
  for (const intent of promotions)
    if (isAlive(intent.runId, intent.target.name)) ongoing.push(intent);
    else events.push(await settlePromotion(world, intent, leases.get(`environment:${intent.target.name}`)));
  return { events, ongoing, isAlive };
}

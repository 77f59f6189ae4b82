import type { PlanRecord } from '../../domain/state-store.ts';
import { environmentOf, type OpenedWorldReader } from '../open-world.ts';

/**
 * What became of a product's last deployment to its default environment: `deploying` while a plan is being applied, `failed` when
 * the last one ended badly (what was there before is still served), `stopped` when nothing was ever deployed, else `active`.
 */
export type ProductState = 'active' | 'deploying' | 'failed' | 'stopped';

const TRIED = ['applying', 'applied', 'failed', 'interrupted'] as const satisfies PlanRecord['status'][];

export async function productState({ state, config, clock }: OpenedWorldReader): Promise<ProductState> {
  const environment = environmentOf(config, undefined);
  const [tried, leases] = await Promise.all([
    Promise.all(TRIED.map((status) => state.snapshots.plans({ environment, status, limit: 1 }))),
    state.journal.leases(),
  ]);
  const [last] = tried.flat().toSorted((a, b) => b.createdAt - a.createdAt);
  if (last === undefined) return 'stopped';
  if (last.status === 'applied') return 'active';
  // A process that died has left its plan as it was; only a lease that lives says that work on it goes on.
  const isHeld = leases.some(
    ({ name, expiresAt }) => name === `environment:${environment}` && expiresAt > clock.now(),
  );
  return last.status === 'applying' && isHeld ? 'deploying' : 'failed';
}

import type { Environment } from '../../domain/environment.ts';
import type { Lease } from '../../domain/lease.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** An environment, and who is changing it at this moment. */
export interface ListedEnvironment {
  readonly environment: Environment;
  readonly holder?: Lease;
}

/** Every environment that a plan was applied to, prod first. */
export async function environments({
  state,
  clock,
}: OpenedWorldReader): Promise<readonly ListedEnvironment[]> {
  const [found, leases] = await Promise.all([state.snapshots.environments(), state.journal.leases()]);
  const now = clock.now();
  const held = new Map(leases.filter(({ expiresAt }) => expiresAt > now).map((lease) => [lease.name, lease]));
  return found
    .toSorted((a, b) => Number(b.name === 'prod') - Number(a.name === 'prod') || (a.name < b.name ? -1 : 1))
    .map((environment) => {
      const holder = held.get(`environment:${environment.name}`);
      return { environment, ...(holder === undefined ? {} : { holder }) };
    });
}

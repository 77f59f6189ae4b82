import type { Reach } from '../../compiler/notify/reach.ts';
import { targetOf } from '../../domain/follower.ts';
import { LOCAL_ADMIN } from '../../domain/local-admin.ts';
import { appliedIfAny } from '../catalog/applied-product.ts';
import { environmentOf } from '../open-world.ts';
import { perspectiveReach } from '../perspectives/perspective-reach.ts';
import type { Product } from '../platform.ts';

/** What is made of what in an environment, as it was applied; nothing when it never was. Who may know of it is decided when it is sent. */
export async function reachOf(product: Product, written: string | undefined): Promise<Reach> {
  const applied = await appliedIfAny(product, LOCAL_ADMIN, written);
  if (applied === undefined) return { models: [], semanticModels: [], metrics: [], perspectives: [] };
  const { models, semanticModels, metrics } = applied;
  const environment = environmentOf(product.world.config, written);
  const perspectives = await perspectiveReach(product, { environment, ids: await followedIds(product) });
  return { models, semanticModels, metrics, perspectives };
}

/** Perspectives that are followed: of the others it need not be known what they are made of. */
async function followedIds({ world }: Product): Promise<ReadonlySet<string>> {
  const followers = await world.state.notifications.settings('follower', {});
  return new Set(
    followers.flatMap(({ target }) => {
      const found = targetOf(target);
      return found?.kind === 'perspective' ? [found.name] : [];
    }),
  );
}

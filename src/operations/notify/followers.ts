/** Who follows what. Names of followers are for owners of the product; other callers see how many there are, and themselves. */
import { failure } from '../../domain/failure.ts';
import { type Follower, type FollowingParty, followerId, partyKey, targetOf } from '../../domain/follower.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { keptTarget } from './kept-target.ts';
import { knownTarget } from './known-target.ts';
import { found } from './own-settings.ts';

/** How a caller follows in their own name. */
export const ownParty = ({ kind, name }: Identity): FollowingParty => ({
  kind: kind === 'service-account' ? 'app' : 'user',
  name,
});

export interface FollowerList {
  readonly count: number;
  /** Those that the caller may know: all for owners, otherwise themselves. */
  readonly followers: readonly Follower[];
}

export async function listFollowers(
  product: Product,
  asker: Identity,
  written: string,
): Promise<FollowerList> {
  const target = await knownTarget(product, asker, written);
  const all = await product.world.state.notifications.settings('follower', { target });
  const isOwner = permits(asker, 'admin', product);
  const own = new Set(partiesOf(asker));
  return { count: all.length, followers: all.filter((each) => isOwner || own.has(partyKey(each.party))) };
}

export const partiesOf = (asker: Identity): readonly string[] => [
  partyKey(ownParty(asker)),
  ...asker.groups.map((name) => partyKey({ kind: 'group', name })),
];

/** In their own name, and through groups. */
export const following = ({ world }: Product, asker: Identity): Promise<readonly Follower[]> =>
  world.state.notifications.settings('follower', { parties: partiesOf(asker) });

/** In the caller's own name. */
export async function ownFollow(product: Product, asker: Identity, written: string): Promise<Follower> {
  const target = targetOf(written);
  if (target === undefined) throw failure('notification.no-target', { target: written });
  const id = followerId(ownParty(asker), await keptTarget(product, asker, written));
  const [own] = await product.world.state.notifications.settings('follower', {
    id,
    ownerId: asker.principalId,
  });
  return found(own, 'follower', written);
}

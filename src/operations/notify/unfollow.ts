import { failure } from '../../domain/failure.ts';
import { type FollowingParty, followerId, partyKey } from '../../domain/follower.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { followerEvent } from './follower-event.ts';
import { ownParty } from './followers.ts';
import { keptTarget } from './kept-target.ts';
import { settledSetting } from './own-settings.ts';

/** Of the caller, or for an owner of the product of any party. */
export async function unfollow(
  product: Product,
  asker: Identity,
  {
    target,
    party = ownParty(asker),
  }: { readonly target: string; readonly party?: FollowingParty | undefined },
): Promise<void> {
  if (partyKey(party) !== partyKey(ownParty(asker)) && !permits(asker, 'admin', product))
    throw failure('access.forbidden', {});
  const key = await keptTarget(product, asker, target);
  const outcome = await product.world.state.notifications.removeSetting('follower', followerId(party, key), {
    events: [await followerEvent(product, asker, { event: 'follower.removed', target: key })],
  });
  settledSetting(outcome, 'follower', target);
}

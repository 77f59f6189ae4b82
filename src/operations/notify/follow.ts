import { failure } from '../../domain/failure.ts';
import { type Follower, type FollowingParty, followerId, partyKey } from '../../domain/follower.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { checkChannels, checkEvents } from './check-rule.ts';
import { followerEvent } from './follower-event.ts';
import { ownParty } from './followers.ts';
import { knownTarget } from './known-target.ts';
import { found, OWNED_MAX, settledSetting } from './own-settings.ts';

export type WrittenFollower = Pick<Follower, 'minSeverity'> & {
  readonly events?: readonly string[] | undefined;
  readonly channels?: readonly string[] | undefined;
};

/** Oneself; of a group or an app, an owner of the product. */
export async function follow(
  product: Product,
  asker: Identity,
  {
    target: written,
    party = ownParty(asker),
    ownerId = asker.principalId,
    ...how
  }: WrittenFollower & {
    readonly target: string;
    readonly party?: FollowingParty | undefined;
    /** The principal that an app is. */
    readonly ownerId?: string | undefined;
  },
): Promise<Follower> {
  if (partyKey(party) !== partyKey(ownParty(asker)) && !permits(asker, 'admin', product))
    throw failure('access.forbidden', {});
  const target = await knownTarget(product, asker, written);
  checkEvents(how.events ?? []);
  await checkChannels(product, asker, how.channels ?? []);
  const { state, clock } = product.world;
  const id = followerId(party, target);
  const [before] = await state.notifications.settings('follower', { id });
  const now = clock.now();
  const { events, channels, minSeverity } = how;
  const next = {
    ...{ id, ownerId, party, target, minSeverity, createdAt: before?.createdAt ?? now, updatedAt: now },
    ...(events === undefined ? {} : { events }),
    ...(channels === undefined ? {} : { channels }),
  };
  const outcome = await state.notifications.putSetting('follower', next, {
    most: OWNED_MAX.follower,
    events:
      before === undefined ? [await followerEvent(product, asker, { event: 'follower.added', target })] : [],
  });
  settledSetting(outcome, 'follower', written);
  const [follower] = await state.notifications.settings('follower', { id });
  return found(follower, 'follower', written);
}

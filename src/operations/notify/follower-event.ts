import type { NewEvent } from '../../domain/event.ts';
import type { Identity } from '../../domain/principal.ts';
import { perspectiveIfAny } from '../perspectives/find-perspective.ts';
import { viewerOf } from '../perspectives/viewer-of.ts';
import type { Product } from '../platform.ts';

const PERSPECTIVE = 'perspective:';

/** Without a name: who follows is for owners to see, and the log has other readers. With what says who may know of a perspective. */
export async function followerEvent(
  product: Product,
  asker: Identity,
  { event, target }: { readonly event: 'follower.added' | 'follower.removed'; readonly target: string },
): Promise<NewEvent> {
  const at = product.world.clock.now();
  const followed = target.startsWith(PERSPECTIVE)
    ? await perspectiveIfAny(product, viewerOf(product, asker), target.slice(PERSPECTIVE.length))
    : undefined;
  const { visibility, owner } = followed ?? {};
  return { at, event, data: { target, ...(followed === undefined ? {} : { visibility, owner }) } };
}

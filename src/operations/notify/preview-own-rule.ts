import { previewRule } from '../../compiler/notify/preview-rule.ts';
import type { StoredEvent } from '../../domain/event.ts';
import type { Identity } from '../../domain/principal.ts';
import { activityView } from '../catalog/activity-view.ts';
import type { Platform, Product } from '../platform.ts';
import type { WrittenNotificationRule } from './check-rule.ts';
import { checkRule } from './check-rule.ts';
import { peopleOf } from './people.ts';
import { reachOf } from './reach-of.ts';
import { subscriptionsOf } from './subscriptions-of.ts';

/** What the rule would have sent lately, as far as its owner may know; how many would have heard of each. */
export async function previewOwnRule(
  platform: Platform,
  product: Product,
  asker: Identity,
  { rule: written, limit }: { readonly rule: WrittenNotificationRule; readonly limit: number },
): Promise<readonly { readonly event: StoredEvent; readonly subscribers: number }[]> {
  await checkRule(product, asker, written);
  const { world } = product;
  const now = world.clock.now();
  const last = await world.state.events.lastSequence();
  const events = await world.state.events.events({ after: Math.max(0, last - limit), limit });
  const [people, reach] = await Promise.all([peopleOf(platform, product, now), reachOf(product, undefined)]);
  const subscriptions = await subscriptionsOf(product, { people, reach, configured: [] });
  const rule = { ...written, id: 'preview', ownerId: asker.principalId, createdAt: now, updatedAt: now };
  const view = await activityView(product, asker, { events });
  const seen = events.flatMap((event) => view.event(event) ?? []);
  return previewRule(rule, seen, { subscriptions, reach }).map(({ event, out }) => ({
    event,
    subscribers: out.deliveries.length + out.inbox.length,
  }));
}

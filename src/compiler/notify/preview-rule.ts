import type { StoredEvent } from '../../domain/event.ts';
import type { NotificationRule } from '../../domain/notification.ts';
import { type FannedOut, fanOutEvent, type Subscriptions } from './fan-out-event.ts';
import { type Reach, reachedTargets } from './reach.ts';

/** What a rule would have sent for past events, as if it had been there; events that it sends nothing for are left out. */
export function previewRule(
  rule: Omit<NotificationRule, 'since'>,
  events: readonly StoredEvent[],
  { subscriptions, reach }: { readonly subscriptions: Subscriptions; readonly reach: Reach },
): readonly { readonly event: StoredEvent; readonly out: FannedOut }[] {
  const alone: Subscriptions = {
    ...subscriptions,
    rules: [{ ...rule, isEnabled: true, since: 0 }],
    // Followers only hear of it through the rule.
    followers: subscriptions.followers.map((each) => ({ ...each, since: Number.MAX_SAFE_INTEGER })),
    configured: [],
  };
  return events
    .map((event) => ({
      event,
      out: fanOutEvent(event, { subscriptions: alone, targets: reachedTargets(event, reach), now: event.at }),
    }))
    .filter(({ out }) => out.deliveries.length + out.inbox.length > 0);
}

import { EVENT_TYPES } from '../../domain/event-types.ts';
import { failure } from '../../domain/failure.ts';
import type { NotificationRule } from '../../domain/notification.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import { parseCron } from '../../foundation/time/cron.ts';
import type { Product } from '../platform.ts';

/** A rule as its owner writes it. */
export type WrittenNotificationRule = Pick<
  NotificationRule,
  'name' | 'isEnabled' | 'filter' | 'audience' | 'timing' | 'quietHours'
>;

/** Throws `notification.bad-rule`, `access.forbidden`. */
export async function checkRule(
  product: Product,
  asker: Identity,
  { filter, audience, quietHours }: WrittenNotificationRule,
): Promise<void> {
  const { channels = [], owners = false, followers = false } = audience;
  if ((owners || followers) && !permits(asker, 'admin', product)) throw failure('access.forbidden', {});
  if (channels.length === 0 && !owners && !followers) throw bad('it has no audience');
  checkEvents(filter.events ?? []);
  if (quietHours !== undefined) checkZone(quietHours.zone);
  await checkChannels(product, asker, channels);
}

const bad = (detail: string) => failure('notification.bad-rule', { detail });

/** Throws `notification.bad-rule`. */
export function checkEvents(events: readonly string[]): void {
  for (const name of events)
    if (!name.endsWith('*') && EVENT_TYPES[name] === undefined) throw bad(`there is no event ${name}`);
}

/** Throws `notification.bad-rule`. */
export function checkZone(zone: string): void {
  if (parseCron('0 0 * * *', zone).kind === 'problem') throw bad(`there is no time zone ${zone}`);
}

/** Throws `notification.bad-rule` for a channel of another principal, too. */
export async function checkChannels(
  { world }: Product,
  { principalId: ownerId }: Identity,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const own = new Set((await world.state.notifications.settings('channel', { ownerId })).map(({ id }) => id));
  const missing = ids.find((id) => !own.has(id));
  if (missing !== undefined) throw bad(`there is no channel ${missing}`);
}

import type { NotificationPreference } from '../../domain/notification.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { checkChannels, checkEvents, checkZone } from './check-rule.ts';
import { OWNED_MAX, settledSetting } from './own-settings.ts';

export type WrittenPreference = Pick<
  NotificationPreference,
  'minSeverity' | 'muted' | 'channels' | 'timing' | 'quietHours'
>;

const NONE: WrittenPreference = { muted: [], channels: [], timing: 'immediate' };

/** What holds while a principal has said nothing is the default. */
export async function preferencesOf(
  { world }: Product,
  { principalId }: Identity,
): Promise<WrittenPreference> {
  const [own] = await world.state.notifications.settings('preference', { id: principalId });
  return own ?? NONE;
}

/** Throws `notification.bad-rule`. */
export async function changePreferences(
  product: Product,
  asker: Identity,
  written: WrittenPreference,
): Promise<WrittenPreference> {
  checkEvents(written.muted);
  if (written.quietHours !== undefined) checkZone(written.quietHours.zone);
  await checkChannels(product, asker, written.channels);
  const { notifications } = product.world.state;
  const id = asker.principalId;
  const [before] = await notifications.settings('preference', { id });
  const now = product.world.clock.now();
  const next = { ...written, id, ownerId: id, createdAt: before?.createdAt ?? now, updatedAt: now };
  settledSetting(
    await notifications.putSetting('preference', next, { most: OWNED_MAX.preference, events: [] }),
    ...(['preference', asker.name] as const),
  );
  return preferencesOf(product, asker);
}

import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { found, settledSetting } from './own-settings.ts';

export async function removeChannel(
  product: Product,
  { principalId: ownerId }: Identity,
  id: string,
  expected: readonly string[] | undefined,
): Promise<void> {
  const { notifications } = product.world.state;
  const [channel] = await notifications.settings('channel', { id, ownerId });
  found(channel, 'channel', id);
  const outcome = await notifications.removeSetting('channel', id, { expected, events: [] });
  settledSetting(outcome, 'channel', id);
}

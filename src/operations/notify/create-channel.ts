import type { ChannelKind, NotificationChannel } from '../../domain/notification.ts';
import type { Identity } from '../../domain/principal.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { newKey, storedChannel } from './channel-secrets.ts';
import { channelReach } from './deliver.ts';
import { OWNED_MAX, settledSetting } from './own-settings.ts';
import { type ChannelFields, KEYS, type ShownChannel, shown } from './shown-channel.ts';

export async function createChannel(
  product: Product,
  { principalId: ownerId }: Identity,
  {
    name,
    kind,
    config,
    isEnabled,
  }: {
    readonly name: string;
    readonly kind: ChannelKind;
    readonly config: ChannelFields;
    readonly isEnabled: boolean;
  },
): Promise<ShownChannel> {
  const { world } = product;
  const now = world.clock.now();
  const id = newId('n', now);
  const key = kind === 'webhook' ? newKey(config, now) : undefined;
  const channel: NotificationChannel = {
    ...{ id, ownerId, name, kind, isEnabled, createdAt: now, updatedAt: now },
    ...stored(product, id, { kind, config: key === undefined ? config : { ...config, [KEYS]: [key] } }),
  };
  const outcome = await world.state.notifications.putSetting('channel', channel, {
    ...{ isNew: true, most: OWNED_MAX.channel, events: [] },
  });
  settledSetting(outcome, 'channel', name);
  return shown(product, channel, key?.algorithm === 'hmac' ? key.secret : undefined);
}

export const stored = (
  product: Product,
  id: string,
  written: { readonly kind: ChannelKind; readonly config: ChannelFields },
  before?: ChannelFields,
) => storedChannel(id, written, { sealer: product.workspace.sealer, reach: channelReach(product), before });

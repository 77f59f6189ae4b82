import type { NotificationChannel } from '../../domain/notification.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { secretsOf } from './channel-secrets.ts';
import { stored } from './create-channel.ts';
import { OWNED_MAX, settledSetting } from './own-settings.ts';
import { type ChannelFields, findChannel, type ShownChannel, shown } from './shown-channel.ts';

/** `config` replaces what may be shown; secrets that it does not name stay. */
export async function changeChannel(
  product: Product,
  asker: Identity,
  id: string,
  change: {
    readonly name?: string | undefined;
    readonly config?: ChannelFields | undefined;
    readonly isEnabled?: boolean | undefined;
    readonly expected: readonly string[] | undefined;
  },
): Promise<ShownChannel> {
  const { channel, tag } = await findChannel(product, asker, id);
  const { name = channel.name, isEnabled = channel.isEnabled, config, expected = [tag] } = change;
  const secrets = config === undefined ? undefined : secretsOf(channel, product.workspace.sealer);
  const { sealed: _, ...open } = channel;
  const next: NotificationChannel = {
    ...(config === undefined
      ? channel
      : { ...open, ...stored(product, id, { kind: channel.kind, config }, secrets) }),
    ...{ name, isEnabled, updatedAt: product.world.clock.now() },
  };
  return put(product, next, expected);
}

export async function put(
  product: Product,
  channel: NotificationChannel,
  expected: readonly string[],
  secret?: string,
): Promise<ShownChannel> {
  const { notifications } = product.world.state;
  const outcome = await notifications.putSetting('channel', channel, {
    ...{ expected, most: OWNED_MAX.channel, events: [] },
  });
  settledSetting(outcome, 'channel', channel.id);
  return shown(product, channel, secret);
}

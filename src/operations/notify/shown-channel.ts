/** Channels of one principal: no other one learns that they are there. */
import { entityTag } from '../../domain/entity-tag.ts';
import type { NotificationChannel } from '../../domain/notification.ts';
import type { Identity } from '../../domain/principal.ts';
import { publishedSigningKeys, type SigningKey } from '../../domain/signing-key.ts';
import type { Product } from '../platform.ts';
import { secretsOf } from './channel-secrets.ts';
import { found } from './own-settings.ts';

export type ChannelFields = Readonly<Record<string, unknown>>;

/** A channel as its owner sees it; the secret that signs is shown when it is made, and never again. */
export interface ShownChannel {
  readonly channel: NotificationChannel;
  readonly tag: string;
  /** Of a webhook with ed25519. */
  readonly publicKeys: readonly { readonly id: string; readonly publicKey: string }[];
  readonly secret?: string;
}

export const KEYS = 'signing_keys';

export function shown(product: Product, channel: NotificationChannel, secret?: string): ShownChannel {
  const keys = keysOf(product, channel);
  return {
    channel,
    tag: entityTag(channel),
    publicKeys: publishedSigningKeys(keys, product.world.clock.now()),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** Only those that a receiver may know are needed; a server without the key of the state shows the rest all the same. */
function keysOf({ workspace }: Product, channel: NotificationChannel): readonly SigningKey[] {
  if (channel.settings['signature'] !== 'ed25519') return [];
  return (secretsOf(channel, workspace.sealer)[KEYS] as readonly SigningKey[] | undefined) ?? [];
}

export async function listChannels(
  product: Product,
  { principalId }: Identity,
): Promise<readonly ShownChannel[]> {
  const own = await product.world.state.notifications.settings('channel', { ownerId: principalId });
  return own.map((channel) => shown(product, channel));
}

export async function findChannel(
  product: Product,
  { principalId: ownerId }: Identity,
  id: string,
): Promise<ShownChannel> {
  const [channel] = await product.world.state.notifications.settings('channel', { id, ownerId });
  return shown(product, found(channel, 'channel', id));
}

import type { ChannelMessage, OpenChannel, SendOutcome } from '../../domain/channel.ts';
import { cloudEventOf } from '../../domain/cloud-event.ts';
import { failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { targetOfChannel } from './channel-secrets.ts';
import { channelReach } from './deliver.ts';
import { findChannel } from './shown-channel.ts';

/** Sends a message that tells of nothing, at once. */
export async function testChannel(
  product: Product,
  asker: Identity,
  id: string,
  { signal, openChannel }: { readonly signal: AbortSignal; readonly openChannel: OpenChannel },
): Promise<SendOutcome> {
  const { channel } = await findChannel(product, asker, id);
  const target = targetOfChannel(channel, product.workspace.sealer);
  if (target === undefined)
    throw failure('notification.not-testable', { name: channel.name, detail: 'an inbox needs no test' });
  if (!channel.isEnabled)
    throw failure('notification.not-testable', { name: channel.name, detail: 'it is not enabled' });
  const at = product.world.clock.now();
  return openChannel(target, channelReach(product)).send(testMessage(product, at), { signal, at });
}

function testMessage(product: Product, at: number): ChannelMessage {
  const id = newId('n', at);
  const event = { sequence: 0, at, event: 'notification.test', data: {} };
  return {
    ...{ id, severity: 'info', links: [], title: `A test from ${product.slug}` },
    text: 'The channel works.',
    body: { kind: 'event', event: cloudEventOf(event, product, id) },
  };
}

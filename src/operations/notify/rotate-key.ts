import { failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { type SigningKey, withRotatedKey } from '../../domain/signing-key.ts';
import { HOUR_MS } from '../../foundation/time/civil.ts';
import type { Product } from '../platform.ts';
import { put } from './change-channel.ts';
import { newKey, secretsOf } from './channel-secrets.ts';
import { stored } from './create-channel.ts';
import { findChannel, KEYS, type ShownChannel } from './shown-channel.ts';

/** A new key signs from now on; those before it sign beside it for as long as receivers need. */
export async function rotateKey(
  product: Product,
  asker: Identity,
  id: string,
  overlapHours: number,
): Promise<ShownChannel> {
  const { channel, tag } = await findChannel(product, asker, id);
  if (channel.kind !== 'webhook')
    throw failure('notification.bad-channel', { detail: 'only a webhook has keys that sign' });
  const { sealer } = product.workspace;
  const now = product.world.clock.now();
  const secrets = secretsOf(channel, sealer);
  const key = newKey(channel.settings, now);
  const keys = withRotatedKey((secrets[KEYS] as readonly SigningKey[] | undefined) ?? [], {
    ...{ key, overlapMs: overlapHours * HOUR_MS },
  });
  const next = {
    ...channel,
    ...stored(product, id, { kind: 'webhook', config: { ...channel.settings, [KEYS]: keys } }, secrets),
    updatedAt: now,
  };
  return put(product, next, [tag], key.algorithm === 'hmac' ? key.secret : undefined);
}

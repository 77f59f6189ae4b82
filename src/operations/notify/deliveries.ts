/** What was sent to the channels of a principal. What targets of config.yaml got is for those who administer the product. */
import type { Delivery, DeliveryStatus } from '../../domain/delivery.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../platform.ts';
import { found } from './own-settings.ts';

/** `config`: those of targets of config.yaml. */
export type Whose = 'own' | 'config';

const ownerOf = (product: Product, asker: Identity, whose: Whose): string | undefined =>
  whose === 'own' ? asker.principalId : permits(asker, 'admin', product) ? '' : undefined;

/** Newest first. */
export async function listDeliveries(
  product: Product,
  asker: Identity,
  {
    whose,
    ...filter
  }: {
    readonly whose: Whose;
    readonly statuses?: readonly DeliveryStatus[];
    readonly subscriber?: string;
    readonly before?: string;
    readonly limit: number;
  },
): Promise<readonly Delivery[]> {
  const ownerId = ownerOf(product, asker, whose);
  return ownerId === undefined ? [] : product.world.state.notifications.deliveries({ ...filter, ownerId });
}

/** Throws `access.not-found`, also for deliveries of others. */
export async function findDelivery(product: Product, asker: Identity, id: string): Promise<Delivery> {
  for (const whose of ['own', 'config'] as const) {
    const ownerId = ownerOf(product, asker, whose);
    if (ownerId === undefined) continue;
    const [delivery] = await product.world.state.notifications.deliveries({ id, ownerId, limit: 1 });
    if (delivery !== undefined) return delivery;
  }
  return found<Delivery>(undefined, 'delivery', id);
}

/** Once more, under the same id: a receiver that had it knows it. One that is under way goes on. */
export async function resend(product: Product, asker: Identity, id: string): Promise<Delivery> {
  await findDelivery(product, asker, id);
  const { clock, state } = product.world;
  await state.notifications.revive({
    ...{ ids: [id], statuses: ['delivered', 'dead', 'suppressed', 'retrying'], now: clock.now() },
  });
  return findDelivery(product, asker, id);
}

const REDRIVEN_MAX = 1_000;

/** Dead letters of the caller, those named or all; answers with the ids of those that are sent again. */
export async function redrive(
  product: Product,
  asker: Identity,
  ids: readonly string[] | undefined,
): Promise<readonly string[]> {
  const { notifications } = product.world.state;
  const dead = { ownerId: asker.principalId, statuses: ['dead'] as const };
  const own =
    ids === undefined
      ? await notifications.deliveries({ ...dead, limit: REDRIVEN_MAX })
      : (await Promise.all(ids.map((id) => notifications.deliveries({ ...dead, id, limit: 1 })))).flat();
  return notifications.revive({
    ...{ ids: own.map(({ id }) => id), statuses: ['dead'], now: product.world.clock.now() },
  });
}

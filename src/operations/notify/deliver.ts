import type { OpenChannel } from '../../domain/channel.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { randomByte } from '../../foundation/random-byte.ts';
import { deliverEvents } from '../../runtime/deliver/deliver-events.ts';
import type { OpenedSubscriber } from '../../runtime/deliver/send-queue.ts';
import { newId } from '../new-id.ts';
import type { Platform, Product } from '../platform.ts';
import { targetOfChannel } from './channel-secrets.ts';
import { type ConfiguredTarget, configuredTargets, openConfigured } from './configured-targets.ts';
import { messageOf } from './message-of.ts';
import { peopleOf } from './people.ts';
import { reachOf } from './reach-of.ts';
import { subscriptionsOf } from './subscriptions-of.ts';

export interface DeliverOptions {
  readonly who: string;
  readonly signal: AbortSignal;
  readonly openChannel: OpenChannel;
  /** A server says which principals count; a worker beside it leaves them to it. */
  readonly claims: boolean;
  /** Where targets of type console write. */
  readonly onConsole: (line: string) => void;
  readonly onProblem: (error: unknown) => void;
}

/** Sends what happens in a product to those who asked to hear of it, until the signal. */
export async function deliver(platform: Platform, product: Product, options: DeliverOptions): Promise<void> {
  const { world } = product;
  const targets = configuredTargets(world.config);
  const home = hash128(
    platform.products
      .map((each) => each.world.state.warehouseId)
      .sort()
      .join(),
  );
  let since: Readonly<Record<string, number>> = {};
  await deliverEvents(
    {
      ...{ state: world.state, clock: world.clock, chance: () => randomByte() / 256 },
      attend: async () => {
        const names = targets.map(({ name }) => name);
        const answer = await world.state.notifications.attend({
          home,
          claims: options.claims,
          targets: names,
        });
        since = answer?.targets ?? {};
        return answer?.sequence;
      },
      subscriptions: async () => {
        const people = await peopleOf(platform, product, world.clock.now());
        const reach = await reachOf(product, undefined);
        const configured = targets.flatMap((target) => {
          const ownerId = target.user === undefined ? '' : people.named(target.user)[0];
          return ownerId === undefined
            ? []
            : [
                {
                  name: target.name,
                  since: since[target.name] ?? Number.MAX_SAFE_INTEGER,
                  ownerId,
                  notifiesOn: target.notifiesOn,
                },
              ];
        });
        return subscriptionsOf(product, { people, reach, configured });
      },
      reachIn: (environment) => reachOf(product, environment),
      open: (subscriber, ownerId) =>
        openSubscriber(platform, product, { subscriber, ownerId, targets, ...options }),
    },
    { holder: newId('w', world.clock.now()), ...options },
  );
}

/** A text says why nothing goes there. */
async function openSubscriber(
  platform: Platform,
  product: Product,
  {
    subscriber,
    ownerId,
    targets,
    openChannel,
    onConsole,
  }: Pick<DeliverOptions, 'openChannel' | 'onConsole'> & {
    readonly subscriber: string;
    readonly ownerId: string;
    readonly targets: readonly ConfiguredTarget[];
  },
): Promise<OpenedSubscriber | string> {
  const { world, workspace } = product;
  const [kind, name = ''] = [
    subscriber.slice(0, subscriber.indexOf(':')),
    subscriber.slice(subscriber.indexOf(':') + 1),
  ];
  const people = await peopleOf(platform, product, world.clock.now());
  if (kind === 'config') {
    const target = targets.find((each) => each.name === name);
    if (target === undefined) return 'config.yaml has no such target any more';
    // The author of config.yaml has the folder, and may see everything in it.
    const reader = ownerId === '' ? people.byId('local-admin') : people.byId(ownerId);
    if (reader === undefined) return 'its user is gone';
    return {
      channel: openConfigured(target, { openChannel, onConsole }),
      message: (deliveries) => messageOf(product, reader, deliveries),
    };
  }
  const reader = people.byId(ownerId);
  if (reader === undefined) return 'its owner is gone';
  const [channel] = await world.state.notifications.settings('channel', { id: name, ownerId });
  if (channel === undefined) return 'the channel was removed';
  if (!channel.isEnabled) return 'the channel is not enabled';
  const target = targetOfChannel(channel, workspace.sealer);
  if (target === undefined) return 'the channel is an inbox';
  return {
    channel: openChannel(target, channelReach(product)),
    message: (deliveries) => messageOf(product, reader, deliveries),
  };
}

/** What the configuration lets channels reach. */
export function channelReach({ world }: Pick<Product, 'world'>): { readonly allowPrivate: boolean } {
  const { webhooks } = world.config.server as { readonly webhooks?: { readonly allow_private?: unknown } };
  return { allowPrivate: webhooks?.allow_private === true };
}

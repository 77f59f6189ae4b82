import type { Channel, ChannelMessage } from '../../domain/channel.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Delivery, DeliveryAttempt, Settlement } from '../../domain/delivery.ts';
import { Failure } from '../../domain/failure.ts';
import type { ClaimedQueue, NotificationStore } from '../../domain/notification-store.ts';
import { retryTime } from './retry-time.ts';

/** A subscriber as it is at the moment of sending. */
export interface OpenedSubscriber {
  readonly channel: Channel;
  /** Made of deliveries that go out together; undefined when the owner may not know of any of them. */
  message(deliveries: readonly Delivery[]): Promise<ChannelMessage | undefined>;
}

/** What sending needs. */
export interface SendingWorld {
  readonly notifications: Pick<NotificationStore, 'settle'>;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly chance: () => number;
  /** A text says why nothing is to be sent there any more. Throws failures that may pass. */
  readonly open: (subscriber: string, ownerId: string) => Promise<OpenedSubscriber | string>;
}

/** A receiver that takes this long gives its place to the next subscriber. */
const SLOW_MS = 5_000;

/** Sends what was claimed of one subscriber, in order, each written down before the next is sent; gives the subscriber back in the end. */
export async function sendQueue(
  world: SendingWorld,
  { subscriber, deliveries }: ClaimedQueue,
  { token, signal }: { readonly token: number; readonly signal: AbortSignal },
): Promise<void> {
  const { notifications, clock } = world;
  const messages = together(deliveries);
  for (const [index, message] of messages.entries()) {
    const began = clock.now();
    const settled = signal.aborted ? undefined : await attempt(world, message, signal);
    const isSlow = clock.now() - began >= SLOW_MS;
    const isLast = settled === undefined || isSlow || index === messages.length - 1;
    const back = isLast ? givenBack(messages.slice(settled === undefined ? index : index + 1).flat()) : [];
    await notifications.settle([...(settled ?? []), ...back], {
      now: clock.now(),
      ...(isLast ? { released: { subscriber, token } } : {}),
    });
    if (isLast) return;
  }
}

/** Those of one batch are one message; each other one is its own. */
function together(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
  return [...Map.groupBy(deliveries, ({ batch, id }) => batch ?? id).values()];
}

const givenBack = (deliveries: readonly Delivery[]): readonly Settlement[] =>
  deliveries.map(({ id, dueAt, attempted }) => ({
    id,
    status: attempted > 0 ? 'retrying' : 'pending',
    ...(dueAt === undefined ? {} : { dueAt }),
  }));

/** Undefined when it was stopped before it was known what became of it. */
async function attempt(
  world: SendingWorld,
  deliveries: readonly Delivery[],
  signal: AbortSignal,
): Promise<readonly Settlement[] | undefined> {
  const [first] = deliveries;
  if (first === undefined) return [];
  const at = world.clock.now();
  const settled = (status: Settlement['status'], attempt: DeliveryAttempt): readonly Settlement[] =>
    deliveries.map(({ id }) => ({ id, status, attempt }));
  try {
    const opened = await world.open(first.subscriber, first.ownerId);
    if (typeof opened === 'string')
      return settled('suppressed', { at, outcome: 'suppressed', reason: opened });
    const message = await opened.message(deliveries);
    if (message === undefined)
      return settled('suppressed', { at, outcome: 'suppressed', reason: 'its owner may not know of it' });
    const outcome = await opened.channel.send(message, { signal, at });
    if (outcome.kind === 'delivered') {
      const { status, detail } = outcome;
      return settled('delivered', { at, outcome: 'delivered', status, ...(detail && { reason: detail }) });
    }
    if (signal.aborted) return undefined;
    return failedAt(world, deliveries, { ...outcome, at });
  } catch (error) {
    if (!(error instanceof Failure) || error.code.startsWith('state.')) throw error;
    return failedAt(world, deliveries, { at, reason: `${error.code}: ${error.message}`, isPermanent: false });
  }
}

function failedAt(
  { clock, chance }: SendingWorld,
  deliveries: readonly Delivery[],
  {
    at,
    status,
    reason,
    retryAfterMs,
    isPermanent,
  }: {
    readonly at: number;
    readonly status?: number;
    readonly reason: string;
    readonly retryAfterMs?: number;
    readonly isPermanent: boolean;
  },
): readonly Settlement[] {
  const attempt: DeliveryAttempt = {
    at,
    outcome: 'failed',
    reason,
    ...(status === undefined ? {} : { status }),
  };
  return deliveries.map(({ id, attempted }): Settlement => {
    const dueAt = isPermanent
      ? undefined
      : retryTime(attempted + 1, { now: clock.now(), chance: chance(), retryAfterMs });
    return dueAt === undefined ? { id, status: 'dead', attempt } : { id, status: 'retrying', dueAt, attempt };
  });
}

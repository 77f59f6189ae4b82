import { hash128 } from '../foundation/hash128.ts';
import type { StoredEvent } from './event.ts';
import type { EventSeverity } from './event-types.ts';

export const DELIVERY_STATUSES = [
  'pending',
  'sending',
  'retrying',
  'delivered',
  'dead',
  'suppressed',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One try to send. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly outcome: 'delivered' | 'failed' | 'suppressed';
  readonly status?: number;
  readonly reason?: string;
}

/** One event on its way to one subscriber. What is sent is made when it is sent. */
export interface Delivery {
  /** The same for all attempts; begins with the sequence, so ids sort by it. */
  readonly id: string;
  readonly sequence: number;
  readonly event: string;
  readonly severity: EventSeverity;
  /** `channel:<id>`, or `config:<name>` for a target of config.yaml. */
  readonly subscriber: string;
  /** The principal whose rights count; empty for targets of config.yaml, which are the product's. */
  readonly ownerId: string;
  readonly status: DeliveryStatus;
  /** Until then it waits; absent: it goes in its turn. */
  readonly dueAt?: number;
  /** Deliveries of one subscriber with the same batch are one message. */
  readonly batch?: number;
  readonly createdAt: number;
  readonly finishedAt?: number;
  /** The last ones, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** How many there were. */
  readonly attempted: number;
}

/** As the fan-out makes it. */
export type NewDelivery = Pick<
  Delivery,
  'id' | 'sequence' | 'event' | 'severity' | 'subscriber' | 'ownerId' | 'dueAt' | 'batch'
>;

/** One event in the inbox of one principal; its words are made when it is read. */
export interface InboxItem {
  readonly id: string;
  readonly principalId: string;
  readonly sequence: number;
  readonly at: number;
  readonly severity: EventSeverity;
  /** Keys of targets through which it came, `owner`, or `rule:<id>`. */
  readonly because: readonly string[];
  readonly readAt?: number;
}

export type NewInboxItem = Omit<InboxItem, 'readAt'>;

/** What became of an attempt, or of a delivery that needs none. */
export interface Settlement {
  readonly id: string;
  readonly status: 'delivered' | 'retrying' | 'dead' | 'suppressed' | 'pending';
  readonly dueAt?: number;
  /** Absent: it is given back as it was. */
  readonly attempt?: DeliveryAttempt;
}

/** Attempts that are kept of one delivery. */
export const ATTEMPTS_KEPT = 20;

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Made of product, event and subscriber, so that it is the same however often it is made. The time tells events of a rebuilt state from those before. */
export function deliveryId(
  product: string,
  { sequence, at }: Pick<StoredEvent, 'sequence' | 'at'>,
  subscriber: string,
): string {
  let ordered = '';
  for (let rest = sequence, i = 0; i < 10; i++, rest = Math.floor(rest / 32))
    ordered = DIGITS[rest % 32] + ordered;
  return `n_${ordered}${hash128(JSON.stringify([product, sequence, at, subscriber])).slice(0, 16)}`;
}

export const inboxOf = (principalId: string): string => `inbox:${principalId}`;
export const channelSubscriber = (channelId: string): string => `channel:${channelId}`;

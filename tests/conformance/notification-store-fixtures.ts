/** Settings and deliveries to store. */
import {
  channelSubscriber,
  deliveryId,
  inboxOf,
  type NewDelivery,
  type NewInboxItem,
} from '../../src/domain/delivery.ts';
import { type Follower, followerId } from '../../src/domain/follower.ts';
import type { NotificationChannel, NotificationRule } from '../../src/domain/notification.ts';

export function channelNamed(id: string, more: Partial<NotificationChannel> = {}): NotificationChannel {
  return {
    ...{ id, ownerId: 'u_ada', name: id, kind: 'webhook', isEnabled: true, createdAt: 1, updatedAt: 1 },
    settings: { url: 'https://example.org/hook' },
    sealed: 'sealed',
    ...more,
  };
}

export function ruleNamed(id: string, more: Partial<NotificationRule> = {}): Omit<NotificationRule, 'since'> {
  return {
    ...{ id, ownerId: 'u_ada', name: id, isEnabled: true, createdAt: 1, updatedAt: 1 },
    filter: { events: ['dq.*'] },
    audience: { channels: ['n_1'] },
    timing: 'immediate',
    ...more,
  };
}

export function followerOf(
  name: string,
  target: string,
  more: Partial<Follower> = {},
): Omit<Follower, 'since'> {
  const party = { kind: 'user', name } as const;
  return {
    ...{ id: followerId(party, target), ownerId: `u_${name}`, party, target },
    ...{ minSeverity: 'warning', createdAt: 1, updatedAt: 1 },
    ...more,
  };
}

export function deliveryTo(channel: string, sequence: number, more: Partial<NewDelivery> = {}): NewDelivery {
  const subscriber = channelSubscriber(channel);
  return {
    id: deliveryId('acme-shop', { sequence, at: 1 }, subscriber),
    ...{ sequence, event: 'dq.failed', severity: 'error', subscriber, ownerId: 'u_ada' },
    ...more,
  };
}

export function inboxItemFor(name: string, sequence: number): NewInboxItem {
  const principalId = `u_${name}`;
  return {
    id: deliveryId('acme-shop', { sequence, at: 1 }, inboxOf(principalId)),
    ...{ principalId, sequence, at: sequence, severity: 'error', because: ['model:a.one'] },
  };
}

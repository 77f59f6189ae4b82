import { cloudEventOf } from '../../../domain/cloud-event.ts';
import type { Delivery } from '../../../domain/delivery.ts';
import type { Follower } from '../../../domain/follower.ts';
import type { EventFilter, NotificationRule, QuietHours } from '../../../domain/notification.ts';
import { isoInstant, isoInstantOrNull } from '../../../foundation/time/iso.ts';
import type { ShownItem } from '../../../operations/notify/inbox.ts';
import type { WrittenPreference } from '../../../operations/notify/preferences.ts';
import type { ShownChannel } from '../../../operations/notify/shown-channel.ts';
import type { Product } from '../../../operations/platform.ts';

export const channelBody = ({ channel, publicKeys, secret }: ShownChannel) => ({
  id: channel.id,
  name: channel.name,
  kind: channel.kind,
  enabled: channel.isEnabled,
  config: channel.settings,
  public_keys: publicKeys.map(({ id, publicKey }) => ({ id, public_key: publicKey })),
  created_at: isoInstant(channel.createdAt),
  updated_at: isoInstant(channel.updatedAt),
  ...(secret === undefined ? {} : { secret }),
});

export const notificationRuleBody = (rule: NotificationRule) => ({
  id: rule.id,
  name: rule.name,
  enabled: rule.isEnabled,
  filter: filterBody(rule.filter),
  audience: rule.audience,
  timing: rule.timing,
  quiet_hours: rule.quietHours ?? null,
  created_at: isoInstant(rule.createdAt),
  updated_at: isoInstant(rule.updatedAt),
});

const filterBody = ({ minSeverity, ...filter }: EventFilter) => ({
  ...filter,
  ...(minSeverity === undefined ? {} : { min_severity: minSeverity }),
});

interface WrittenFilter extends Omit<EventFilter, 'minSeverity'> {
  readonly min_severity?: NonNullable<EventFilter['minSeverity']>;
}

/** A rule as callers write it; fields that are absent stay absent. */
export interface RuleBody {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly filter?: WrittenFilter;
  readonly audience?: NotificationRule['audience'];
  readonly timing?: NotificationRule['timing'];
  readonly quiet_hours?: QuietHours;
}

export const ruleFrom = ({ name, enabled, filter, audience, timing, quiet_hours: quietHours }: RuleBody) => ({
  ...(name === undefined ? {} : { name }),
  ...(enabled === undefined ? {} : { isEnabled: enabled }),
  ...(filter === undefined ? {} : { filter: filterFrom(filter) }),
  ...(audience === undefined ? {} : { audience }),
  ...(timing === undefined ? {} : { timing }),
  ...(quietHours === undefined ? {} : { quietHours }),
});

const filterFrom = ({ min_severity: minSeverity, ...filter }: WrittenFilter): EventFilter => ({
  ...filter,
  ...(minSeverity === undefined ? {} : { minSeverity }),
});

export function deliveryBody(delivery: Delivery) {
  const { subscriber } = delivery;
  const name = subscriber.slice(subscriber.indexOf(':') + 1);
  const isChannel = subscriber.startsWith('channel:');
  return {
    ...{ id: delivery.id, sequence: delivery.sequence, event: delivery.event, severity: delivery.severity },
    channel_id: isChannel ? name : null,
    target: isChannel ? null : name,
    status: delivery.status,
    due_at: isoInstantOrNull(delivery.dueAt),
    created_at: isoInstant(delivery.createdAt),
    finished_at: isoInstantOrNull(delivery.finishedAt),
    attempted: delivery.attempted,
    attempts: delivery.attempts.map(({ at, outcome, status, reason }) => ({
      at: isoInstant(at),
      outcome,
      status: status ?? null,
      reason: reason ?? null,
    })),
  };
}

export const inboxItemBody = ({ item, event, title, text }: ShownItem, product: Product) => ({
  ...{ id: item.id, title, text, severity: item.severity, because: item.because },
  at: isoInstant(item.at),
  read_at: isoInstantOrNull(item.readAt),
  event: cloudEventOf(event, product, item.id),
});

export const preferenceBody = ({ minSeverity, muted, channels, timing, quietHours }: WrittenPreference) => ({
  min_severity: minSeverity ?? null,
  muted,
  channels,
  timing,
  quiet_hours: quietHours ?? null,
});

export const followerBody = ({
  party,
  target,
  events,
  channels,
  minSeverity,
  createdAt,
  updatedAt,
}: Follower) => ({
  follower: party,
  target,
  events: events ?? null,
  channels: channels ?? null,
  min_severity: minSeverity,
  created_at: isoInstant(createdAt),
  updated_at: isoInstant(updatedAt),
});

/*
 * Who hears of one event, and when:
 *
 *   rule ─▶ channels of its owner · owners of the product and of what is hit · followers of what is hit
 *   follower of what is hit ─▶ their channels, or the inbox of each member and what their preference adds
 *   target of config.yaml
 *
 * A subscriber gets an event once, however many ways lead to it, at the earliest of their times.
 */
import {
  channelSubscriber,
  deliveryId,
  inboxOf,
  type NewDelivery,
  type NewInboxItem,
} from '../../domain/delivery.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { reaches } from '../../domain/event-types.ts';
import type { Follower, FollowingParty } from '../../domain/follower.ts';
import type {
  NotificationChannel,
  NotificationPreference,
  NotificationRule,
  QuietHours,
  Timing,
} from '../../domain/notification.ts';
import { severityOf } from '../../domain/severity-of.ts';
import { type DueTime, dueTime } from './due-time.ts';
import { fitsOne, isInEnvironments, passesFilter } from './event-filter.ts';
import type { Distance } from './reach.ts';

/** A target of config.yaml: it belongs to the product, or to one of its users. */
export interface ConfiguredSubscriber {
  /** Of the target; it stays the same while the target does. */
  readonly name: string;
  /** The last event before it was first seen. */
  readonly since: number;
  /** Empty: the product. */
  readonly ownerId: string;
  readonly notifiesOn: (event: StoredEvent) => boolean;
}

/** Everything that was set up, and who is who. */
export interface Subscriptions {
  /** The product: ids are made of it. */
  readonly product: string;
  readonly defaultEnvironment: string;
  readonly channels: ReadonlyMap<string, NotificationChannel>;
  readonly rules: readonly NotificationRule[];
  readonly followers: readonly Follower[];
  /** By principal. */
  readonly preferences: ReadonlyMap<string, NotificationPreference>;
  readonly configured: readonly ConfiguredSubscriber[];
  /** Principals of a group. */
  readonly membersOf: (group: string) => readonly string[];
  /** Principals that own the product, or what one of these keys names. */
  readonly ownersOf: (targets: Iterable<string>) => readonly string[];
}

export interface FannedOut {
  readonly deliveries: readonly NewDelivery[];
  readonly inbox: readonly NewInboxItem[];
}

/** `targets`: what the event hits. The same event gives the same ids. */
export function fanOutEvent(
  event: StoredEvent,
  {
    subscriptions,
    targets,
    now,
  }: {
    readonly subscriptions: Subscriptions;
    readonly targets: ReadonlyMap<string, Distance>;
    readonly now: number;
  },
): FannedOut {
  const out = new Receivers(event, subscriptions, now);
  for (const { name, since, ownerId, notifiesOn } of subscriptions.configured)
    if (event.sequence > since && notifiesOn(event)) out.deliver(`config:${name}`, ownerId, {});
  for (const rule of subscriptions.rules)
    if (rule.isEnabled && event.sequence > rule.since) addRule(out, rule, targets);
  if (isInEnvironments(event, [subscriptions.defaultEnvironment]))
    for (const follower of subscriptions.followers)
      if (hears(follower, event, targets)) out.toFollower(follower, [follower.target]);
  return out;
}

function addRule(
  out: Receivers,
  { id, ownerId, filter, audience, ...how }: NotificationRule,
  targets: ReadonlyMap<string, Distance>,
): void {
  const { event, subscriptions } = out;
  if (!passesFilter(event, filter, subscriptions.defaultEnvironment)) return;
  const because = [`rule:${id}`];
  for (const channel of audience.channels ?? []) out.toChannel(channel, ownerId, { how, because });
  if (audience.owners === true)
    for (const owner of subscriptions.ownersOf(targets.keys())) out.toPrincipal(owner, ['owner', ...because]);
  if (audience.followers === true)
    for (const follower of subscriptions.followers)
      if (targets.has(follower.target) && reaches(severityOf(event), follower.minSeverity))
        out.toFollower(follower, [follower.target, ...because]);
}

const hears = (
  { since, target, events, minSeverity }: Follower,
  event: StoredEvent,
  targets: ReadonlyMap<string, Distance>,
): boolean =>
  event.sequence > since &&
  targets.has(target) &&
  reaches(severityOf(event), minSeverity) &&
  (events === undefined || fitsOne(event.event, events));

interface How {
  readonly timing: Timing;
  readonly quietHours?: QuietHours;
}

/** Those who hear of one event, each once. */
class Receivers implements FannedOut {
  readonly event: StoredEvent;
  readonly subscriptions: Subscriptions;
  readonly #now: number;
  readonly #deliveries = new Map<string, NewDelivery>();
  readonly #inbox = new Map<string, NewInboxItem>();

  constructor(event: StoredEvent, subscriptions: Subscriptions, now: number) {
    this.event = event;
    this.subscriptions = subscriptions;
    this.#now = now;
  }

  get deliveries(): readonly NewDelivery[] {
    return [...this.#deliveries.values()];
  }

  get inbox(): readonly NewInboxItem[] {
    return [...this.#inbox.values()];
  }

  deliver(subscriber: string, ownerId: string, due: DueTime): void {
    const before = this.#deliveries.get(subscriber);
    if (before !== undefined && (before.dueAt ?? 0) <= (due.dueAt ?? 0)) return;
    const { sequence, event } = this.event;
    this.#deliveries.set(subscriber, {
      id: deliveryId(this.subscriptions.product, this.event, subscriber),
      ...{ sequence, event, severity: severityOf(this.event), subscriber, ownerId },
      ...due,
    });
  }

  /** Only one of the owner's own, as long as it is there and enabled. */
  toChannel(
    id: string,
    ownerId: string,
    { how, because }: { readonly how: How; readonly because: readonly string[] },
  ): void {
    const channel = this.subscriptions.channels.get(id);
    if (channel === undefined || !channel.isEnabled || channel.ownerId !== ownerId) return;
    if (channel.kind === 'inbox') this.#toInbox(ownerId, because);
    else this.deliver(channelSubscriber(id), ownerId, dueTime(severityOf(this.event), how, this.#now));
  }

  toFollower({ party, ownerId, channels }: Follower, because: readonly string[]): void {
    if (channels === undefined)
      for (const principal of this.#principals(party, ownerId)) this.toPrincipal(principal, because);
    else if (!this.#isMuted(ownerId))
      for (const id of channels) this.toChannel(id, ownerId, { how: this.#howOf(ownerId), because });
  }

  /** As their preference says; the inbox at least. */
  toPrincipal(principalId: string, because: readonly string[]): void {
    if (this.#isMuted(principalId)) return;
    this.#toInbox(principalId, because);
    for (const id of this.subscriptions.preferences.get(principalId)?.channels ?? [])
      this.toChannel(id, principalId, { how: this.#howOf(principalId), because });
  }

  #principals(party: FollowingParty, ownerId: string): readonly string[] {
    return party.kind === 'group' ? this.subscriptions.membersOf(party.name) : [ownerId];
  }

  #howOf(principalId: string): How {
    return this.subscriptions.preferences.get(principalId) ?? { timing: 'immediate' };
  }

  #isMuted(principalId: string): boolean {
    const { muted = [], minSeverity = 'info' } = this.subscriptions.preferences.get(principalId) ?? {};
    return fitsOne(this.event.event, muted) || !reaches(severityOf(this.event), minSeverity);
  }

  #toInbox(principalId: string, because: readonly string[]): void {
    const { sequence, at } = this.event;
    const before = this.#inbox.get(principalId)?.because ?? [];
    this.#inbox.set(principalId, {
      id: deliveryId(this.subscriptions.product, this.event, inboxOf(principalId)),
      ...{ principalId, sequence, at, severity: severityOf(this.event) },
      because: [...new Set([...before, ...because])],
    });
  }
}

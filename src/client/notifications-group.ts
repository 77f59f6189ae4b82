import { requiredSegment } from './data-product-error.ts';
import type { AnyRecord, Page } from './records.ts';
import { change, many, one, type PageOptions, remove } from './resource-requests.ts';
import type { Transport } from './transport.ts';

/** Channels, rules, deliveries, the inbox, events to be pulled. */
export class NotificationsGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page of the caller's own channels. */
  async listChannels(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['notifications', 'channels'], options));
  }

  /** A new channel: `name`, `kind` and `config`. The key that signs its messages is in the answer, this once. */
  async createChannel(body: object): Promise<AnyRecord> {
    return this.#transport.send(change(['notifications', 'channels'], { accepted: 201, body }));
  }

  /** One channel. */
  async getChannel(channelId: string): Promise<AnyRecord> {
    return this.#transport.send(one(['notifications', 'channels', requiredSegment('channelId', channelId)]));
  }

  /** Changes name, config and whether it is enabled; secrets that are not written stay. */
  async putChannel(channelId: string, body: object): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'channels', requiredSegment('channelId', channelId)], {
        accepted: 200,
        body,
        method: 'PUT',
      }),
    );
  }

  /** Changes some of name, config and whether it is enabled. */
  async changeChannel(channelId: string, body: object): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'channels', requiredSegment('channelId', channelId)], {
        accepted: 200,
        body,
        method: 'PATCH',
      }),
    );
  }

  /** Removes a channel. */
  async deleteChannel(channelId: string): Promise<void> {
    return this.#transport.send(
      remove(['notifications', 'channels', requiredSegment('channelId', channelId)]),
    );
  }

  /** Sends a message that tells of nothing, at once. */
  async testChannel(channelId: string): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'channels', requiredSegment('channelId', channelId), 'test'], {
        accepted: 200,
        body: {},
      }),
    );
  }

  /** A new key signs from now on; earlier ones sign beside it for `overlap_hours`. */
  async rotateChannelKey(channelId: string, body: object = {}): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'channels', requiredSegment('channelId', channelId), 'rotate'], {
        accepted: 200,
        body,
      }),
    );
  }

  /** One page of the caller's own rules. */
  async listNotificationRules(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['notifications', 'rules'], options));
  }

  /** A new rule: `name`, `audience`, and what it filters. */
  async createNotificationRule(body: object): Promise<AnyRecord> {
    return this.#transport.send(change(['notifications', 'rules'], { accepted: 201, body }));
  }

  /** What a rule would have sent lately. */
  async previewNotificationRule(body: object): Promise<AnyRecord> {
    return this.#transport.send(change(['notifications', 'rules', 'preview'], { accepted: 200, body }));
  }

  /** One rule. */
  async getNotificationRule(ruleId: string): Promise<AnyRecord> {
    return this.#transport.send(one(['notifications', 'rules', requiredSegment('ruleId', ruleId)]));
  }

  /** Changes a rule; fields that are absent stay. */
  async putNotificationRule(ruleId: string, body: object): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'rules', requiredSegment('ruleId', ruleId)], {
        accepted: 200,
        body,
        method: 'PUT',
      }),
    );
  }

  /** Changes some of a rule. */
  async changeNotificationRule(ruleId: string, body: object): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'rules', requiredSegment('ruleId', ruleId)], {
        accepted: 200,
        body,
        method: 'PATCH',
      }),
    );
  }

  /** Removes a rule. */
  async deleteNotificationRule(ruleId: string): Promise<void> {
    return this.#transport.send(remove(['notifications', 'rules', requiredSegment('ruleId', ruleId)]));
  }

  /** One page of what was sent to the channels of the caller, newest first. */
  async listDeliveries({
    status,
    channelId,
    source,
    ...options
  }: PageOptions & {
    readonly status?: string;
    readonly channelId?: string;
    readonly source?: string;
  } = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(
      many(['notifications', 'deliveries'], { ...options, status, channel_id: channelId, source }),
    );
  }

  /** One delivery with its attempts. */
  async getDelivery(deliveryId: string): Promise<AnyRecord> {
    return this.#transport.send(
      one(['notifications', 'deliveries', requiredSegment('deliveryId', deliveryId)]),
    );
  }

  /** Sends it once more, under the same id. */
  async resendDelivery(deliveryId: string): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'deliveries', requiredSegment('deliveryId', deliveryId), 'resend'], {
        accepted: 202,
        body: {},
      }),
    );
  }

  /** One page of the deliveries that were given up. */
  async listDeadLetters({
    channelId,
    source,
    ...options
  }: PageOptions & { readonly channelId?: string; readonly source?: string } = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(
      many(['notifications', 'dead-letter'], { ...options, channel_id: channelId, source }),
    );
  }

  /** Sends dead letters once more: those in `ids`, or the newest thousand. */
  async redriveDeadLetters(body: object = {}): Promise<AnyRecord> {
    return this.#transport.send(change(['notifications', 'dead-letter', 'redrive'], { accepted: 202, body }));
  }

  /** Events behind a cursor, oldest first; `next_cursor` is there at the end of the log too. */
  async pullEvents(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['notifications', 'events'], options));
  }

  /** One page of the caller's inbox, newest first. */
  async listInbox({
    unread,
    ...options
  }: PageOptions & { readonly unread?: boolean } = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['notifications', 'inbox'], { ...options, unread }));
  }

  /** Marks items as read: those in `ids`, or all `up_to` one. */
  async markInboxRead(body: object): Promise<AnyRecord> {
    return this.#transport.send(change(['notifications', 'inbox', 'read'], { accepted: 200, body }));
  }

  /** What the caller wants to hear of all that they follow and own. */
  async getPreferences(): Promise<AnyRecord> {
    return this.#transport.send(one(['notifications', 'preferences']));
  }

  /** Replaces the preferences. */
  async putPreferences(body: object): Promise<AnyRecord> {
    return this.#transport.send(
      change(['notifications', 'preferences'], { accepted: 200, body, method: 'PUT' }),
    );
  }

  /** Every type of event, with its severity. */
  async listEventTypes(options: PageOptions = {}): Promise<Page<AnyRecord>> {
    return this.#transport.send(many(['notifications', 'event-types'], options));
  }
}

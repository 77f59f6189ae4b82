/** What was sent, the inbox, preferences, and events to be pulled. */

import { cloudEventOf } from '../../../domain/cloud-event.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../domain/delivery.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { EVENT_TYPES } from '../../../domain/event-types.ts';
import type { QuietHours } from '../../../domain/notification.ts';
import { activityView } from '../../../operations/catalog/activity-view.ts';
import { findDelivery, listDeliveries, redrive, resend } from '../../../operations/notify/deliveries.ts';
import { markRead, readInbox, unreadCount } from '../../../operations/notify/inbox.ts';
import {
  changePreferences,
  preferencesOf,
  type WrittenPreference,
} from '../../../operations/notify/preferences.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { newestFirst, pageOf } from '../answers/newest-first.ts';
import { deliveryBody, inboxItemBody, preferenceBody } from '../answers/notification-body.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY, page } from '../answers/page.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { EVENT_SCHEMA } from '../schemas/event-schema.ts';
import {
  DELIVERY,
  EVENT_TYPE,
  INBOX,
  PREFERENCE_BODY,
  PREFERENCES,
  READ_ANSWER,
  READ_BODY,
  REDRIVE_BODY,
  REDRIVEN,
} from '../schemas/notification-schemas.ts';

type ProductRoute = Route<ProductCall>;

const managed = { tag: 'notifications', access: 'notifications:manage' } as const;
const own = { tag: 'notifications', access: 'metadata:read' } as const;
const SOURCE: JsonSchema = {
  type: 'string',
  enum: ['own', 'config'],
  description: 'own channels when absent; config: targets of config.yaml, for owners of the product',
};

async function deliveriesOf(
  call: ProductCall,
  statuses: readonly DeliveryStatus[] | undefined,
): Promise<unknown> {
  const { product, identity, query } = call;
  const channel = query['channel_id'];
  const found = await listDeliveries(product, identity, {
    ...pageOf(query),
    whose: query['source'] === 'config' ? 'config' : 'own',
    ...(statuses === undefined ? {} : { statuses }),
    ...(typeof channel === 'string' ? { subscriber: `channel:${channel}` } : {}),
  });
  const { shown, next } = newestFirst(found, query);
  return { items: shown.map(deliveryBody), next_cursor: next };
}

const CHANNEL_ID: JsonSchema = { type: 'string', minLength: 1, maxLength: 100 };

const deliveryRoutes: readonly ProductRoute[] = [
  {
    ...managed,
    method: 'GET',
    path: '/notifications/deliveries',
    operationId: 'listDeliveries',
    summary: 'What was sent to the channels of the caller, newest first',
    query: {
      ...PAGE_QUERY,
      status: { type: 'string', enum: DELIVERY_STATUSES },
      channel_id: CHANNEL_ID,
      source: SOURCE,
    },
    answers: { 200: { description: 'deliveries', schema: listSchemaOf(DELIVERY) } },
    handle: (call) => {
      const { status } = call.query;
      return deliveriesOf(call, status === undefined ? undefined : [status as DeliveryStatus]);
    },
  },
  {
    ...managed,
    method: 'GET',
    path: '/notifications/deliveries/{id}',
    operationId: 'getDelivery',
    summary: 'One delivery with its attempts',
    answers: { 200: { description: 'the delivery', schema: DELIVERY } },
    handle: async ({ product, identity, path }) =>
      deliveryBody(await findDelivery(product, identity, path['id'] ?? '')),
  },
  {
    ...managed,
    method: 'POST',
    path: '/notifications/deliveries/{id}/resend',
    operationId: 'resendDelivery',
    summary: 'Send it once more, under the same id',
    hasOptionalBody: true,
    body: { type: 'object', additionalProperties: false, properties: {} },
    answers: { 202: { description: 'it waits for its turn', schema: DELIVERY } },
    handle: async ({ product, identity, path, reply }) => {
      const delivery = await resend(product, identity, path['id'] ?? '');
      reply.code(202);
      return deliveryBody(delivery);
    },
  },
  {
    ...managed,
    method: 'GET',
    path: '/notifications/dead-letter',
    operationId: 'listDeadLetters',
    summary: 'Deliveries that were given up',
    query: { ...PAGE_QUERY, channel_id: CHANNEL_ID, source: SOURCE },
    answers: { 200: { description: 'deliveries', schema: listSchemaOf(DELIVERY) } },
    handle: (call) => deliveriesOf(call, ['dead']),
  },
  {
    ...managed,
    method: 'POST',
    path: '/notifications/dead-letter/redrive',
    operationId: 'redriveDeadLetters',
    summary: 'Send dead letters once more: those named, or the newest thousand',
    hasOptionalBody: true,
    body: REDRIVE_BODY,
    answers: { 202: { description: 'those that wait for their turn', schema: REDRIVEN } },
    handle: async ({ product, identity, body, reply }) => {
      const { ids } = (body ?? {}) as { readonly ids?: readonly string[] };
      const sent = await redrive(product, identity, ids);
      reply.code(202);
      return { ids: sent };
    },
  },
];

const inboxRoutes: readonly ProductRoute[] = [
  {
    ...own,
    method: 'GET',
    path: '/notifications/inbox',
    operationId: 'listInbox',
    summary: "The caller's inbox, newest first",
    query: { ...PAGE_QUERY, unread: { type: 'boolean' } },
    answers: { 200: { description: 'items, as much of them as the caller may know now', schema: INBOX } },
    handle: async ({ product, identity, query }) => {
      const isUnread = query['unread'];
      const found = await readInbox(product, identity, {
        ...pageOf(query),
        ...(typeof isUnread === 'boolean' && isUnread ? { isUnread } : {}),
      });
      const { shown, next } = newestFirst(
        found.map((each) => ({ ...each, id: each.item.id })),
        query,
      );
      return {
        items: shown.map((each) => inboxItemBody(each, product)),
        next_cursor: next,
        unread: await unreadCount(product, identity),
      };
    },
  },
  {
    ...own,
    method: 'POST',
    path: '/notifications/inbox/read',
    operationId: 'markInboxRead',
    summary: 'Mark items of the inbox as read: those named, or all up to one',
    body: READ_BODY,
    canRepeat: true,
    answers: { 200: { description: 'how many were marked', schema: READ_ANSWER } },
    handle: async ({ product, identity, body }) => {
      const { ids, up_to: upTo } = body as { readonly ids?: readonly string[]; readonly up_to?: string };
      const marked = await markRead(product, identity, {
        ...(ids === undefined ? {} : { ids }),
        ...(upTo === undefined ? {} : { upTo }),
      });
      return { marked, unread: await unreadCount(product, identity) };
    },
  },
  {
    ...own,
    method: 'GET',
    path: '/notifications/preferences',
    operationId: 'getPreferences',
    summary: 'What the caller wants to hear of all that they follow and own',
    answers: { 200: { description: 'preferences', schema: PREFERENCES } },
    handle: async ({ product, identity }) => preferenceBody(await preferencesOf(product, identity)),
  },
  {
    ...own,
    method: 'PUT',
    path: '/notifications/preferences',
    operationId: 'putPreferences',
    summary: 'Replace the preferences of the caller',
    body: PREFERENCE_BODY,
    answers: { 200: { description: 'preferences after the change', schema: PREFERENCES } },
    handle: async ({ product, identity, body }) => {
      const written = body as Partial<Pick<WrittenPreference, 'muted' | 'channels' | 'timing'>> & {
        readonly min_severity?: NonNullable<WrittenPreference['minSeverity']>;
        readonly quiet_hours?: QuietHours;
      };
      const { muted = [], channels = [], timing = 'immediate' } = written;
      const { min_severity: minSeverity, quiet_hours: quietHours } = written;
      const next: WrittenPreference = {
        ...{ muted, channels, timing },
        ...(minSeverity === undefined ? {} : { minSeverity }),
        ...(quietHours === undefined ? {} : { quietHours }),
      };
      return preferenceBody(await changePreferences(product, identity, next));
    },
  },
];

const eventRoutes: readonly ProductRoute[] = [
  {
    ...own,
    method: 'GET',
    path: '/notifications/event-types',
    operationId: 'listEventTypes',
    summary: 'Every type of event, with its severity',
    query: PAGE_QUERY,
    answers: { 200: { description: 'types', schema: listSchemaOf(EVENT_TYPE) } },
    handle: async ({ query }) =>
      page(
        Object.entries(EVENT_TYPES)
          .map(([name, { severity, words, spreads }]) => ({
            name,
            severity,
            description: words,
            spreads: spreads === true,
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
        { query, keyOf: ({ name }) => name },
      ),
  },
  {
    tag: 'notifications',
    access: 'activity:read',
    method: 'GET',
    path: '/notifications/events',
    operationId: 'pullEvents',
    summary:
      'Events behind a cursor, oldest first; the cursor is there at the end of the log too, to go on from',
    query: PAGE_QUERY,
    answers: { 200: { description: 'events', schema: listSchemaOf(EVENT_SCHEMA) } },
    handle: async ({ product, identity, query }) => {
      const from = afterOf(query) ?? '0';
      if (!/^\d{1,15}$/.test(from)) throw new Problem(400, diagnostic('http.bad-cursor', {}));
      const events = await product.world.state.events.events({ after: Number(from), limit: limitOf(query) });
      const view = await activityView(product, identity, { events });
      return {
        items: events.flatMap((event) => {
          const seen = view.event(event);
          return seen === undefined ? [] : cloudEventOf(seen, product);
        }),
        next_cursor: cursorOf(String(events.at(-1)?.sequence ?? from)),
      };
    },
  },
];

export const notificationRoutes: readonly ProductRoute[] = [
  ...deliveryRoutes,
  ...inboxRoutes,
  ...eventRoutes,
];

/** Channels and rules of the caller. */
import { cloudEventOf } from '../../../domain/cloud-event.ts';
import type { ChannelKind } from '../../../domain/notification.ts';
import { severityOf } from '../../../domain/severity-of.ts';
import { changeChannel } from '../../../operations/notify/change-channel.ts';
import { createChannel } from '../../../operations/notify/create-channel.ts';
import { previewOwnRule } from '../../../operations/notify/preview-own-rule.ts';
import { removeChannel } from '../../../operations/notify/remove-channel.ts';
import { rotateKey } from '../../../operations/notify/rotate-key.ts';
import {
  changeRule,
  createRule,
  findRule,
  listRules,
  removeRule,
  ruleTag,
} from '../../../operations/notify/rules.ts';
import { findChannel, listChannels, type ShownChannel } from '../../../operations/notify/shown-channel.ts';
import { testChannel } from '../../../operations/notify/test-channel.ts';
import { openChannel } from '../../../operations/workspace.ts';
import { expectedOf, showTag } from '../answers/conditional.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { channelBody, notificationRuleBody, type RuleBody, ruleFrom } from '../answers/notification-body.ts';
import { PAGE_QUERY, page } from '../answers/page.ts';
import type { ProductCall, Route } from '../route.ts';
import {
  CHANNEL,
  CHANNEL_CHANGE,
  NEW_CHANNEL,
  NEW_RULE,
  NOTIFICATION_RULE,
  PREVIEW,
  PREVIEW_BODY,
  RULE_CHANGE,
  TESTED,
} from '../schemas/notification-schemas.ts';

type ProductRoute = Route<ProductCall>;

const about = { tag: 'notifications', access: 'notifications:manage' } as const;
const CHANNELS = '/notifications/channels';
const RULES = '/notifications/rules';
const idOf = ({ path }: ProductCall): string => path['id'] ?? '';

interface ChannelBody {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly enabled?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
}

function shownChannel(call: ProductCall, channel: ShownChannel): unknown {
  showTag(call, channel.tag);
  return channelBody(channel);
}

const changed = async (call: ProductCall): Promise<unknown> => {
  const { name, enabled, config } = call.body as Partial<ChannelBody>;
  const change = { name, config, isEnabled: enabled, expected: expectedOf(call) };
  return shownChannel(call, await changeChannel(call.product, call.identity, idOf(call), change));
};

export const channelRoutes: readonly ProductRoute[] = [
  {
    ...about,
    method: 'GET',
    path: CHANNELS,
    operationId: 'listChannels',
    summary: "The caller's own channels",
    query: PAGE_QUERY,
    answers: { 200: { description: 'channels, never their secrets', schema: listSchemaOf(CHANNEL) } },
    handle: async ({ product, identity, query }) =>
      page((await listChannels(product, identity)).map(channelBody), { query, keyOf: ({ id }) => id }),
  },
  {
    ...about,
    method: 'POST',
    path: CHANNELS,
    operationId: 'createChannel',
    summary: 'A new channel; the key that signs its messages is shown this once',
    body: NEW_CHANNEL,
    hasSecret: true,
    answers: { 201: { description: 'the channel', schema: CHANNEL } },
    handle: async (call) => {
      const { name, kind, enabled = true, config = {} } = call.body as ChannelBody;
      const made = await createChannel(call.product, call.identity, {
        name,
        kind,
        config,
        isEnabled: enabled,
      });
      call.reply.code(201);
      return shownChannel(call, made);
    },
  },
  {
    ...about,
    method: 'GET',
    path: `${CHANNELS}/{id}`,
    operationId: 'getChannel',
    summary: 'One channel of the caller',
    hasTag: true,
    answers: { 200: { description: 'the channel', schema: CHANNEL } },
    handle: async (call) => shownChannel(call, await findChannel(call.product, call.identity, idOf(call))),
  },
  {
    ...about,
    method: 'PUT',
    path: `${CHANNELS}/{id}`,
    operationId: 'putChannel',
    summary: 'Change name, settings and whether it is enabled; secrets that are not written stay',
    isConditional: true,
    body: CHANNEL_CHANGE,
    answers: { 200: { description: 'the channel after the change', schema: CHANNEL } },
    handle: changed,
  },
  {
    ...about,
    method: 'PATCH',
    path: `${CHANNELS}/{id}`,
    operationId: 'changeChannel',
    summary: 'Change some of name, settings and whether it is enabled',
    isConditional: true,
    body: CHANNEL_CHANGE,
    answers: { 200: { description: 'the channel after the change', schema: CHANNEL } },
    handle: changed,
  },
  {
    ...about,
    method: 'DELETE',
    path: `${CHANNELS}/{id}`,
    operationId: 'deleteChannel',
    summary: 'Remove a channel; what waits for it is not sent',
    isConditional: true,
    answers: { 204: { description: 'it is removed' } },
    handle: async (call) => {
      await removeChannel(call.product, call.identity, idOf(call), expectedOf(call));
      return call.reply.code(204).send();
    },
  },
  {
    ...about,
    method: 'POST',
    path: `${CHANNELS}/{id}/test`,
    operationId: 'testChannel',
    summary: 'Send a message that tells of nothing, at once',
    hasOptionalBody: true,
    body: { type: 'object', additionalProperties: false, properties: {} },
    answers: { 200: { description: 'what the receiver answered', schema: TESTED } },
    handle: async (call) => {
      const how = { signal: call.signal, openChannel };
      const outcome = await testChannel(call.product, call.identity, idOf(call), how);
      return {
        outcome: outcome.kind,
        status: outcome.status ?? null,
        reason: outcome.kind === 'failed' ? outcome.reason : (outcome.detail ?? null),
      };
    },
  },
  {
    ...about,
    method: 'POST',
    path: `${CHANNELS}/{id}/rotate`,
    operationId: 'rotateChannelKey',
    summary: 'A new key signs from now on; earlier ones sign beside it for a while',
    hasSecret: true,
    hasOptionalBody: true,
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        overlap_hours: { type: 'number', minimum: 0, maximum: 720, description: '24 when absent' },
      },
    },
    answers: { 200: { description: 'the channel, with its new key', schema: CHANNEL } },
    handle: async (call) => {
      const { overlap_hours: hours = 24 } = (call.body ?? {}) as { readonly overlap_hours?: number };
      return shownChannel(call, await rotateKey(call.product, call.identity, idOf(call), hours));
    },
  },
];

const DEFAULTS = { isEnabled: true, filter: {}, timing: 'immediate' } as const;

const changedRule = async (call: ProductCall): Promise<unknown> => {
  const change = { ...ruleFrom(call.body as RuleBody), expected: expectedOf(call) };
  const rule = await changeRule(call.product, call.identity, idOf(call), change);
  showTag(call, ruleTag(rule));
  return notificationRuleBody(rule);
};

export const ruleRoutes: readonly ProductRoute[] = [
  {
    ...about,
    method: 'GET',
    path: RULES,
    operationId: 'listNotificationRules',
    summary: "The caller's own notification rules",
    query: PAGE_QUERY,
    answers: { 200: { description: 'rules', schema: listSchemaOf(NOTIFICATION_RULE) } },
    handle: async ({ product, identity, query }) =>
      page((await listRules(product, identity)).map(notificationRuleBody), { query, keyOf: ({ id }) => id }),
  },
  {
    ...about,
    method: 'POST',
    path: RULES,
    operationId: 'createNotificationRule',
    summary: 'A new rule: which events go to whom; owners and followers only for owners of the product',
    body: NEW_RULE,
    answers: { 201: { description: 'the rule', schema: NOTIFICATION_RULE } },
    handle: async (call) => {
      const { name = '', audience = {}, ...written } = ruleFrom(call.body as RuleBody);
      const rule = await createRule(call.product, call.identity, { ...DEFAULTS, ...written, name, audience });
      call.reply.code(201);
      showTag(call, ruleTag(rule));
      return notificationRuleBody(rule);
    },
  },
  {
    ...about,
    method: 'POST',
    path: `${RULES}/preview`,
    operationId: 'previewNotificationRule',
    summary: 'What a rule would have sent lately',
    body: PREVIEW_BODY,
    canRepeat: true,
    mayRepeat: async () => false,
    answers: { 200: { description: 'past events, oldest first', schema: PREVIEW } },
    handle: async ({ platform, product, identity, body }) => {
      const { events: limit = 500, ...given } = body as RuleBody & { readonly events?: number };
      const { audience = {}, ...written } = ruleFrom(given);
      const rule = { ...DEFAULTS, name: 'preview', ...written, audience };
      const found = await previewOwnRule(platform, product, identity, { rule, limit });
      return {
        items: found.map(({ event, subscribers }) => ({
          event: cloudEventOf(event, product),
          severity: severityOf(event),
          subscribers,
        })),
      };
    },
  },
  {
    ...about,
    method: 'GET',
    path: `${RULES}/{id}`,
    operationId: 'getNotificationRule',
    summary: 'One rule of the caller',
    hasTag: true,
    answers: { 200: { description: 'the rule', schema: NOTIFICATION_RULE } },
    handle: async (call) => {
      const rule = await findRule(call.product, call.identity, idOf(call));
      showTag(call, ruleTag(rule));
      return notificationRuleBody(rule);
    },
  },
  {
    ...about,
    method: 'PUT',
    path: `${RULES}/{id}`,
    operationId: 'putNotificationRule',
    summary: 'Change a rule; fields that are absent stay',
    isConditional: true,
    body: RULE_CHANGE,
    answers: { 200: { description: 'the rule after the change', schema: NOTIFICATION_RULE } },
    handle: changedRule,
  },
  {
    ...about,
    method: 'PATCH',
    path: `${RULES}/{id}`,
    operationId: 'changeNotificationRule',
    summary: 'Change some of a rule',
    isConditional: true,
    body: RULE_CHANGE,
    answers: { 200: { description: 'the rule after the change', schema: NOTIFICATION_RULE } },
    handle: changedRule,
  },
  {
    ...about,
    method: 'DELETE',
    path: `${RULES}/{id}`,
    operationId: 'deleteNotificationRule',
    summary: 'Remove a rule; what it had sent for is delivered all the same',
    isConditional: true,
    answers: { 204: { description: 'it is removed' } },
    handle: async (call) => {
      await removeRule(call.product, call.identity, idOf(call), expectedOf(call));
      return call.reply.code(204).send();
    },
  },
];

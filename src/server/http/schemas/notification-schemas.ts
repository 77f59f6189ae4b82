/** What the notifications and followers groups take and answer with, field by field. */
import { DELIVERY_STATUSES } from '../../../domain/delivery.ts';
import { SEVERITIES } from '../../../domain/event-types.ts';
import { CHANNEL_KINDS } from '../../../domain/notification.ts';
import type { JsonSchema } from '../route.ts';
import { EVENT_SCHEMA } from './event-schema.ts';
import { about, COUNT, choice, FLAG, listing, OPEN, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

const SEVERITY = choice(...SEVERITIES);
const NULLABLE = orNull(TEXT);

const short: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 };
const patterns: JsonSchema = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', maxLength: 100, pattern: '^(?:[a-z_.-]*\\*|[a-z_]+\\.[a-z_]+)$' },
  description: 'names of events; dq.* are all that begin so',
};
const names: JsonSchema = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 500 },
};
const clockTime: JsonSchema = { type: 'string', pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$' };
const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length === 0 ? {} : { required }),
  properties,
});

const QUIET: JsonSchema = closed(
  { from: clockTime, to: clockTime, zone: { type: 'string', maxLength: 60 }, except: SEVERITY },
  ['from', 'to', 'zone'],
);
const TIMING = choice('immediate', 'hourly', 'daily');
const FILTER = closed({ events: patterns, models: names, environments: names, min_severity: SEVERITY });
const AUDIENCE = closed({ owners: FLAG, followers: FLAG, channels: names });

const CHANNEL_CONFIG: JsonSchema = closed({
  url: { type: 'string', maxLength: 2048 },
  signature: choice('hmac', 'ed25519'),
  headers: { type: 'object', maxProperties: 32, additionalProperties: { type: 'string', maxLength: 4096 } },
  token: { type: 'string', maxLength: 500 },
  channel: { type: 'string', maxLength: 100 },
  host: { type: 'string', maxLength: 300 },
  port: { type: 'integer', minimum: 1, maximum: 65_535 },
  security: choice('tls', 'starttls', 'none'),
  user: { type: 'string', maxLength: 300 },
  password: { type: 'string', maxLength: 1000 },
  sender: { type: 'string', maxLength: 320 },
  recipients: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 320 } },
  subject: { type: 'string', maxLength: 200 },
});

export const NEW_CHANNEL = closed(
  { name: short, kind: choice(...CHANNEL_KINDS), enabled: FLAG, config: CHANNEL_CONFIG },
  ['name', 'kind'],
);
export const CHANNEL_CHANGE = {
  ...closed({ name: short, enabled: FLAG, config: CHANNEL_CONFIG }),
  minProperties: 1,
};
export const CHANNEL: JsonSchema = record(
  {
    id: TEXT,
    name: TEXT,
    kind: choice(...CHANNEL_KINDS),
    enabled: FLAG,
    config: about(OPEN, 'without what is secret'),
    public_keys: about(
      listing(record({ id: TEXT, public_key: TEXT })),
      'of a webhook that signs with ed25519',
    ),
    created_at: TIME,
    updated_at: TIME,
  },
  { secret: about(TEXT, 'the key that signs, in the answer that made it and never again') },
);
export const TESTED: JsonSchema = record({
  outcome: choice('delivered', 'failed'),
  status: orNull(COUNT),
  reason: NULLABLE,
});

const RULE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: short,
  enabled: FLAG,
  filter: FILTER,
  audience: AUDIENCE,
  timing: TIMING,
  quiet_hours: QUIET,
};
export const NEW_RULE = closed(RULE_FIELDS, ['name', 'audience']);
export const RULE_CHANGE = { ...closed(RULE_FIELDS), minProperties: 1 };
export const NOTIFICATION_RULE: JsonSchema = record({
  id: TEXT,
  name: TEXT,
  enabled: FLAG,
  filter: OPEN,
  audience: OPEN,
  timing: TIMING,
  quiet_hours: orNull({ type: 'object' }),
  created_at: TIME,
  updated_at: TIME,
});
export const PREVIEW_BODY = closed(
  { filter: FILTER, audience: AUDIENCE, events: { type: 'integer', minimum: 1, maximum: 1000 } },
  ['audience'],
);
export const PREVIEW: JsonSchema = record({
  items: listing(record({ event: EVENT_SCHEMA, severity: SEVERITY, subscribers: COUNT })),
});

export const DELIVERY: JsonSchema = record({
  id: about(TEXT, 'as `webhook-id`: the same for all attempts'),
  sequence: COUNT,
  event: TEXT,
  severity: SEVERITY,
  channel_id: about(NULLABLE, 'null: a target of config.yaml'),
  target: about(NULLABLE, 'of config.yaml'),
  status: choice(...DELIVERY_STATUSES),
  due_at: orNull(TIME),
  created_at: TIME,
  finished_at: orNull(TIME),
  attempted: COUNT,
  attempts: listing(
    record({
      at: TIME,
      outcome: choice('delivered', 'failed', 'suppressed'),
      status: orNull(COUNT),
      reason: NULLABLE,
    }),
  ),
});
export const REDRIVE_BODY = closed({ ids: { type: 'array', minItems: 1, maxItems: 1000, items: short } });
export const REDRIVEN = record({ ids: TEXTS });

export const INBOX_ITEM: JsonSchema = record({
  id: TEXT,
  title: TEXT,
  text: TEXT,
  severity: SEVERITY,
  because: about(TEXTS, 'keys of what is followed, `owner`, or `rule:ID`'),
  at: TIME,
  read_at: orNull(TIME),
  event: EVENT_SCHEMA,
});
export const INBOX: JsonSchema = record({
  items: listing(INBOX_ITEM),
  next_cursor: NULLABLE,
  unread: about(COUNT, 'at most 1000 are counted'),
});
export const READ_BODY = {
  ...closed({ ids: { type: 'array', minItems: 1, maxItems: 1000, items: short }, up_to: short }),
  minProperties: 1,
};
export const READ_ANSWER = record({ marked: COUNT, unread: COUNT });

const PREFERENCE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  min_severity: SEVERITY,
  muted: patterns,
  channels: names,
  timing: TIMING,
  quiet_hours: QUIET,
};
export const PREFERENCE_BODY = closed(PREFERENCE_FIELDS);
export const PREFERENCES: JsonSchema = record({
  min_severity: orNull(TEXT),
  muted: TEXTS,
  channels: TEXTS,
  timing: TIMING,
  quiet_hours: orNull({ type: 'object' }),
});

export const EVENT_TYPE: JsonSchema = record({
  name: TEXT,
  severity: SEVERITY,
  description: TEXT,
  spreads: about(FLAG, 'what is made of the model or metric is hit too'),
});

export const TARGET: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 520,
  description: 'product, model:NAME, metric:NAME or perspective:SLUG',
};
const HOW: Readonly<Record<string, JsonSchema>> = {
  events: patterns,
  channels: about(names, 'ids of channels; the inbox when absent'),
  min_severity: about(SEVERITY, 'warning when absent'),
};
export const FOLLOW_BODY = closed(
  {
    target: TARGET,
    ...HOW,
    follower: closed({ kind: choice('user', 'group', 'app'), name: short }, ['kind', 'name']),
  },
  ['target'],
);
export const FOLLOW_CHANGE = closed(HOW);
export const FOLLOWER: JsonSchema = record({
  follower: record({ kind: choice('user', 'group', 'app'), name: TEXT }),
  target: TEXT,
  events: orNull({ type: 'array', items: TEXT }),
  channels: orNull({ type: 'array', items: TEXT }),
  min_severity: SEVERITY,
  created_at: TIME,
  updated_at: TIME,
});
export const FOLLOWERS: JsonSchema = record({
  target: TEXT,
  count: COUNT,
  items: about(listing(FOLLOWER), 'all for owners of the product, otherwise those that are the caller'),
});

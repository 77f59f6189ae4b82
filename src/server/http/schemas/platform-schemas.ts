/** What the Platform API says about itself, its caller and the health of apps. */
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

export const HEALTH: JsonSchema = record({
  status: choice('empty', 'healthy', 'degraded'),
  last_run: orNull(record({ id: TEXT, status: TEXT })),
});

export const ME: JsonSchema = record({
  id: TEXT,
  name: TEXT,
  kind: choice('user', 'service-account', 'local-admin'),
  tenant: TEXT,
  is_platform_admin: FLAG,
  tenant_role: orNull(TEXT),
  product_roles: { type: 'object', additionalProperties: TEXT },
  groups: TEXTS,
  token_id: about(orNull(TEXT), 'id of the token in the request; null for a JWT'),
  scopes: about(orNull(TEXTS), 'the scopes that limit the token; null: all rights of its owner'),
});

const SECONDS: JsonSchema = { type: 'number', minimum: 0 };

export const LIMITS: JsonSchema = record({
  requests_per_second: about(COUNT, 'of each token, in bursts of as many'),
  failed_credentials_per_minute: about(COUNT, 'of each address; further ones are not looked up'),
  body_bytes: COUNT,
  request_seconds: about(SECONDS, 'how long a request may take to arrive'),
  connections: COUNT,
  answer_bytes: about(COUNT, 'memory of all large answers under way; half of it for one caller'),
  sql_bytes: COUNT,
  parameters: COUNT,
  statement_seconds_default: SECONDS,
  statement_seconds_max: SECONDS,
  statements_running: COUNT,
  statements_queued: COUNT,
  page_rows: COUNT,
  results_bytes: about(COUNT, 'of all results of a product; above it, the oldest are deleted'),
  results_bytes_each: about(
    COUNT,
    'of the results of one caller; above it, the oldest of this caller are deleted',
  ),
  result_hours: SECONDS,
});

export const VERSION: JsonSchema = record({
  version: TEXT,
  apis: about(record({ platform: TEXT, data_product: TEXT }), 'the segment of their addresses'),
  node: TEXT,
  started_at: TIME,
});

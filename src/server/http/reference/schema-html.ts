/** A JSON schema for readers: its fields one below the other, and a value that fits. */

import { escapeHtml } from '../../../foundation/escape-html.ts';
import type { JsonSchema } from '../route.ts';
import { proseHtml } from './prose-html.ts';

const DEPTH_MAX = 6;

type Properties = Readonly<Record<string, JsonSchema>>;

const propertiesOf = (schema: JsonSchema): Properties =>
  (schema['properties'] as Properties | undefined) ?? {};
const itemsOf = (schema: JsonSchema): JsonSchema => (schema['items'] as JsonSchema | undefined) ?? {};
const typesOf = ({ type }: JsonSchema): readonly string[] =>
  type === undefined ? [] : [type].flat().map(String);

/** `string`, `list of integer`, `object or null`. */
export function typeText(schema: JsonSchema): string {
  const words = typesOf(schema).map((type) =>
    type === 'array'
      ? `list of ${typeText(itemsOf(schema))}`
      : type === 'string' && schema['format'] !== undefined
        ? String(schema['format'])
        : type,
  );
  return words.length === 0 ? 'any' : words.join(' or ');
}

/** What a value has to keep to besides its type. */
export function boundsHtml(schema: JsonSchema): string {
  const allowed = (schema['enum'] ?? itemsOf(schema)['enum']) as readonly unknown[] | undefined;
  const words = [
    between(schema['minLength'], schema['maxLength'], 'characters'),
    between(schema['minimum'], schema['maximum'], ''),
    between(schema['minItems'], schema['maxItems'], 'items'),
    schema['exclusiveMinimum'] === undefined ? '' : `more than ${schema['exclusiveMinimum']}`,
  ].filter((word) => word !== '');
  const chips = allowed?.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  return [...(chips === undefined ? [] : [chips]), ...words.map(escapeHtml)].join(' · ');
}

const grouped = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : '');

function between(least: unknown, most: unknown, unit: string): string {
  const [low, high] = [grouped(least), grouped(most)];
  // That something is not empty goes without saying.
  const hasLow = low !== '' && !(unit !== '' && (low === '0' || low === '1'));
  const range = hasLow && high !== '' ? `${low} to ${high}` : high !== '' ? `up to ${high}` : '';
  const words = range === '' && hasLow && low !== '0' ? `at least ${low}` : range;
  return words === '' ? '' : `${words} ${unit}`.trim();
}

/** The fields of an object, those of objects inside behind a fold; what a request must have is marked, and what an answer may lack. */
export function fieldsHtml(schema: JsonSchema, side: 'request' | 'answer', depth = 0): string {
  const inner = innermost(schema);
  const fields = Object.entries(propertiesOf(inner));
  if (fields.length === 0 || depth > DEPTH_MAX) return '';
  const required = new Set((inner['required'] as readonly string[] | undefined) ?? []);
  const rows = fields.map(([name, field]) => {
    const nested = fieldsHtml(field, side, depth + 1);
    const bounds = boundsHtml(field);
    const about = typeof field['description'] === 'string' ? proseHtml(field['description']) : '';
    return `<li><code class="field">${escapeHtml(name)}</code> <span class="type">${escapeHtml(typeText(field))}</span>${
      required.has(name)
        ? side === 'request'
          ? ' <span class="must">required</span>'
          : ''
        : side === 'answer'
          ? ' <span class="type">sometimes</span>'
          : ''
    }${about === '' && bounds === '' ? '' : `<p>${[about, bounds].filter((word) => word !== '').join(' · ')}</p>`}${
      nested === '' ? '' : `<details><summary>fields of ${escapeHtml(name)}</summary>${nested}</details>`
    }</li>`;
  });
  return `<ul class="fields">${rows.join('')}</ul>`;
}

/** Lists are described by what is in them. */
const innermost = (schema: JsonSchema): JsonSchema =>
  typesOf(schema).includes('array') ? innermost(itemsOf(schema)) : schema;

/** A value that fits: the first example of a schema, else one made from its type and name. */
export function exampleOf(schema: JsonSchema, name = '', depth = 0): unknown {
  const given = (schema['examples'] as readonly unknown[] | undefined)?.[0];
  if (given !== undefined) return given;
  const allowed = schema['enum'] as readonly unknown[] | undefined;
  if (allowed !== undefined) return allowed[0];
  const [type] = typesOf(schema);
  switch (type) {
    case 'object':
      return depth > DEPTH_MAX
        ? {}
        : Object.fromEntries(
            Object.entries(propertiesOf(schema)).map(([key, field]) => [
              key,
              exampleOf(field, key, depth + 1),
            ]),
          );
    case 'array': {
      const one = depth > DEPTH_MAX ? undefined : exampleOf(itemsOf(schema), singular(name), depth + 1);
      return one === undefined || one === null || one === UNKNOWN ? [] : [one];
    }
    case 'integer':
    case 'number':
      return (schema['minimum'] as number | undefined) ?? 1;
    case 'boolean':
      return false;
    case 'string':
      return TEXTS[name] ?? (typesOf(schema).includes('null') ? null : (timeExample(name) ?? UNKNOWN));
    default:
      return null;
  }
}

const singular = (name: string): string => name.replace(/s$/, '');

const UNKNOWN = '…';

const TEXTS: Readonly<Record<string, string>> = {
  id: '01m7kjhm5hb39r0x',
  run_id: 'r_01m7kjhm5hb39r0x',
  plan_id: 'p_01m7kjhm5hb39r0x',
  tenant: 'default',
  slug: 'default-shop',
  environment: 'prod',
  version: '1.2.0',
  owner: 'sales-team',
  who: 'ann',
  actor: 'u_01m7kjhm5hb39r0x',
  sql: 'SELECT status, COUNT(*) AS orders FROM marts.orders GROUP BY status',
  timezone: 'Europe/Zurich',
  principal: 'ann',
  name: 'orders',
  model: 'marts.orders',
  column: 'amount',
  ref: 'marts.orders.amount',
  from: 'staging.orders',
  to: 'marts.orders',
  role: 'viewer',
  group: 'analysts',
  tag: 'finance',
  token: 'plt_…',
  rest: 'https://data.example.com/plinth/tenants/default/data-products/default-shop/api/v1',
  graphql: 'https://data.example.com/plinth/tenants/default/data-products/default-shop/graphql',
};

const timeExample = (name: string): string | undefined =>
  /(?:_at|^at|^time|^since|_until|_time)$/.test(name) ? '2025-06-15T12:00:00Z' : undefined;

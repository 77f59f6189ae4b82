/** What the perspectives group takes and answers with, field by field. */
import { PARAMETER_TYPES, VISIBILITIES } from '../../../domain/perspective.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

const NULLABLE = orNull(TEXT);
const VALUE: JsonSchema = { type: ['string', 'number', 'boolean'] };
const VALUES: JsonSchema = {
  type: ['string', 'number', 'boolean', 'array'],
  items: VALUE,
  maxItems: 1_000,
};
const VISIBILITY = about(
  choice(...VISIBILITIES),
  '`private`: its owner; `shared`: also `principals` and who administers the product; `product`: every caller of the product',
);

const PARAMETER: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'type'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 64 },
    type: { type: 'string', enum: PARAMETER_TYPES },
    list: { type: 'boolean', description: 'several values: all those of a filter; not in SQL' },
    default: { ...VALUES, description: 'without one a value must be given' },
    allowed: { type: 'array', minItems: 1, maxItems: 1_000, items: VALUE },
    description: { type: 'string', maxLength: 1_000 },
  },
};

const QUERY: JsonSchema = {
  type: ['object', 'string', 'null'],
  description:
    'a SemanticQuery, whose values may be {"param": "name"}, or SQL, whose values may be $name; in answers null when policies hide something of it from the reader',
};

/** Fields that may be written; `null` takes the description away. */
export const PERSPECTIVE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  slug: {
    type: 'string',
    minLength: 1,
    maxLength: 80,
    description: 'made of the name when absent; unique among those of its owner, or of the product',
  },
  name: { type: 'string', minLength: 1, maxLength: 200 },
  description: { type: ['string', 'null'], maxLength: 10_000 },
  query: { ...QUERY, type: ['object', 'string'] },
  params: { type: 'array', maxItems: 100, items: PARAMETER },
  visibility: VISIBILITY,
  principals: {
    type: 'array',
    maxItems: 1_000,
    items: { type: 'string', minLength: 1, maxLength: 70 },
    description: 'for `shared`: names of users, `group:NAME`',
  },
  tags: { type: 'array', maxItems: 50, items: { type: 'string', minLength: 1, maxLength: 100 } },
  auto_refresh: {
    type: 'boolean',
    description: 'its answer is made again after the data have changed',
  },
};

export const PERSPECTIVE: JsonSchema = {
  ...record(
    {
      id: about(TEXT, 'never changes, and stands in place of the slug'),
      slug: TEXT,
      name: TEXT,
      description: NULLABLE,
      query: QUERY,
      params: orNull(listing(PARAMETER)),
      withheld: about(FLAG, 'policies hide something of the question from the reader'),
      visibility: VISIBILITY,
      principals: about(orNull(TEXTS), 'null for readers who may not change it'),
      tags: TEXTS,
      auto_refresh: FLAG,
      owner: TEXT,
      own: FLAG,
      version: about(COUNT, 'grows with every change'),
      created_at: TIME,
      changed_at: TIME,
      _links: record({ self: TEXT, result: TEXT, versions: TEXT }),
    },
    { etag: about(TEXT, 'what If-Match of a change takes, in quotes; not in lists') },
  ),
  examples: [
    {
      id: 'x_01m7kjhm5hb39r0x',
      slug: 'revenue-by-region',
      name: 'Revenue by region',
      description: 'What the board looks at.',
      query: {
        measures: ['orders.revenue'],
        dimensions: ['orders.region'],
        filters: [{ member: 'orders.status', operator: 'equals', values: [{ param: 'status' }] }],
      },
      params: [{ name: 'status', type: 'text', default: 'completed' }],
      withheld: false,
      visibility: 'product',
      principals: [],
      tags: ['board'],
      auto_refresh: true,
      owner: 'ada',
      own: true,
      version: 3,
      created_at: '2025-06-15T12:00:00.000Z',
      changed_at: '2025-06-15T12:00:00.000Z',
      _links: {
        self: '/plinth/tenants/default/data-products/default-shop/api/v1/perspectives/x_01m7kjhm5hb39r0x',
        result:
          '/plinth/tenants/default/data-products/default-shop/api/v1/perspectives/x_01m7kjhm5hb39r0x/result',
        versions:
          '/plinth/tenants/default/data-products/default-shop/api/v1/perspectives/x_01m7kjhm5hb39r0x/versions',
      },
    },
  ],
};

/** An item of a list: its question is shown with it alone. */
export const PERSPECTIVE_HEAD: JsonSchema = (() => {
  const {
    query: _,
    params: __,
    withheld: ___,
    ...properties
  } = PERSPECTIVE['properties'] as Record<string, JsonSchema>;
  return record(properties);
})();

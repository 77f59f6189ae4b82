/** What the metadata group answers with, field by field. */
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

const NULLABLE = orNull(TEXT);
const STATEMENTS = listing(
  record({ text: TEXT, applies_to: about(TEXTS, 'models, semantic models, metrics') }),
);

export const PRODUCT: JsonSchema = record({
  name: TEXT,
  tenant: TEXT,
  slug: about(TEXT, 'tenant and name, as in the address'),
  display_name: NULLABLE,
  description: NULLABLE,
  version: NULLABLE,
  domain: NULLABLE,
  owner: NULLABLE,
  owners: TEXTS,
  tags: TEXTS,
  terms: TEXTS,
  environment: TEXT,
  health: record({
    status: choice('empty', 'healthy', 'degraded'),
    models: about({ type: 'object', additionalProperties: COUNT }, 'how many models are in each condition'),
    last_run: orNull(record({ id: TEXT, status: TEXT, started_at: TIME })),
  }),
  freshness: record({
    promoted_at: orNull(TIME),
    filled_until: about(orNull(TIME), 'where the model ends that is furthest behind'),
    max_age: about(NULLABLE, 'what the owners promise'),
  }),
  ports: record({ rest: TEXT, graphql: TEXT }),
  counts: record({ models: COUNT, semantic_models: COUNT, metrics: COUNT }),
  readme: about(NULLABLE, 'README.md of the project'),
  usage: orNull(
    record({
      good_for: STATEMENTS,
      not_for: STATEMENTS,
      caveats: STATEMENTS,
      references: listing(record({ title: TEXT }, { url: TEXT, description: TEXT })),
    }),
  ),
});

const MODEL_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: { ...TEXT, examples: ['marts.orders'] },
  kind: { ...TEXT, examples: ['incremental-by-time-range'] },
  file: { ...TEXT, examples: ['models/marts/orders.sql'] },
  dialect: { ...TEXT, examples: ['duckdb'] },
  cron: { ...TEXT, examples: ['@daily'] },
  owner: NULLABLE,
  description: NULLABLE,
  tags: TEXTS,
  grains: about(listing(TEXTS), 'sets of columns that are unique'),
  dependencies: TEXTS,
  has_all_columns: about(FLAG, 'false when a star over an unknown table leaves the list open'),
  audits: TEXTS,
};

export const MODEL_SUMMARY: JsonSchema = record({ ...MODEL_FIELDS, column_count: COUNT });

export const MODEL: JsonSchema = record({
  ...MODEL_FIELDS,
  columns: listing(
    record({
      name: { ...TEXT, examples: ['amount'] },
      type: { ...TEXT, examples: ['DECIMAL(18,2)'] },
      description: NULLABLE,
      tags: TEXTS,
      sources: about(listing(record({ model: TEXT, column: TEXT })), 'columns that it is made of'),
    }),
  ),
  sql: NULLABLE,
  view: about(NULLABLE, 'the view of the environment in the warehouse'),
  freshness: NULLABLE,
  status: orNull(
    record({
      condition: TEXT,
      filled_until: orNull(TIME),
      detail: NULLABLE,
      run_id: NULLABLE,
    }),
  ),
});

const AI_CONTEXT = orNull(
  record({ instructions: NULLABLE, synonyms: TEXTS, caveats: TEXTS, examples: { type: 'array', items: {} } }),
);
const BEHAVIOR = orNull(
  record({ type: TEXT, time_dimension: NULLABLE, period_treatment: NULLABLE, per: TEXTS }),
);
const MEMBER: Readonly<Record<string, JsonSchema>> = {
  name: TEXT,
  title: NULLABLE,
  description: NULLABLE,
  format: NULLABLE,
  tags: TEXTS,
  terms: TEXTS,
  ai_context: AI_CONTEXT,
};

const METRIC: JsonSchema = record({
  name: TEXT,
  title: NULLABLE,
  description: NULLABLE,
  type: TEXT,
  of: about(TEXT, 'what it is computed from, in words'),
  ts: NULLABLE,
  granularity: NULLABLE,
  dimensions: listing(record({ name: TEXT, ref: TEXT })),
  segments: TEXTS,
  has_filters: FLAG,
  format: NULLABLE,
  owner: NULLABLE,
  tags: TEXTS,
  terms: TEXTS,
  synonyms: TEXTS,
  target: {},
  file: TEXT,
});

export const SEMANTICS: JsonSchema = record({
  environment: TEXT,
  models: listing(
    record({
      name: TEXT,
      model: TEXT,
      description: NULLABLE,
      owner: NULLABLE,
      tags: TEXTS,
      terms: TEXTS,
      primary_key: TEXTS,
      ai_context: AI_CONTEXT,
      dimensions: listing(record({ ...MEMBER, type: NULLABLE, granularities: TEXTS, behavior: BEHAVIOR })),
      measures: listing(record({ ...MEMBER, type: TEXT, expression: NULLABLE, behavior: BEHAVIOR })),
      segments: listing(record(MEMBER)),
      joins: listing(record({ name: TEXT, model: TEXT, type: TEXT })),
    }),
  ),
  metrics: listing(METRIC),
});

const NODE: JsonSchema = record(
  {
    id: about(TEXT, 'model, model.column, semantic:NAME or metric:NAME'),
    name: TEXT,
    kind: about(TEXT, 'the kind of a model, or undeclared, semantic, metric'),
  },
  { column: TEXT, type: TEXT, owner: TEXT },
);

export const LINEAGE: JsonSchema = record({
  level: choice('model', 'column'),
  focus: about(NULLABLE, 'what was asked about; null for the whole product'),
  nodes: about(listing(NODE), 'sources first'),
  edges: listing(record({ from: TEXT, to: TEXT }, { transformation: TEXT })),
});

const IMPACTED: JsonSchema = record({
  kind: choice('semantic', 'metric'),
  name: TEXT,
  members: TEXTS,
  through: about(TEXTS, 'columns by which it is reached'),
});

export const IMPACT: JsonSchema = record({
  ref: TEXT,
  nodes: about(listing(NODE), 'everything downstream'),
  impact: about(listing(IMPACTED), 'what people ask for, by the columns that it uses'),
});

export const IMPACTS: JsonSchema = listing(IMPACTED);

export const SEARCH: JsonSchema = record({
  items: listing(
    record(
      {
        kind: choice('model', 'column', 'semantic-model', 'dimension', 'measure', 'segment', 'metric'),
        ref: TEXT,
        name: TEXT,
        score: about({ type: 'number' }, 'higher is nearer; only its order means something'),
      },
      { title: TEXT, description: TEXT },
    ),
  ),
});

export const CHANGE: JsonSchema = record(
  {
    kind: choice('model', 'rollup', 'semantic', 'metric', 'dq', 'audit', 'test'),
    name: TEXT,
    change: choice('added', 'removed', 'direct', 'indirect', 'metadata'),
    category: NULLABLE,
    reason: about(TEXT, 'why this category'),
    columns: record({ added: TEXTS, removed: TEXTS, changed: TEXTS }),
  },
  { because: about(TEXTS, 'changed models that made this one indirect'), sql_diff: TEXT },
);

export const APPLIED_CHANGES: JsonSchema = record({
  plan_id: TEXT,
  at: TIME,
  who: TEXT,
  changes: listing(CHANGE),
});

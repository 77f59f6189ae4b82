/** What the metadata group answers with, field by field. */
import { FRESHNESS_STATES, HEALTH_STATES } from '../../../domain/product-health.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, OPEN, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

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
    status: about(choice('empty', ...HEALTH_STATES), 'as bad as the worst reason'),
    reasons: about(
      listing(
        record({
          kind: choice(
            ...['run', 'broken', 'audit', 'late', 'stale', 'slo', 'incident', 'check', 'quarantine'],
          ),
          effect: choice('caution', 'degraded', 'blocked'),
          message: TEXT,
          model: NULLABLE,
          check: NULLABLE,
          incident_id: NULLABLE,
          run_id: NULLABLE,
          since: orNull(TIME),
        }),
      ),
      'the worst first; without the names that the caller does not see',
    ),
    models: about({ type: 'object', additionalProperties: COUNT }, 'how many models are in each condition'),
    last_run: orNull(record({ id: TEXT, status: TEXT, started_at: TIME })),
  }),
  freshness: record({
    promoted_at: orNull(TIME),
    filled_until: about(orNull(TIME), 'the time up to which the least fresh model is filled'),
    refreshed_at: about(orNull(TIME), 'when a run last succeeded'),
    max_age: about(NULLABLE, 'what the owners promise'),
    is_fresh: about({ type: ['boolean', 'null'] }, 'whether that holds; null when nothing is promised'),
    state: about(
      orNull(choice(...FRESHNESS_STATES)),
      'late: older than promised; stale: older than twice of that; null when nothing is promised',
    ),
    model: about(NULLABLE, 'the model whose age counts'),
    newest: about(orNull(TIME), 'how new its rows are'),
    slowest_hop: about(NULLABLE, 'the model on the way that added most of the age'),
    is_budget_spent: about(
      { type: ['boolean', 'null'] },
      'whether the promise was broken for more than 1 % of the last 30 days',
    ),
  }),
  ports: record({ rest: TEXT, graphql: TEXT, sql: TEXT, events: TEXT, openapi: TEXT }),
  counts: record({
    models: COUNT,
    columns: COUNT,
    audits: COUNT,
    semantic_models: COUNT,
    dimensions: COUNT,
    measures: COUNT,
    metrics: COUNT,
  }),
  readme: about(NULLABLE, 'README.md of the project'),
  readme_html: about(
    NULLABLE,
    'the same as HTML that is safe to show: without scripts, styles and images; HTML in the text is text',
  ),
  usage: record({
    good_for: STATEMENTS,
    not_for: STATEMENTS,
    caveats: STATEMENTS,
    references: listing(record({ title: TEXT }, { url: TEXT, description: TEXT })),
    queries: about(
      record({
        since: TIME,
        statements: COUNT,
        failed: COUNT,
        callers: about(COUNT, 'how many different principals asked'),
        last_at: orNull(TIME),
        by_type: { type: 'object', additionalProperties: COUNT },
        models: about(listing(record({ model: TEXT, statements: COUNT })), 'the most asked first'),
      }),
      'what was asked, as far as statements are kept',
    ),
    runs: record({ since: TIME, succeeded: COUNT, failed: COUNT }),
  }),
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
      tests: about(TEXTS, 'audits that name it'),
      is_profiled: FLAG,
      sources: about(listing(record({ model: TEXT, column: TEXT })), 'columns that it is made of'),
    }),
  ),
  tests: about(
    listing(
      record({
        name: TEXT,
        arguments: about(
          { type: ['object', 'null'], additionalProperties: TEXT },
          'as SQL; null for callers who may not read the SQL of the model',
        ),
        blocking: { type: ['boolean', 'null'] },
        on_failure: NULLABLE,
        last: about(
          orNull(record({ status: TEXT, failed_rows: COUNT, run_id: TEXT })),
          'what it found when the model was last tried',
        ),
      }),
    ),
    'its audits',
  ),
  kind_options: about(OPEN, 'the options of its kind'),
  schedule: record({
    cron: TEXT,
    cron_tz: NULLABLE,
    interval_unit: NULLABLE,
    start: NULLABLE,
    end: NULLABLE,
  }),
  sql: about(NULLABLE, 'for those who may read models'),
  view: about(NULLABLE, 'the view of the environment in the warehouse'),
  table: about(NULLABLE, 'the physical table below the view, for those who may read models'),
  freshness: NULLABLE,
  profile: about(
    record({ rows: orNull(COUNT), at: orNull(TIME), columns: TEXTS }),
    'what is known of its rows without asking: how many the last build wrote, and which columns are to be profiled',
  ),
  last_run: orNull(
    record({
      id: TEXT,
      status: TEXT,
      started_at: TIME,
      ended_at: orNull(TIME),
      rows: COUNT,
      ms: { type: 'number', minimum: 0 },
      error: orNull(record({ code: TEXT, message: TEXT })),
    }),
  ),
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

const DATA_TYPE = about(
  NULLABLE,
  'the type of values in answers, as the engine spells it; null when only rows show it',
);

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
  ai_context: AI_CONTEXT,
  target: {},
  file: TEXT,
  data_type: DATA_TYPE,
});

export const SEMANTICS: JsonSchema = record({
  environment: TEXT,
  models: listing(
    record({
      name: TEXT,
      model: TEXT,
      title: NULLABLE,
      description: NULLABLE,
      owner: NULLABLE,
      tags: TEXTS,
      terms: TEXTS,
      primary_key: TEXTS,
      ai_context: AI_CONTEXT,
      dimensions: listing(
        record({
          ...MEMBER,
          type: NULLABLE,
          data_type: DATA_TYPE,
          granularities: about(TEXTS, 'buckets of a time'),
          behavior: BEHAVIOR,
        }),
      ),
      measures: listing(
        record({ ...MEMBER, type: TEXT, data_type: DATA_TYPE, expression: NULLABLE, behavior: BEHAVIOR }),
      ),
      segments: listing(record(MEMBER)),
      joins: listing(record({ name: TEXT, model: TEXT, type: TEXT, description: NULLABLE })),
      hides: about(
        record({
          rows: about(FLAG, 'whether rows are left out'),
          values: about(
            listing(record({ member: TEXT, in: choice('every-row', 'some-rows') })),
            'members whose values are withheld',
          ),
        }),
        'what policies hide from the caller',
      ),
      policies: about(
        orNull(listing(record({ group: TEXT, filter: listing(OPEN), mask: TEXTS }))),
        'for callers who administer the product and whom no policy restricts; otherwise null',
      ),
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
  focus: about(NULLABLE, 'the subject of the question; null for the whole product'),
  nodes: about(listing(NODE), 'sources first'),
  edges: listing(record({ from: TEXT, to: TEXT }, { transformation: TEXT })),
});

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
  at: about(TIME, 'when the environment began to show it'),
  who: TEXT,
  breaking: about(FLAG, 'whether one of the changes is'),
  changes: listing({
    ...CHANGE,
    required: [...(CHANGE['required'] as readonly string[]), 'breaking'],
    properties: {
      ...(CHANGE['properties'] as Readonly<Record<string, JsonSchema>>),
      breaking: about(FLAG, 'it is gone, has fewer columns, or has other rows'),
    },
  }),
});

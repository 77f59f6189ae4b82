import { by, differs, type EvidenceOf, says, shown } from './evidence.ts';
import { PROJECT } from './project.ts';

const config = (more: typeof PROJECT.config) => ({ config: { ...PROJECT.config, ...more } });

/** external_models.yaml. */
export const EXTERNAL_EVIDENCE: EvidenceOf = {
  name: differs('raw.others', 'diagnostics', { instead: 'raw.events' }),
  columns: differs({ id: 'int' }, 'info', { instead: { id: 'int', day: 'date' } }),
  'columns.*.type': differs({ type: 'text' }, 'info', { at: 'columns.id', instead: { type: 'int' } }),
  'columns.*.description': differs({ type: 'int', description: 'a number' }, 'info', {
    at: 'columns.id',
    instead: { type: 'int' },
  }),
  description: differs('what it is', 'info'),
  column_descriptions: differs({ id: 'a number' }, 'info'),
  gateway: differs('other', 'diagnostics', {
    around: config({
      gateways: { local: { connection: { type: 'duckdb' } }, other: { connection: { type: 'duckdb' } } },
    }),
  }),
  dialect: differs('bigquery', 'info', {
    at: 'dialect',
    around: { external: [{ name: 'raw.events', columns: { id: 'float64', day: 'int' } }] },
  }),
  owner: differs('gert', 'info'),
  tags: differs(['gold'], 'info'),
  terms: shown((word) => [word]),
  start: differs('2023-06-01', 'plan', { around: config({ model_defaults: {} }) }),
  cron: differs('@weekly', 'diagnostics'),
  grain: differs(['id'], 'info'),
  audits: differs(['not_null(columns := (id))'], 'diagnostics'),
  enabled: differs(false, 'info'),
  ignored_rules: differs(['no-such-rule'], 'diagnostics'),
};

/** usage.yaml. */
export const USAGE_EVIDENCE: EvidenceOf = {
  ...Object.fromEntries(
    ['good_for', 'not_for', 'caveats'].flatMap((key) => [
      [`${key}.text`, shown()],
      [`${key}.applies_to`, says(['nothing'], 'usage.unknown-subject')],
    ]),
  ),
  'references.title': shown(),
  'references.url': shown((word) => `https://example.org/${word}`),
  'references.description': shown(),
};

const ANALYSTS = {
  semantic: { ...PROJECT.semantic, policies: [{ group: 'analysts', filter: [], mask: ['region'] }] },
  ...config({ users: [{ username: 'una', groups: ['analysts'] }] }),
};
const semantic = (more: typeof PROJECT.semantic) => ({ semantic: { ...PROJECT.semantic, ...more } });
const measure = (more: typeof PROJECT.semantic) =>
  semantic({ measures: [{ name: 'revenue', type: 'sum', expression: '{amount}', ...more }] });
const filtered = (filter: typeof PROJECT.semantic) => ({
  ...semantic({ policies: [{ group: 'analysts', filter: [filter] }] }),
  ...config({ users: [{ username: 'una', groups: ['analysts'] }] }),
});
const STOCK = { type: 'stock', time_dimension: 'day' };
const BUCKET = (more: typeof PROJECT.semantic) =>
  semantic({
    dimensions: [
      { name: 'day', granularities: [{ name: 'bucket', interval: '1 week', ...more }] },
      { name: 'region' },
      { name: 'customer_id' },
      { name: 'id' },
    ],
  });
const ROLLUP = (more: typeof PROJECT.semantic) =>
  semantic({ rollups: [{ name: 'monthly', measures: ['revenue'], dimensions: ['region'], ...more }] });

const AI_CONTEXT: EvidenceOf = {
  'ai_context.instructions': shown(),
  'ai_context.synonyms': shown((word) => [word]),
  'ai_context.caveats': shown((word) => [word]),
  'ai_context.examples.description': shown(),
  'ai_context.examples.query': shown(),
  'ai_context.examples.format': shown(),
};

const member = (place: string): EvidenceOf => ({
  [`${place}.title`]: shown(),
  [`${place}.description`]: shown(),
  [`${place}.format`]: shown(),
  [`${place}.tags`]: shown((word) => [word]),
  [`${place}.terms`]: shown((word) => [word]),
  [`${place}.ai_context`]: shown((word) => ({ instructions: word })),
  [`${place}.public`]: by(
    'tests/keys/config-effects.test.ts',
    'members that are not public are shown to nobody',
  ),
});

/** Semantic models. */
export const SEMANTIC_EVIDENCE: EvidenceOf = {
  kind: says('semantics', 'yaml.unknown-kind'),
  name: differs('sold', 'info', { instead: 'orders' }),
  depends_on: differs('m.customers', 'info', { instead: 'm.orders' }),
  title: shown(),
  description: shown(),
  owner: shown(),
  tags: shown((word) => [word]),
  terms: shown((word) => [word]),
  primary_key: says(['nothing'], 'semantic.unknown-column'),
  ...AI_CONTEXT,
  ...member('dimensions'),
  'dimensions.name': differs('amount', 'info', { instead: 'region' }),
  'dimensions.expression': differs('upper({region})', 'questions'),
  'dimensions.type': differs('time', 'diagnostics', {
    around: semantic({
      dimensions: [{ name: 'region', granularities: [{ name: 'bucket', interval: '1 week' }] }],
      joins: [],
    }),
  }),
  'dimensions.granularities': differs([{ name: 'bucket', interval: '2 weeks' }], 'questions', {
    at: 'dimensions.granularities',
    around: BUCKET({}),
    instead: [{ name: 'bucket', interval: '1 week' }],
  }),
  'dimensions.granularities.name': differs('other', 'questions', { around: BUCKET({}), instead: 'bucket' }),
  'dimensions.granularities.interval': differs('2 weeks', 'questions', {
    around: BUCKET({}),
    instead: '1 week',
  }),
  'dimensions.granularities.offset': differs('1 day', 'questions', { around: BUCKET({}) }),
  'dimensions.granularities.origin': differs('2024-01-03', 'questions', { around: BUCKET({}) }),
  'dimensions.mask_expression': differs("'***'", 'questions', { around: ANALYSTS }),
  'dimensions.behavior.type': shown(() => 'ordinal'),
  'dimensions.primary_key': differs(true, 'diagnostics', {
    around: {
      semantic: Object.fromEntries(Object.entries(PROJECT.semantic).filter(([key]) => key !== 'primary_key')),
      more: {
        ...PROJECT.more,
        'models/orders.sql': "MODEL (name m.orders, kind SEED (path '../seeds/orders.csv'));\n",
      },
    },
  }),
  ...member('measures'),
  'measures.name': differs('takings', 'info', { instead: 'revenue' }),
  'measures.type': differs('max', 'questions', { instead: 'sum' }),
  'measures.expression': differs('{amount} * 2', 'questions', { instead: '{amount}' }),
  'measures.filters': differs(['{amount} > 3'], 'questions'),
  'measures.p': differs(0.9, 'questions', { around: measure({ type: 'percentile', p: 0.5 }), instead: 0.5 }),
  'measures.rolling_window.trailing': differs('7 days', 'questions', {
    around: measure({ rolling_window: { trailing: '1 day' } }),
    instead: '1 day',
  }),
  'measures.rolling_window.leading': differs('2 days', 'questions', {
    around: measure({ rolling_window: { trailing: '1 day' } }),
  }),
  'measures.rolling_window.offset': differs('start', 'questions', {
    around: measure({ rolling_window: { trailing: '1 day' } }),
  }),
  'measures.rolling_window.to_date': differs('year', 'questions', {
    around: measure({ rolling_window: { to_date: 'month' } }),
    instead: 'month',
  }),
  'measures.time_shift.by': differs('1 year', 'questions', {
    around: measure({ time_shift: { by: '1 month' } }),
    instead: '1 month',
  }),
  'measures.time_shift.direction': differs('next', 'questions', {
    around: measure({ time_shift: { by: '1 month' } }),
  }),
  'measures.behavior.type': differs('stock', 'questions', {
    around: measure({ behavior: STOCK }),
    instead: 'flow',
  }),
  'measures.behavior.time_dimension': says('region', 'semantic.not-time', {
    around: measure({ behavior: STOCK }),
  }),
  'measures.behavior.period_treatment': differs('first', 'questions', {
    around: measure({ behavior: STOCK }),
  }),
  'measures.behavior.per': differs(['customer_id'], 'questions', { around: measure({ behavior: STOCK }) }),
  ...member('segments'),
  'segments.name': differs('huge', 'info', { instead: 'large' }),
  'segments.expression': differs('{amount} > 99', 'questions', { instead: '{amount} > 10' }),
  'joins.name': differs('buyers', 'questions', {
    around: semantic({
      joins: [
        {
          name: 'customers',
          model: 'customers',
          type: 'many_to_one',
          on: '{orders.customer_id} = {customers.customer_id}',
        },
      ],
    }),
    instead: 'customers',
  }),
  'joins.model': says('nothing', 'semantic.unknown-semantic-model'),
  'joins.type': differs('one_to_many', 'questions', { instead: 'many_to_one' }),
  'joins.on': differs('{orders.id} = {customers.customer_id}', 'questions', {
    instead: '{orders.customer_id} = {customers.customer_id}',
  }),
  'joins.through': says('nothing', 'semantic.unknown-semantic-model', {
    around: semantic({ joins: [{ name: 'customers', type: 'many_to_many' }] }),
  }),
  'joins.description': shown(),
  'policies.group': differs('others', 'questions', { around: ANALYSTS, instead: 'analysts' }),
  'policies.filter': differs([{ member: 'region', operator: 'equals', values: ['EU'] }], 'questions', {
    around: ANALYSTS,
    instead: [{ member: 'region', operator: 'equals', values: ['US'] }],
  }),
  'policies.mask': differs(['region'], 'questions', {
    around: {
      ...semantic({
        dimensions: [
          { name: 'region', mask_expression: "'***'" },
          { name: 'day' },
          { name: 'customer_id' },
          { name: 'id' },
        ],
        policies: [{ group: 'analysts' }],
      }),
    },
  }),
  'filter.member': differs('id', 'questions', {
    around: filtered({ member: 'customer_id', operator: 'equals', values: [1] }),
    instead: 'customer_id',
  }),
  'filter.operator': differs('notEquals', 'questions', {
    around: filtered({ member: 'region', operator: 'equals', values: ['EU'] }),
    instead: 'equals',
  }),
  'filter.values': differs(['US'], 'questions', {
    around: filtered({ member: 'region', operator: 'equals', values: ['EU'] }),
    instead: ['EU'],
  }),
  'filter.and': differs([{ member: 'region', operator: 'equals', values: ['EU'] }], 'questions', {
    around: filtered({ and: [] }),
    instead: [{ member: 'region', operator: 'set' }],
  }),
  'filter.or': differs([{ member: 'region', operator: 'equals', values: ['EU'] }], 'questions', {
    around: filtered({ or: [] }),
    instead: [{ member: 'region', operator: 'set' }],
  }),
  'rollups.name': differs('yearly', 'questions', { around: ROLLUP({}), instead: 'monthly' }),
  'rollups.measures': differs(['revenue', 'count'], 'questions', {
    around: ROLLUP({}),
    instead: ['revenue'],
  }),
  'rollups.dimensions': differs(['region', 'id'], 'questions', { around: ROLLUP({}), instead: ['region'] }),
  'rollups.segments': differs(['large'], 'questions', { around: ROLLUP({}) }),
  'rollups.time_dimension': differs('day', 'questions', { around: ROLLUP({}) }),
  'rollups.granularity': differs('year', 'questions', {
    around: ROLLUP({ time_dimension: 'day', granularity: 'month' }),
    instead: 'month',
  }),
  'rollups.description': differs('kept for reports', 'questions', { around: ROLLUP({}) }),
};

const RATIO = {
  metric: {
    kind: 'metric',
    name: 'sales',
    type: 'ratio',
    numerator: 'orders.revenue',
    denominator: 'orders.count',
    ts: 'orders.day',
    dimensions: [{ ref: 'orders.region' }],
  },
};
const DERIVED = {
  metric: {
    kind: 'metric',
    name: 'sales',
    type: 'derived',
    expression: '{a} * 2',
    inputs: [{ name: 'a', ref: 'orders.revenue' }],
    ts: 'orders.day',
    dimensions: [{ ref: 'orders.region' }],
  },
};
const CUMULATIVE = { metric: { ...PROJECT.metric, type: 'cumulative' } };
const CONVERSION = {
  metric: {
    kind: 'metric',
    name: 'sales',
    type: 'conversion',
    base: 'orders.count',
    conversion: 'orders.revenue',
    entity: 'orders.customer_id',
    ts: 'orders.day',
    window: '7 days',
  },
};
const FILTERED = (filter: typeof PROJECT.metric) => ({
  metric: { ...PROJECT.metric, filters: [filter] },
});

/** Metrics. */
export const METRIC_EVIDENCE: EvidenceOf = {
  kind: says('metrics', 'yaml.unknown-kind'),
  name: differs('takings', 'info', { instead: 'sales' }),
  type: differs('cumulative', 'questions'),
  measure: differs('orders.count', 'questions', { instead: 'orders.revenue' }),
  numerator: differs('orders.count', 'questions', { around: RATIO, instead: 'orders.revenue' }),
  denominator: differs('orders.revenue', 'questions', { around: RATIO, instead: 'orders.count' }),
  expression: differs('{a} * 3', 'questions', { around: DERIVED, instead: '{a} * 2' }),
  inputs: differs([{ name: 'a', ref: 'orders.count' }], 'questions', {
    around: DERIVED,
    instead: [{ name: 'a', ref: 'orders.revenue' }],
  }),
  'inputs.name': differs('b', 'diagnostics', { around: DERIVED, instead: 'a' }),
  'inputs.ref': differs('orders.count', 'questions', { around: DERIVED, instead: 'orders.revenue' }),
  window: differs('7 days', 'questions', { around: CUMULATIVE }),
  to_date: differs('month', 'questions', { around: CUMULATIVE }),
  base: says('orders.nothing', 'semantic.unknown-member', { around: CONVERSION }),
  conversion: says('orders.nothing', 'semantic.unknown-member', { around: CONVERSION }),
  entity: says('orders.nothing', 'semantic.unknown-member', { around: CONVERSION }),
  ts: says('orders.region', 'semantic.not-time'),
  granularity: differs('year', 'info', { instead: 'day' }),
  'dimensions.name': differs('place', 'questions'),
  'dimensions.ref': differs('orders.id', 'questions', { instead: 'orders.region' }),
  segments: differs(['orders.large'], 'questions'),
  filters: differs(["{orders.region} = 'EU'"], 'questions'),
  'filter.member': differs('orders.id', 'questions', {
    around: FILTERED({ member: 'orders.customer_id', operator: 'equals', values: [1] }),
    instead: 'orders.customer_id',
  }),
  'filter.operator': differs('notEquals', 'questions', {
    around: FILTERED({ member: 'orders.region', operator: 'equals', values: ['EU'] }),
    instead: 'equals',
  }),
  'filter.values': differs(['US'], 'questions', {
    around: FILTERED({ member: 'orders.region', operator: 'equals', values: ['EU'] }),
    instead: ['EU'],
  }),
  'filter.and': differs([{ member: 'orders.region', operator: 'equals', values: ['EU'] }], 'questions', {
    around: FILTERED({ and: [] }),
    instead: [{ member: 'orders.region', operator: 'set' }],
  }),
  'filter.or': differs([{ member: 'orders.region', operator: 'equals', values: ['EU'] }], 'questions', {
    around: FILTERED({ or: [] }),
    instead: [{ member: 'orders.region', operator: 'set' }],
  }),
  title: shown(),
  description: shown(),
  owner: shown(),
  tags: shown((word) => [word]),
  terms: shown((word) => [word]),
  format: shown(),
  ...AI_CONTEXT,
  target: shown((word) => ({ aim: word })),
};

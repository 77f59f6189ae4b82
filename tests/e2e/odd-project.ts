/*
 * Rows that are hard to carry: numbers on both sides of 2^53, wide decimals, texts with commas, quotes and line ends beside
 * empty ones, NULL everywhere, instants around the change of clocks, accounts that nobody has. And groups that see all of
 * them, some of them, or nothing.
 */
import type { ShopFilter, Words } from './shop-questions.ts';

export const ODD_PROJECT: Readonly<Record<string, string>> = {
  'config.yaml': `name: odd
gateways:
  local:
    connection: {type: duckdb, database: odd.duckdb}
model_defaults: {dialect: duckdb, start: '2024-01-01'}
`,
  'models/facts.sql': `MODEL (name marts.facts, kind FULL, grain fact_id);
SELECT
  CAST(i AS INTEGER) AS fact_id,
  CAST(CASE WHEN i % 11 = 5 THEN NULL ELSE 9007199254740970 + i END AS BIGINT) AS serial,
  CAST(CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'EU' WHEN 2 THEN 'US' WHEN 3 THEN '' ELSE 'a,"b"' || chr(10) || ' ä€😀\\' END AS TEXT) AS place,
  CAST(CASE WHEN i % 7 = 0 THEN NULL ELSE i * 1.2345 - 20 END AS DECIMAL(18, 4)) AS amount,
  CAST(CASE WHEN i % 3 = 0 THEN i - 30 ELSE CAST(i - 30 AS HUGEINT) * 1000000000000000000 END AS HUGEINT) AS weight,
  CAST(CASE WHEN i % 9 = 0 THEN NULL ELSE i * 0.25 - 3 END AS DOUBLE) AS ratio,
  CAST(CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN TRUE ELSE FALSE END AS BOOLEAN) AS is_open,
  CAST(CASE WHEN i % 13 = 0 THEN NULL ELSE DATE '2023-12-20' + CAST(i * 5 AS INTEGER) END AS DATE) AS happened_on,
  CAST(CASE WHEN i % 17 = 16 THEN NULL ELSE TIMESTAMP '2024-03-30 20:30:00.123456' + CAST(i AS INTEGER) * INTERVAL '97 minutes' END AS TIMESTAMP) AS logged_at,
  CAST(TIMESTAMPTZ '2024-10-26 20:15:00+00' + CAST(i AS INTEGER) * INTERVAL '61 minutes' AS TIMESTAMPTZ) AS sent_at,
  CAST(CASE WHEN i % 6 = 0 THEN NULL ELSE i % 8 END AS INTEGER) AS account_id
FROM range(60) AS numbers(i)
`,
  'models/accounts.sql': `MODEL (name marts.accounts, kind FULL, grain account_id);
SELECT account_id::INTEGER AS account_id, tier::TEXT AS tier, score::UBIGINT AS score, opened_on::DATE AS opened_on, secret::TEXT AS secret
FROM (VALUES (1, 'gold', 18446744073709551615, '2020-02-29', 's1'), (2, 'gold', 9007199254740991, '2021-07-01', 's2'),
  (3, NULL, 9007199254740992, NULL, NULL), (4, 'tin', NULL, '2021-12-31', 's4'), (5, '', 0, '2022-01-01', ''), (99, 'lead', 7, '2020-02-29', 's9'))
  AS t(account_id, tier, score, opened_on, secret)
`,
  'models/alone.sql': `MODEL (name marts.alone, kind FULL, grain alone_id);
SELECT 1::INTEGER AS alone_id
`,
  'models/semantics/alone.yml': `kind: semantic
name: alone
depends_on: marts.alone
dimensions: [alone_id]
segments: [{name: first, expression: "{alone_id} = 1"}]
policies: [{group: all}]
`,
  'models/semantics/facts.yml': `kind: semantic
name: facts
depends_on: marts.facts
dimensions: [fact_id, serial, place, is_open, ratio, happened_on, logged_at, sent_at]
measures:
  - {name: total, type: sum, expression: "{amount}", format: currency}
  - {name: mean, type: avg, expression: "{amount}"}
  - {name: serials, type: sum, expression: "{serial}"}
  - {name: highest_serial, type: max, expression: "{serial}"}
  - {name: heaviest, type: max, expression: "{weight}"}
  - {name: weights, type: sum, expression: "{weight}"}
  - {name: ratios, type: sum, expression: "{ratio}"}
  - {name: middle, type: median, expression: "{fact_id}"}
  - {name: places, type: count_distinct, expression: "{place}"}
  - {name: first_on, type: min, expression: "{happened_on}"}
  - {name: last_logged, type: max, expression: "{logged_at}"}
  - {name: last_sent, type: max, expression: "{sent_at}"}
  - {name: open_ones, type: count, filters: ["{is_open}"]}
  - {name: share, type: number, expression: "{open_ones} / NULLIF({count}, 0)", format: percent}
  - {name: per_fact, type: number, expression: "{total} / NULLIF({count}, 0)"}
segments:
  - {name: early, expression: "{fact_id} < 20"}
joins:
  - {name: accounts, type: many_to_one, on: "{account_id} = {accounts.account_id}"}
policies: [{group: all}, {group: eu, filter: [{member: place, operator: equals, values: [EU, '']}]}, {group: few, filter: [{member: place, operator: equals, values: [nowhere]}]}]
`,
  'models/semantics/accounts.yml': `kind: semantic
name: accounts
depends_on: marts.accounts
dimensions: [account_id, tier, score, opened_on, {name: secret, mask_expression: "'***'"}, {name: inner_secret, expression: "{secret}", type: string, public: false}]
measures:
  - {name: scores, type: sum, expression: "{score}"}
policies: [{group: all}, {group: eu, mask: [secret]}, {group: few}]
`,
  'models/metrics/monthly_total.yml': `kind: metric
name: monthly_total
measure: facts.total
ts: facts.happened_on
granularity: month
dimensions: [facts.place, accounts.tier]
`,
  'models/metrics/sent.yml': `kind: metric
name: sent
measure: facts.count
ts: facts.sent_at
granularity: hour
dimensions: [facts.is_open, accounts.score]
`,
  'models/metrics/serials_so_far.yml': `kind: metric
name: serials_so_far
type: cumulative
measure: facts.serials
ts: facts.logged_at
granularity: day
to_date: month
dimensions: [facts.place]
`,
  'models/metrics/total_per_fact.yml': `kind: metric
name: total_per_fact
type: ratio
numerator: facts.total
denominator: facts.count
ts: facts.happened_on
granularity: quarter
dimensions: [accounts.tier]
`,
};

const is = (
  member: string,
  operator: ShopFilter['operator'],
  values: readonly unknown[],
  sql?: string,
): ShopFilter => ({ member, operator, values, ...(sql === undefined ? {} : { sql }) });

export const ODD_WORDS: readonly Words[] = [
  {
    root: 'facts',
    dimensions: [
      'fact_id',
      'serial',
      'place',
      'is_open',
      'ratio',
      'happened_on',
      'happened_on:month',
      'happened_on:week',
      'happened_on:year',
      'logged_at',
      'logged_at:day',
      'logged_at:hour',
      'sent_at',
      'sent_at:day',
      'sent_at:hour',
      'accounts.tier',
      'accounts.score',
      'accounts.opened_on',
      'accounts.opened_on:quarter',
      'accounts.secret',
    ],
    measures: [
      'count',
      'total',
      'mean',
      'serials',
      'highest_serial',
      'heaviest',
      'weights',
      'ratios',
      'middle',
      'places',
      'first_on',
      'last_logged',
      'last_sent',
      'open_ones',
      'share',
      'per_fact',
    ],
    segments: ['early'],
    filters: [
      is('fact_id', 'gt', [1000], 'facts.fact_id > 1000'),
      is('fact_id', 'lte', [40], 'facts.fact_id <= 40'),
      is('serial', 'equals', ['9007199254740993'], 'facts.serial = 9007199254740993'),
      is('serial', 'gte', ['9007199254740992'], 'facts.serial >= 9007199254740992'),
      is('serial', 'notSet', [], 'facts.serial IS NULL'),
      is('place', 'equals', ['a,"b"\n ä€😀\\']),
      is('place', 'in', ['EU', ''], "facts.place IN ('EU', '')"),
      is('place', 'notEquals', ['US']),
      is('place', 'contains', ['"']),
      is('is_open', 'equals', [false], 'facts.is_open = FALSE'),
      is('ratio', 'lt', ['0.5'], 'facts.ratio < 0.5'),
      is(
        'happened_on',
        'inDateRange',
        ['2024-01-15', '2024-06-30'],
        "facts.happened_on BETWEEN DATE '2024-01-15' AND DATE '2024-06-30'",
      ),
      is('happened_on', 'notSet', [], 'facts.happened_on IS NULL'),
      is('logged_at', 'onTheDate', ['2024-03-31']),
      is('sent_at', 'afterOrOnDate', ['2024-10-27']),
      is('total', 'gt', ['-10.5'], 'facts.total > -10.5'),
      is('count', 'gte', [2], 'facts.count >= 2'),
      is('accounts.tier', 'equals', ['gold'], "accounts.tier = 'gold'"),
      is('accounts.score', 'gt', ['9007199254740991'], 'accounts.score > 9007199254740991'),
    ],
  },
  {
    root: 'accounts',
    dimensions: ['tier', 'score', 'opened_on:year', 'opened_on', 'secret', 'facts.place', 'facts.is_open'],
    measures: ['count', 'scores', 'facts.total', 'facts.count', 'facts.serials'],
    segments: [],
    filters: [
      is('tier', 'set', [], 'accounts.tier IS NOT NULL'),
      is('score', 'in', ['18446744073709551615', '0'], 'accounts.score IN (18446744073709551615, 0)'),
      is('facts.place', 'equals', [null, 'EU']),
      is('opened_on', 'beforeDate', ['2021-07-01'], "accounts.opened_on < DATE '2021-07-01'"),
    ],
  },
];

/** Metrics with what can be asked of them. */
export const ODD_METRICS: readonly {
  readonly name: string;
  readonly dimensions: readonly string[];
  readonly granularities: readonly string[];
  readonly range: readonly [string, string];
}[] = [
  {
    name: 'monthly_total',
    dimensions: ['place', 'tier'],
    granularities: ['day', 'month', 'year'],
    range: ['2024-01-01', '2024-04-30'],
  },
  {
    name: 'sent',
    dimensions: ['is_open', 'score'],
    granularities: ['hour', 'day', 'week'],
    range: ['2024-10-27', '2024-10-27'],
  },
  {
    name: 'serials_so_far',
    dimensions: ['place'],
    granularities: ['day', 'month'],
    range: ['2024-03-31', '2024-04-02'],
  },
  {
    name: 'total_per_fact',
    dimensions: ['tier'],
    granularities: ['month', 'quarter', 'year'],
    range: ['2024-01-01', '2024-12-31'],
  },
];

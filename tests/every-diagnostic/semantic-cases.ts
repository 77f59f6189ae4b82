import { type DiagnosticCase, loading, type MarkedFiles } from './diagnostic-case.ts';

const BASE = {
  'config.yaml': 'users: [{username: mara, groups: [admin]}]\n',
  'external_models.yaml': [
    '- {name: marts.orders, grain: id, columns: {id: bigint, status: text, amount: "decimal(10,2)", order_date: date, customer_id: bigint, ship_id: bigint, bill_id: bigint}}',
    '- {name: marts.customers, grain: id, columns: {id: bigint, region: text, since: timestamp}}',
    '- {name: marts.addresses, grain: id, columns: {id: bigint, city: text}}',
    '- {name: marts.nokey, columns: {id: bigint}}',
    '',
  ].join('\n'),
  'models/semantics/customers.yml':
    'kind: semantic\nname: customers\ndepends_on: marts.customers\nmeasures: [{name: n, type: count}]\n',
  'models/semantics/addresses.yml': 'kind: semantic\nname: addresses\ndepends_on: marts.addresses\n',
};
const ORDERS = 'kind: semantic\nname: orders\ndepends_on: marts.orders\n';
const SHIP = '{name: ship_to, model: addresses, type: many_to_one, on: "{ship_id} = {ship_to.id}"}';
const BILL = '{name: bill_to, model: addresses, type: many_to_one, on: "{bill_id} = {bill_to.id}"}';

/** Of the semantic model orders, whose body is given. */
const orders = (code: string, body: string): DiagnosticCase =>
  loading(code, { ...BASE, 'models/semantics/orders.yml': `${ORDERS}${body}\n` });
const measures = (code: string, list: string): DiagnosticCase => orders(code, `measures: [${list}]`);
const joins = (code: string, ...list: readonly string[]): DiagnosticCase =>
  orders(code, `joins:\n${list.map((each) => `  - ${each}\n`).join('')}`);
const granularity = (code: string, more: string): DiagnosticCase =>
  orders(code, `dimensions: [{name: order_date, granularities: [{name: g, interval: 1 week, ${more}}]}]`);

/** Of a metric over orders. */
const metric = (code: string, text: string, more: MarkedFiles = {}): DiagnosticCase =>
  loading(code, {
    ...more,
    ...BASE,
    'models/semantics/orders.yml': `${ORDERS}measures: [{name: revenue, type: sum, expression: "{amount}"}, {name: aov, type: number, expression: "{revenue} / 2"}]\njoins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\n`,
    'models/metrics/m.yml': `kind: metric\n${text}\n`,
  });
const SIMPLE = 'name: m\nmeasure: orders.revenue\nts: orders.order_date';

/** What is wrong in semantic models and metrics. */
export const semanticCases: readonly DiagnosticCase[] = [
  loading('semantic.duplicate-name', {
    ...BASE,
    'models/semantics/second.yml': 'kind: semantic\nname: «customers»\ndepends_on: marts.customers\n',
  }),
  loading('semantic.unknown-model', {
    'models/semantics/o.yml': 'kind: semantic\nname: o\ndepends_on: «h.healthi»\n',
  }),
  loading('semantic.missing-key', {
    ...BASE,
    'models/semantics/o.yml': 'kind: semantic\nname: «o»\ndepends_on: marts.nokey\n',
  }),
  measures('semantic.duplicate-member', '{name: m, type: count}, {name: «m», type: count}'),
  joins('semantic.unknown-semantic-model', '{name: «custmers», type: many_to_one, on: "{customer_id} = 1"}'),
  orders('semantic.unknown-column', 'dimensions: [«statu»]'),
  measures('semantic.unknown-member', '{name: m, type: sum, expression: "1 + «{amont}»"}'),
  orders(
    'semantic.wrong-member',
    'measures: [{name: m, type: count}]\npolicies: [{group: admin, mask: [«m»]}]',
  ),
  measures('semantic.bad-expression', '{name: m, type: sum, expression: "{amount} «+»"}'),
  measures('semantic.bad-reference', '{name: m, type: sum, expression: "«{a.b.c}»"}'),
  measures('semantic.missing-expression', '{name: m, type: «sum»}'),
  measures('semantic.type-mismatch', '{name: m, type: sum, expression: "«{status}»"}'),
  orders('semantic.not-boolean', 'segments: [{name: s, expression: "«{amount}»"}]'),
  measures('semantic.missing-percentile', '{name: «m», type: percentile, expression: "{amount}"}'),
  measures('semantic.aggregate-in-expression', '{name: m, type: sum, expression: "«MAX»({amount})"}'),
  orders('semantic.aggregate-in-row', 'dimensions: [{name: d, expression: "«SUM»({amount})"}]'),
  measures('semantic.measure-in-row', '{name: m, type: count}, {name: s, type: sum, expression: "«{m}»"}'),
  measures('semantic.not-aggregated', '{name: m, type: number, expression: "«{amount}» / 2"}'),
  measures(
    'semantic.cycle',
    '{name: «a», type: number, expression: "{b}"}, {name: b, type: number, expression: "{a}"}',
  ),
  measures('semantic.bad-window', '{name: m, type: count, rolling_window: «{offset: end}»}'),
  measures(
    'semantic.window-needs-aggregate',
    '{name: «m», type: number, expression: "{count}", rolling_window: {trailing: 7 days}}',
  ),
  measures(
    'semantic.filtered-measure',
    `{name: m, type: number, expression: "{count} / 2", filters: [«"{status} = 'x'"»]}`,
  ),
  loading('semantic.fan-out-in-measure', {
    ...BASE,
    'models/semantics/orders.yml': `${ORDERS}joins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\n`,
    'models/semantics/customers.yml': `kind: semantic
name: customers
depends_on: marts.customers
dimensions:
  - id
  - {name: large, expression: "{orders.amount} > 100"}
measures:
  - {name: spent, type: sum, expression: "«{orders.amount}»"}
  - {name: big, type: count, filters: ["«{large}»"]}
  - {name: mean, type: number, expression: "{orders.count} / COUNT(«{orders.id}»)"}
`,
  }),
  measures(
    'semantic.bad-stock',
    '{name: «m», type: count, rolling_window: {trailing: 7 days}, behavior: {type: stock, time_dimension: order_date}}',
  ),
  measures('semantic.not-a-stock', '{name: m, type: count, behavior: «{type: flow, per: [id]}»}'),
  orders('semantic.not-time', 'dimensions: [{name: «status», granularities: [{name: g, interval: 1 week}]}]'),
  orders(
    'semantic.unknown-granularity',
    'rollups: [{name: r, measures: [count], time_dimension: order_date, granularity: «mnth»}]',
  ),
  granularity('semantic.origin-and-offset', 'offset: 1 day, origin: «2024-01-01»'),
  granularity('semantic.bad-origin', 'origin: «someday»'),
  orders(
    'semantic.uneven-granularity',
    'dimensions: [{name: order_date, granularities: [{name: g, interval: «1 month 3 days»}]}]',
  ),
  joins('semantic.join-without-condition', '{name: «customers», type: many_to_one}'),
  joins('semantic.join-one-sided', '{name: customers, type: many_to_one, on: «"{orders.customer_id} = 1"»}'),
  joins(
    'semantic.join-foreign-model',
    '{name: addresses, type: many_to_one, on: "{ship_id} = {addresses.id}"}',
    '{name: customers, type: many_to_one, on: "{customer_id} = {customers.id} AND «{addresses.id}» = 1"}',
  ),
  joins(
    'semantic.bridge-missing',
    '{name: «customers», type: many_to_many, on: "{customer_id} = {customers.id}"}',
  ),
  joins(
    'semantic.bridge-without-path',
    '{name: addresses, type: many_to_one, on: "{ship_id} = {addresses.id}"}',
    '{name: customers, type: many_to_many, through: «addresses»}',
  ),
  orders('semantic.no-path', 'dimensions: [{name: d, expression: "«{customers.region}»"}]'),
  orders(
    'semantic.ambiguous-path',
    `dimensions: [{name: d, expression: "«{addresses.city}»"}]\njoins:\n  - ${SHIP}\n  - ${BILL}`,
  ),
  orders('semantic.bad-filter', 'policies: [{group: admin, filter: [«{operator: equals}»]}]'),
  orders(
    'semantic.foreign-mask',
    'joins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\npolicies: [{group: admin, mask: [«customers.region»]}]',
  ),
  orders('semantic.unknown-group', 'policies: [{group: «analist»}]'),
  orders('semantic.empty-rollup', 'rollups: [{name: «r», dimensions: [status]}]'),
  orders('semantic.unused-rollup', 'rollups: [{name: «r», measures: [count], dimensions: [status]}]'),
  loading('semantic.measure-not-kept', {
    ...BASE,
    'models/orders.sql':
      "MODEL (name h.orders, kind FULL, grain id);\nSELECT 1 AS id, 2 AS amount, DATE '2024-01-01' AS day\n",
    'models/semantics/h.yml': `kind: semantic
name: h
depends_on: h.orders
measures:
  - {name: n, type: sum, expression: "{amount}"}
  - {name: w, type: sum, expression: "{amount}", rolling_window: {trailing: 7 days}}
  - {name: b, type: number, expression: "{n} / {before}"}
  - {name: before, type: number, expression: "{n}", time_shift: {by: 1 month}}
  - {name: s, type: sum, expression: "{amount}", behavior: {type: stock, time_dimension: day}}
rollups: [{name: r, measures: [n, «w», «b», «s», h.count], time_dimension: day, granularity: day}]
`,
  }),

  metric('metric.missing-key', 'name: «m»\nts: orders.order_date'),
  metric('metric.key-of-other-type', `${SIMPLE}\nnumerator: «orders.revenue»`),
  metric('metric.bad-reference', 'name: m\nmeasure: «revenue»\nts: orders.order_date'),
  metric(
    'metric.unknown-input',
    'name: m\ntype: derived\nexpression: "{a} / «{b}»"\ninputs: {a: orders.revenue}',
  ),
  metric('metric.unknown-metric', 'name: m\ntype: derived\nexpression: "{nowhere}"\ninputs: [«nowhere»]'),
  metric(
    'metric.bad-expression',
    'name: m\ntype: derived\nexpression: "{a} «/»"\ninputs: {a: orders.revenue}',
  ),
  metric('metric.cycle', 'name: «m»\ntype: derived\nexpression: "{m}"\ninputs: [m]'),
  metric(
    'metric.duplicate-dimension',
    `${SIMPLE}\ndimensions: [orders.status, {name: status, ref: «customers.region»}]`,
  ),
  metric('test.unknown-metric-column', SIMPLE, {
    'tests/test_m.yaml':
      'test_m: {semantic_query: {measures: [«m.mesure»]}, inputs: {marts.orders: []}, rows: []}\n',
  }),
  metric('metric.not-additive', 'name: m\ntype: cumulative\nmeasure: «orders.aov»\nts: orders.order_date'),
];

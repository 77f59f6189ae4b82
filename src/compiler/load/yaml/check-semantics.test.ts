import { describe, expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import type { Metric } from '../../../domain/metric.ts';
import type { SemanticModel } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { checkSemantics } from './check-semantics.ts';
import { loadDefinition } from './load-definition.ts';
import type { CheckedModel } from './semantic-world.ts';

function model(
  name: string,
  columns: Readonly<Record<string, string>>,
  grains: readonly (readonly string[])[] = [['id']],
): CheckedModel {
  return {
    name,
    columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
    hasAllColumns: true,
    grains,
    dialect: 'duckdb',
  };
}

const MODELS = [
  model('marts.orders', {
    id: 'BIGINT',
    status: 'VARCHAR',
    amount: 'DECIMAL(10,2)',
    order_date: 'DATE',
    customer_id: 'BIGINT',
    ship_id: 'BIGINT',
    bill_id: 'BIGINT',
  }),
  model('marts.customers', { id: 'BIGINT', region: 'VARCHAR', since: 'TIMESTAMP' }),
  model('marts.addresses', { id: 'BIGINT', city: 'VARCHAR' }),
  model('marts.nokey', { id: 'BIGINT' }, []),
];

const CUSTOMERS =
  'kind: semantic\nname: customers\ndepends_on: marts.customers\nmeasures: [{name: n, type: count}]\n';
const ADDRESSES = 'kind: semantic\nname: addresses\ndepends_on: marts.addresses\n';
const ORDERS = `kind: semantic
name: orders
depends_on: marts.orders
dimensions:
  - status
  - {name: order_date, granularities: [{name: fiscal_year, interval: 1 year, offset: 1 month}]}
  - {name: size, expression: "CASE WHEN {amount} > 100 THEN 'big' ELSE '{amount}' END", type: string}
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: done, type: count, filters: ["{status} = 'done'"]}
  - {name: aov, type: number, expression: "{revenue} / NULLIF({count}, 0)"}
  - {name: is_profitable, type: boolean, expression: "{revenue} > 100"}
  - {name: own, type: number, expression: "SUM({amount}) / COUNT(*)"}
  - {name: kept, type: sum, expression: "{amount}", behavior: {type: stock, time_dimension: order_date}}
  - {name: week, type: sum, expression: "{amount}", rolling_window: {trailing: 7 days}}
segments: [{name: weekend, expression: "EXTRACT(dow FROM {order_date}) IN (0, 6)"}]
joins:
  - {name: customers, type: many_to_one, on: "{orders.customer_id} = {customers.id}"}
  - {name: ship_to, model: addresses, type: many_to_one, on: "{ship_id} = {ship_to.id}"}
policies: [{group: analyst, filter: [{or: [{member: status, operator: equals, values: [a]}, {member: customers.region, operator: set}]}], mask: [status]}]
rollups: [{name: monthly, measures: [revenue, count], dimensions: [status], time_dimension: order_date, granularity: fiscal_year}]
`;

function load(sources: readonly string[]): {
  diagnostics: readonly Diagnostic[];
  semanticModels: SemanticModel[];
  metrics: Metric[];
} {
  const semanticModels: SemanticModel[] = [];
  const metrics: Metric[] = [];
  const diagnostics: Diagnostic[] = [];
  sources.forEach((text, i) => {
    const loaded = loadDefinition({ path: `models/semantics/${i}.yml`, text });
    if (loaded.semanticModel !== undefined) semanticModels.push(loaded.semanticModel);
    if (loaded.metric !== undefined) metrics.push(loaded.metric);
    diagnostics.push(...loaded.diagnostics);
  });
  diagnostics.push(
    ...checkSemantics({ semanticModels, metrics, models: MODELS, groups: new Set(['analyst', 'admin']) }),
  );
  return { diagnostics, semanticModels, metrics };
}

/** The first source is marked and is file 0. */
function expectMarked(
  code: string,
  source: string,
  others: readonly string[] = [CUSTOMERS, ADDRESSES],
): void {
  const { text, range } = marked(source);
  const found = load([text, ...others]).diagnostics;
  expect(found.map((each) => each.code)).toEqual([code]);
  expect(found[0]?.at).toEqual({ file: 'models/semantics/0.yml', ...range });
}

/** Where diagnostics are, in the order of the file. */
const places = (diagnostics: readonly Diagnostic[]): readonly { start: number; end: number }[] =>
  diagnostics
    .map(({ at }) => ({ start: at?.start ?? -1, end: at?.end ?? -1 }))
    .sort((a, b) => a.start - b.start);

const semantic = (body: string): string => `kind: semantic\nname: orders\ndepends_on: marts.orders\n${body}`;

test('a complete semantic model has no diagnostics', () => {
  expect(load([ORDERS, CUSTOMERS, ADDRESSES]).diagnostics).toEqual([]);
});

test('omitted dimensions are all columns, and a measure may have the name of one', () => {
  expect(
    load([
      semantic(
        'measures: [{name: amount, type: sum, expression: "{amount}"}, {name: x, type: number, expression: "{amount} * 2"}]',
      ),
    ]).diagnostics,
  ).toEqual([]);
});

test('nothing is said about columns of a model whose columns are not all known', () => {
  const { semanticModels } = load([
    semantic('dimensions: [nowhere]\nmeasures: [{name: m, type: sum, expression: "{m} + bare"}]'),
  ]);
  const open = MODELS.map((each) => ({ ...each, hasAllColumns: false, columns: [] }));
  expect(checkSemantics({ semanticModels, metrics: [], models: open })).toEqual([]);
});

describe('diagnostics of a semantic model', () => {
  test.each([
    ['semantic.unknown-model', 'kind: semantic\nname: o\ndepends_on: «marts.order»\n'],
    ['semantic.unknown-column', semantic('dimensions: [«statu»]')],
    ['semantic.unknown-column', semantic('primary_key: [«idd»]')],
    ['semantic.unknown-column', semantic('segments: [{name: s, expression: "«amont» > 1"}]')],
    ['semantic.unknown-member', semantic('measures: [{name: m, type: sum, expression: "1 + «{amont}»"}]')],
    ['semantic.unknown-member', semantic('policies: [{group: admin, mask: [«stat»]}]')],
    ['semantic.unknown-member', semantic('rollups: [{name: r, measures: [«revenue»]}]')],
    [
      'semantic.wrong-member',
      semantic('measures: [{name: m, type: count}]\npolicies: [{group: admin, mask: [«m»]}]'),
    ],
    ['semantic.duplicate-member', semantic('measures: [{name: m, type: count}, {name: «m», type: count}]')],
    [
      'semantic.duplicate-member',
      semantic('dimensions: [status]\nmeasures: [{name: «status», type: count}]'),
    ],
    [
      'semantic.bad-expression',
      semantic('measures: [{name: m, type: sum, expression: "{amount} +«»"}]').replace('+«»"', '«+»"'),
    ],
    ['semantic.bad-reference', semantic('measures: [{name: m, type: sum, expression: "«{a.b.c}»"}]')],
    ['semantic.missing-expression', semantic('measures: [{name: m, type: «sum»}]')],
    ['semantic.type-mismatch', semantic('measures: [{name: m, type: sum, expression: "«{status}»"}]')],
    [
      'semantic.type-mismatch',
      semantic('measures: [{name: m, type: avg, expression: "«{status} || \'x\'»"}]'),
    ],
    ['semantic.type-mismatch', semantic('measures: [{name: m, type: sum, expression: «order_date»}]')],
    [
      'semantic.missing-percentile',
      semantic('measures: [{name: «m», type: percentile, expression: "{amount}"}]'),
    ],
    [
      'semantic.aggregate-in-expression',
      semantic('measures: [{name: m, type: sum, expression: "«MAX»({amount})"}]'),
    ],
    ['semantic.aggregate-in-row', semantic('dimensions: [{name: d, expression: "«SUM»({amount})"}]')],
    [
      'semantic.measure-in-row',
      semantic('measures: [{name: m, type: count}, {name: s, type: sum, expression: "«{m}»"}]'),
    ],
    [
      'semantic.not-aggregated',
      semantic('measures: [{name: m, type: number, expression: "«{amount}» / 2"}]'),
    ],
    ['semantic.not-aggregated', semantic('measures: [{name: m, type: number, expression: "«amount» / 2"}]')],
    [
      'semantic.cycle',
      semantic(
        'measures: [{name: «a», type: number, expression: "{b}"}, {name: b, type: number, expression: "{a}"}]',
      ),
    ],
    [
      'semantic.bad-window',
      semantic('measures: [{name: m, type: count, rolling_window: «{trailing: 7 days, to_date: month}»}]'),
    ],
    ['semantic.bad-window', semantic('measures: [{name: m, type: count, rolling_window: «{offset: end}»}]')],
    [
      'semantic.window-needs-aggregate',
      semantic(
        'measures: [{name: «m», type: number, expression: "{count}", rolling_window: {trailing: 7 days}}]',
      ),
    ],
    [
      'semantic.not-time',
      semantic('dimensions: [{name: «status», granularities: [{name: g, interval: 1 week}]}]'),
    ],
    ['semantic.not-time', semantic('rollups: [{name: r, measures: [count], time_dimension: «status»}]')],
    [
      'semantic.not-time',
      semantic('measures: [{name: m, type: count, behavior: {type: stock, time_dimension: «status»}}]'),
    ],
    [
      'semantic.bad-stock',
      semantic(
        'measures: [{name: «m», type: count, rolling_window: {trailing: 7 days}, behavior: {type: stock, time_dimension: order_date}}]',
      ),
    ],
    [
      'semantic.bad-stock',
      semantic(
        'measures: [{name: m, type: «number», expression: "SUM({amount})", behavior: {type: stock, time_dimension: order_date}}]',
      ),
    ],
    ['semantic.bad-stock', semantic('measures: [{name: «m», type: count, behavior: {type: stock}}]')],
    [
      'semantic.bad-stock',
      semantic(
        'measures: [{name: m, type: «max», expression: "{amount}", behavior: {type: stock, time_dimension: orders.order_date, period_treatment: avg}}]',
      ),
    ],
    [
      'semantic.bad-stock',
      semantic(
        'joins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]\nmeasures: [{name: m, type: count, behavior: {type: stock, time_dimension: «customers.since»}}]',
      ),
    ],
    [
      'semantic.unknown-granularity',
      semantic('rollups: [{name: r, measures: [count], time_dimension: order_date, granularity: «mnth»}]'),
    ],
    [
      'semantic.origin-and-offset',
      semantic(
        'dimensions: [{name: order_date, granularities: [{name: g, interval: 1 week, offset: 1 day, origin: «2024-01-01»}]}]',
      ),
    ],
    [
      'semantic.bad-origin',
      semantic(
        'dimensions: [{name: order_date, granularities: [{name: g, interval: 1 week, origin: «someday»}]}]',
      ),
    ],
    ['semantic.missing-key', 'kind: semantic\nname: «o»\ndepends_on: marts.nokey\n'],
    ['semantic.join-without-condition', semantic('joins: [{name: «customers», type: many_to_one}]')],
    [
      'semantic.unknown-semantic-model',
      semantic('joins: [{name: «custmers», type: many_to_one, on: "{customer_id} = 1"}]'),
    ],
    [
      'semantic.join-one-sided',
      semantic('joins: [{name: customers, type: many_to_one, on: «"{orders.customer_id} = 1"»}]'),
    ],
    [
      'semantic.unknown-member',
      semantic(
        'joins: [{name: customers, type: many_to_one, on: "{orders.customer_id} = «{customers.idd}»"}]',
      ),
    ],
    [
      'semantic.bridge-missing',
      semantic('joins: [{name: «customers», type: many_to_many, on: "{customer_id} = {customers.id}"}]'),
    ],
    [
      'semantic.bridge-without-path',
      semantic(
        'joins: [{name: addresses, type: many_to_one, on: "{ship_id} = {addresses.id}"}, {name: customers, type: many_to_many, through: «addresses»}]',
      ),
    ],
    ['semantic.bad-filter', semantic('policies: [{group: admin, filter: [«{operator: equals}»]}]')],
    [
      'semantic.bad-filter',
      semantic('policies: [{group: admin, filter: [«{member: status, operator: equals}»]}]'),
    ],
    ['semantic.unknown-group', semantic('policies: [{group: «analist»}]')],
    ['semantic.empty-rollup', semantic('rollups: [{name: «r», dimensions: [status]}]')],
    ['semantic.no-path', semantic('dimensions: [{name: d, expression: "«{customers.region}»"}]')],
    ['yaml.unknown-key', semantic('«meassures»: []')],
    ['yaml.bad-value', semantic('measures: [{name: m, type: «summ»}]')],
    ['yaml.bad-value', semantic('measures: [{name: «1m», type: count}]')],
    ['yaml.missing-key', semantic('measures: [{«name»: m}]')],
    ['yaml.unknown-kind', 'kind: «semantics»\nname: x\n'],
  ])('%s is marked in %j', (code, source) => expectMarked(code, source));

  test.each([
    [
      'an unknown operator is no missing one, and its member is checked',
      ['yaml.bad-value', 'semantic.unknown-member'],
      'policies: [{group: admin, filter: [{member: «statsu», operator: «equal», values: [a]}]}]',
    ],
    [
      'a percentile out of range is not missing',
      ['yaml.bad-value'],
      'measures: [{name: m, type: percentile, p: «2», expression: "{amount}"}]',
    ],
    [
      'a measure of unknown type is checked as far as possible',
      ['yaml.bad-value', 'semantic.duplicate-member', 'semantic.unknown-member', 'semantic.unknown-column'],
      'measures: [{name: m, type: count}, {name: «m», type: «summ», expression: "{amount} + «{amont}»", filters: ["«statu» = 1"]}]',
    ],
    [
      'a misspelled expression is not missing',
      ['yaml.unknown-key'],
      'measures: [{name: m, type: sum, «expresion»: "{amount}"}]',
    ],
    [
      'a wrong granularity is reported without a time dimension',
      ['semantic.unknown-granularity'],
      'rollups: [{name: r, measures: [count], granularity: «mnth»}]',
    ],
    [
      'a wrong granularity is reported beside an unknown time dimension',
      ['semantic.unknown-member', 'semantic.unknown-granularity'],
      'rollups: [{name: r, measures: [count], time_dimension: «order_dat», granularity: «mnth»}]',
    ],
    ['a segment is a condition', ['semantic.not-boolean'], 'segments: [{name: s, expression: "«{amount}»"}]'],
    [
      'a filter of a measure is a condition',
      ['semantic.not-boolean'],
      'measures: [{name: m, type: count, filters: ["«{amount} + 1»"]}]',
    ],
    [
      'a misspelled dimension is not reported again where it is used rightly',
      ['semantic.unknown-column'],
      'dimensions: [«statu»]\nrollups: [{name: r, measures: [count], dimensions: [status]}]',
    ],
    [
      'a member without a name is checked, and what may be its name is not unknown',
      ['yaml.unknown-key', 'semantic.unknown-member'],
      'measures: [{«nmae»: m, type: sum, expression: "{amount}"}]\nrollups: [{name: r, measures: [m]}]\njoins: [{name: customers, type: many_to_one, on: "{customer_id} = «{customers.idd}»"}]',
    ],
    [
      'a join without a condition is not missing where it is used',
      ['semantic.join-without-condition'],
      'dimensions: [{name: d, expression: "{customers.region}"}]\njoins: [{name: «customers», type: many_to_one}]',
    ],
    [
      'a misspelled join is not missing where it is used',
      ['semantic.unknown-semantic-model'],
      'dimensions: [{name: d, expression: "{customers.region}"}]\njoins: [{name: «custmers», type: many_to_one, on: "{customer_id} = 1"}]',
    ],
    [
      'a measure without a type has a name',
      ['yaml.missing-key', 'semantic.unknown-member'],
      'measures: [{«name»: m}]\nrollups: [{name: r, measures: [m, «n»]}]',
    ],
  ])('%s', (_, codes, body) => {
    const { text, ranges } = marked(semantic(body));
    const { diagnostics } = load([text, CUSTOMERS, ADDRESSES]);
    expect(diagnostics.map((each) => each.code)).toEqual(codes);
    expect(places(diagnostics)).toEqual(ranges);
  });

  test('the member of a filter without operator is checked', () => {
    const body = 'policies: [{group: admin, filter: [{member: «statsu»}]}]';
    const { text, range } = marked(semantic(body));
    const { diagnostics } = load([text]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['semantic.bad-filter', 'semantic.unknown-member']);
    expect(diagnostics[1]?.at).toEqual({ file: 'models/semantics/0.yml', ...range });
  });

  test('the rest of a semantic model is checked when its name is misspelled', () => {
    const { text, ranges } = marked(
      'kind: semantic\n«nmae»: orders\ndepends_on: marts.orders\ndimensions: [«statu»]\nmeasures: [{name: m, type: sum, expression: "{orders.amount}"}]\n',
    );
    const metric = 'kind: metric\nname: x\nmeasure: orders.m\nts: orders.order_date\n';
    const { diagnostics } = load([text, metric, CUSTOMERS]);
    expect(diagnostics.map(({ code, at }) => [code, at?.start])).toEqual([
      ['yaml.unknown-key', ranges[0]?.start],
      ['semantic.unknown-column', ranges[1]?.start],
    ]);
  });

  test.each([
    ['dimensions: [statu]\nrollups: [{name: r, measures: [count], dimensions: [«stat»]}]', undefined],
    [
      'dimensions: [order_date]\nrollups: [{name: r, measures: [count], dimensions: [«status»]}]',
      'add status to the dimensions of orders',
    ],
  ])('suggestions are members that exist: %s', (body, hint) => {
    const { text, range } = marked(semantic(body));
    const found = load([text]).diagnostics.find(({ code }) => code === 'semantic.unknown-member');
    expect([found?.at?.start, found?.hint]).toEqual([range.start, hint]);
  });

  test('semantic.join-foreign-model is marked', () => {
    expectMarked(
      'semantic.join-foreign-model',
      semantic(
        'joins:\n  - {name: addresses, type: many_to_one, on: "{ship_id} = {addresses.id}"}\n  - {name: customers, type: many_to_one, on: "{customer_id} = {customers.id} AND «{addresses.id}» = 1"}\n',
      ),
    );
  });

  test('semantic.ambiguous-path names the ways', () => {
    const source = semantic(
      'dimensions: [{name: d, expression: "«{addresses.city}»"}]\njoins:\n  - {name: ship_to, model: addresses, type: many_to_one, on: "{ship_id} = {ship_to.id}"}\n  - {name: bill_to, model: addresses, type: many_to_one, on: "{bill_id} = {bill_to.id}"}\n',
    );
    expectMarked('semantic.ambiguous-path', source);
    expect(load([marked(source).text, CUSTOMERS, ADDRESSES]).diagnostics[0]?.message).toContain(
      'ship_to; bill_to',
    );
    expect(
      load([marked(source).text.replace('{addresses.city}', '{ship_to.city}'), ADDRESSES]).diagnostics,
    ).toEqual([]);
  });

  test('semantic.duplicate-name is marked at the second file', () => {
    const { text, range } = marked('kind: semantic\nname: «customers»\ndepends_on: marts.customers\n');
    const found = load([CUSTOMERS, text]).diagnostics;
    expect(found.map((each) => [each.code, each.at])).toEqual([
      ['semantic.duplicate-name', { file: 'models/semantics/1.yml', ...range }],
    ]);
  });

  test('errors point into block scalars and escaped strings', () => {
    expectMarked(
      'semantic.unknown-member',
      semantic('measures:\n  - name: m\n    type: sum\n    expression: |\n      1 +\n      «{amont}»\n'),
    );
    expectMarked(
      'semantic.unknown-member',
      semantic(
        'measures: [{name: m, type: count, filters: ["{status} = \\"x\\" AND «{amont}» > 1"]}]'.replaceAll(
          '\\"',
          "'",
        ),
      ),
    );
  });

  test('braces in strings are text', () => {
    expect(
      load([semantic(`segments: [{name: s, expression: "{status} = '{nothing}'"}]`)]).diagnostics,
    ).toEqual([]);
  });
});

describe('metrics', () => {
  const metric = (body: string): string => `kind: metric\nname: m\n${body}`;
  const simple = 'measure: orders.revenue\nts: orders.order_date\n';

  test('every type is read', () => {
    const { diagnostics, metrics } = load([
      ORDERS, CUSTOMERS, ADDRESSES,
      `kind: metric\nname: revenue_m\n${simple}granularity: fiscal_year\ndimensions: [orders.status, {name: region, ref: customers.region}, ship_to.city]\nsegments: [orders.weekend]\nfilters: [{member: orders.status, operator: equals, values: a}, "{customers.region} = 'EU'"]\n`,
      'kind: metric\nname: ratio_m\ntype: ratio\nnumerator: orders.done\ndenominator: orders.count\nts: orders.order_date\n',
      'kind: metric\nname: derived_m\ntype: derived\nexpression: "{revenue_m} / NULLIF({n}, 0)"\ninputs: [revenue_m, {name: n, ref: customers.n}]\n',
      'kind: metric\nname: cumulative_m\ntype: cumulative\nmeasure: orders.revenue\nto_date: year\nts: orders.order_date\n',
      'kind: metric\nname: conversion_m\ntype: conversion\nbase: customers.n\nconversion: orders.count\nentity: customers.id\nwindow: 30 days\nts: customers.since\n',
    ]); // biome-ignore format: a table
    expect(diagnostics).toEqual([]);
    expect(metrics.map((each) => each.calculation.kind)).toEqual([
      'simple',
      'ratio',
      'derived',
      'cumulative',
      'conversion',
    ]);
    expect(metrics[0]?.dimensions.map((each) => each.name)).toEqual(['status', 'region', 'city']);
  });

  test.each([
    ['metric.missing-key', 'kind: metric\nname: «m»\nts: orders.order_date\n'],
    ['metric.missing-key', 'kind: metric\nname: «m»\nmeasure: orders.revenue\n'],
    ['metric.key-of-other-type', metric(`${simple}numerator: «orders.done»\n`)],
    ['metric.bad-reference', metric('measure: «revenue»\nts: orders.order_date\n')],
    ['metric.bad-reference', metric(`${simple}filters: ["«status» = 1"]\n`)],
    ['semantic.unknown-member', metric('measure: «orders.revenu»\nts: orders.order_date\n')],
    ['semantic.wrong-member', metric('measure: «orders.status»\nts: orders.order_date\n')],
    ['semantic.not-time', metric('measure: orders.revenue\nts: «orders.status»\n')],
    ['semantic.unknown-granularity', metric(`${simple}granularity: «mnth»\n`)],
    ['semantic.unknown-semantic-model', metric(`${simple}dimensions: [«custmers.region»]\n`)],
    [
      'metric.duplicate-dimension',
      metric(`${simple}dimensions: [orders.status, {name: status, ref: «customers.region»}]\n`),
    ],
    [
      'metric.unknown-input',
      metric('type: derived\nexpression: "{a} / «{b}»"\ninputs: {a: orders.revenue}\n'),
    ],
    ['metric.unknown-metric', metric('type: derived\nexpression: "{nowhere}"\ninputs: [«nowhere»]\n')],
    ['metric.bad-expression', metric('type: derived\nexpression: "{a} «/»"\ninputs: {a: orders.revenue}\n')],
    ['metric.cycle', 'kind: metric\nname: «m»\ntype: derived\nexpression: "{m}"\ninputs: [m]\n'],
    ['metric.not-additive', metric('type: cumulative\nmeasure: «orders.aov»\nts: orders.order_date\n')],
    [
      'metric.not-additive',
      metric('type: cumulative\nmeasure: «orders.is_profitable»\nts: orders.order_date\n'),
    ],
    ['semantic.bad-stock', metric('type: cumulative\nmeasure: «orders.kept»\nts: orders.order_date\n')],
    [
      'semantic.fan-out-in-measure',
      metric(
        'type: conversion\nbase: customers.n\nconversion: orders.count\nentity: «orders.customer_id»\nts: customers.since\n',
      ),
    ],
    ['semantic.bad-window', metric('type: cumulative\nmeasure: «orders.week»\nts: orders.order_date\n')],
  ])('%s is marked in %j', (code, source) => expectMarked(code, source, [ORDERS, CUSTOMERS, ADDRESSES]));
});

describe('a metric with something wrong in it', () => {
  test.each([
    [
      'a type nobody knows hides nothing and invents nothing',
      ['yaml.bad-value', 'semantic.unknown-member', 'semantic.unknown-member'],
      'type: «rato»\nnumerator: «orders.revenu»\ndenominator: orders.count\nts: «orders.order_dat»\n',
    ],
    [
      'a misspelled measure is not missing, and the rest is checked',
      ['yaml.unknown-key', 'semantic.unknown-member'],
      '«mesure»: orders.revenue\nts: «orders.order_dat»\n',
    ],
    [
      'a missing measure does not hide the rest',
      ['metric.missing-key', 'semantic.unknown-granularity'],
      'ts: orders.order_date\ngranularity: «mnth»\n',
    ],
    [
      'a wrong granularity is reported beside an unknown time',
      ['semantic.unknown-member', 'semantic.unknown-granularity'],
      'measure: orders.revenue\nts: «orders.order_dat»\ngranularity: «mnth»\n',
    ],
    [
      'who converts must be a column',
      ['semantic.unknown-member'],
      'type: conversion\nbase: orders.count\nconversion: orders.done\nentity: «orders.custmer_id»\nts: orders.order_date\n',
    ],
    [
      'who converts may be a column that is no dimension',
      [],
      'type: conversion\nbase: orders.count\nconversion: orders.done\nentity: orders.customer_id\nts: orders.order_date\n',
    ],
  ])('%s', (_, codes, body) => {
    const name = codes[0] === 'metric.missing-key' ? '«m»' : 'm';
    const { text, ranges } = marked(`kind: metric\nname: ${name}\n${body}`);
    const { diagnostics } = load([text, ORDERS, CUSTOMERS, ADDRESSES]);
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
    expect(places(diagnostics)).toEqual(ranges);
  });

  test('a metric without a name is checked, and what may be its name is not unknown', () => {
    const { text, ranges } = marked(
      'kind: metric\n«nmae»: m\nmeasure: «orders.revenu»\nts: orders.order_date\n',
    );
    const user = 'kind: metric\nname: d\ntype: derived\nexpression: "{m} * 2"\ninputs: [m]\n';
    const { diagnostics } = load([text, user, ORDERS, CUSTOMERS, ADDRESSES]);
    expect(places(diagnostics)).toEqual(ranges);
  });
});

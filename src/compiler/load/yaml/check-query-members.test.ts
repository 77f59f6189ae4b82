import { expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { checkSemantics } from './check-semantics.ts';
import { loadDefinition } from './load-definition.ts';
import { loadModelTests } from './load-model-tests.ts';

const MODELS = [
  {
    name: 'marts.orders',
    columns: [
      { name: 'id', type: 'BIGINT' },
      { name: 'status', type: 'VARCHAR' },
      { name: 'day', type: 'DATE' },
    ],
    hasAllColumns: true,
    grains: [['id']],
    dialect: 'duckdb' as const,
  },
];
const ORDERS = `kind: semantic
name: orders
depends_on: marts.orders
dimensions: [status, day]
measures: [{name: n, type: count}]
segments: [{name: open, expression: "{status} = 'open'"}]
`;
const METRIC = 'kind: metric\nname: volume\nmeasure: orders.n\nts: orders.day\ndimensions: [orders.status]\n';

function check(query: string) {
  const source = marked(`test_s:\n  semantic_query: ${query}\n  rows: []\n`);
  const { tests, diagnostics } = loadModelTests(
    { path: 'tests/test_s.yaml', text: source.text },
    { environment: {}, variables: {}, dialect: 'duckdb' },
  );
  const definitions = [ORDERS, METRIC].map((text, i) => loadDefinition({ path: `models/${i}.yml`, text }));
  const found = checkSemantics({
    semanticModels: definitions.flatMap(({ semanticModel }) => semanticModel ?? []),
    metrics: definitions.flatMap(({ metric }) => metric ?? []),
    models: MODELS,
    tests,
  });
  return { ...source, found: [...diagnostics, ...found] };
}

test('a semantic query of members that exist has no diagnostics', () => {
  const query =
    '{measures: [orders.n, orders.count, volume.measure], dimensions: [orders.status, orders.day.month, volume.status], segments: [orders.open], timeDimensions: [{dimension: orders.day, granularity: week, dateRange: last week}], filters: [{or: [{member: orders.status, operator: set}, {member: orders.n, operator: gt, values: [1]}]}], order: {orders.n: desc}, limit: 5}';
  expect(check(query).found).toEqual([]);
  expect(check('{measures: [orders.n], order: [[orders.n, asc]]}').found).toEqual([]);
});

test.each([
  ['semantic.unknown-member', '{measures: [orders.n, «orders.nn»]}', 'did you mean orders.n?'],
  ['semantic.unknown-member', '{dimensions: [«orders.statu»]}', 'did you mean orders.status?'],
  ['semantic.unknown-member', '{dimensions: [«orders.dayy.month»]}', 'did you mean orders.day?'],
  ['semantic.unknown-semantic-model', '{measures: [«order.n»]}', 'did you mean orders?'],
  ['semantic.wrong-member', '{measures: [«orders.status»]}', undefined],
  ['semantic.unknown-member', '{segments: [«orders.opn»]}', 'did you mean orders.open?'],
  ['semantic.not-time', '{timeDimensions: [{dimension: «orders.status»}]}', undefined],
  [
    'semantic.unknown-granularity',
    '{timeDimensions: [{dimension: orders.day, granularity: «mnth»}]}',
    'did you mean month?',
  ],
  ['semantic.unknown-granularity', '{dimensions: [«orders.day.mnth»]}', 'did you mean month?'],
  [
    'semantic.unknown-member',
    '{filters: [{and: [{member: «orders.statu», operator: set}]}]}',
    'did you mean orders.status?',
  ],
  ['semantic.unknown-member', '{order: {«orders.nn»: asc}}', 'did you mean orders.n?'],
  ['semantic.unknown-member', '{order: [[«orders.nn», asc]]}', 'did you mean orders.n?'],
  ['semantic.bad-reference', '{measures: [«n»]}', undefined],
  ['test.unknown-metric-column', '{measures: [«volume.mesure»]}', 'did you mean measure?'],
])('%s is marked in %s', (code, query, hint) => {
  const { found, range } = check(query);
  expect(found.map((each) => each.code)).toEqual([code]);
  expect(found[0]?.at).toEqual({ file: 'tests/test_s.yaml', ...range });
  if (hint !== undefined) expect(found[0]?.hint).toBe(hint);
});

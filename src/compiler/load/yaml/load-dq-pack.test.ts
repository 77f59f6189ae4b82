import { describe, expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import type { DqPack } from '../../../domain/dq-pack.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { checkDqPacks } from './check-dq.ts';
import { parseRule } from './dq-rule-parser.ts';
import { loadDefinition } from './load-definition.ts';
import { regexProblem } from './regex-problem.ts';
import type { CheckedModel } from './semantic-world.ts';

const model = (name: string, columns: Readonly<Record<string, string>>): CheckedModel => ({
  name, columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })), hasAllColumns: true, grains: [], dialect: 'duckdb',
}); // biome-ignore format: a table
const MODELS = [
  model('marts.orders', {
    order_id: 'BIGINT',
    customer_id: 'BIGINT',
    email: 'VARCHAR',
    amount: 'DECIMAL(10,2)',
    updated_at: 'TIMESTAMP',
    region: 'VARCHAR',
  }),
  model('marts.customers', { customer_id: 'BIGINT' }),
  model('raw.orders', { order_id: 'BIGINT' }),
];

function load(text: string): { pack: DqPack | undefined; diagnostics: readonly Diagnostic[] } {
  const { dqPack, diagnostics } = loadDefinition({ path: 'dq/x.yml', text });
  return {
    pack: dqPack,
    diagnostics: [...diagnostics, ...checkDqPacks(dqPack === undefined ? [] : [dqPack], MODELS)],
  };
}

/** Where diagnostics are, in the order of the file. */
const places = (diagnostics: readonly Diagnostic[]): readonly { start: number; end: number }[] =>
  diagnostics
    .map(({ at }) => ({ start: at?.start ?? -1, end: at?.end ?? -1 }))
    .sort((a, b) => a.start - b.start);

const pack = (rules: string, more = ''): string =>
  `kind: dq\nname: p\ndepends_on: marts.orders\n${more}rules:\n${rules}\n`;
const rule = (text: string): string => pack(`  - ${text}`);

test('every rule of the design page is read', () => {
  const { pack: read, diagnostics } = load(`kind: dq
name: orders_dq
depends_on: marts.orders
filter: "updated_at >= CURRENT_DATE - 30"
schedule: "@hourly"
profiles: [amount, region]
rules:
  - row_count > 0
  - missing_percent(customer_id) < 1: {name: customer_known, dimension: completeness, severity: warning, owner: mara}
  - duplicate_count(order_id) = 0
  - invalid_percent(email) < 2: {valid_format: email}
  - avg(amount) between 10 and 500: {warn: when < 20}
  - freshness(updated_at) < 26h
  - schema: {required_columns: [order_id], forbidden_columns: [ssn], types: {amount: decimal}}
  - values in (customer_id) must exist in marts.customers (customer_id)
  - row_count same as raw.orders
  - change for row_count > -30%
  - anomaly for avg(amount): {method: robust_z, sensitivity: 3, training: 14, season: weekly}
  - distribution(amount): {against: previous, psi < 0.2}
  - failed rows: {name: no_negative, fail_query: "SELECT * FROM marts.orders WHERE amount < 0", samples_limit: 20}
  - for each column (*_id): missing_count = 0
  - group by region: {row_count > 10}
`);
  expect(diagnostics).toEqual([]);
  expect(read?.rules.map((each) => [each.assertion.kind, each.dimension])).toEqual([
    ['metric', 'coverage'], ['metric', 'completeness'], ['metric', 'uniqueness'], ['metric', 'validity'], ['metric', 'accuracy'], ['freshness', 'timeliness'], ['schema', 'conformity'],
    ['reference', 'consistency'], ['row-count-same', 'consistency'], ['change', 'accuracy'], ['anomaly', 'accuracy'], ['distribution', 'accuracy'], ['failed-rows', 'validity'],
    ['for-each-column', 'completeness'], ['group-by', 'coverage'],
  ]); // biome-ignore format: a table
  expect(read?.rules[1]).toMatchObject({ name: 'customer_known', severity: 'warning', owner: 'mara' });
  expect(read?.rules[4]).toMatchObject({
    warnWhen: { kind: 'compare', operator: '<', value: 20 },
    assertion: { comparison: { kind: 'between', low: 10, high: 500 } },
  });
  expect(read?.rules[11]?.assertion).toMatchObject({
    against: 'previous',
    method: 'psi',
    comparison: { operator: '<', value: 0.2 },
  });
  expect(read?.rules[13]?.assertion).toMatchObject({
    patterns: [{ value: '*_id' }],
    rule: { kind: 'metric', metric: { name: 'missing_count', columns: [] } },
  });
});

describe('the grammar', () => {
  test.each([
    ['freshness(ts) < 26h', { comparison: { value: 93_600, unit: 'seconds' } }],
    ['freshness(ts) <= 1d 6h', { comparison: { operator: '<=', value: 108_000, unit: 'seconds' } }],
    ['freshness(ts) < 2 days', { comparison: { value: 172_800 } }],
    ['missing_percent(a) < 5 %', { comparison: { value: 5, unit: 'percent' } }],
    [
      'percentile(a, 0.95) >= 1.5',
      { metric: { name: 'percentile', argument: 0.95 }, comparison: { operator: '>=' } },
    ],
    [
      'duplicate_count(a, "B c") != 0',
      { metric: { columns: [{ value: 'a' }, { value: 'B c' }] }, comparison: { operator: '!=' } },
    ],
    ['row_count not between 1 and 9', { comparison: { isNegated: true, low: 1, high: 9 } }],
    ['row_count between (1, 9]', { comparison: { lowOpen: true, highOpen: false } }],
    ['ROW_COUNT = 5', { metric: { name: 'row_count' } }],
    [
      'change for avg(a) between -10% and 10% against last week',
      {
        kind: 'change',
        comparison: { low: -10, high: 10, unit: 'percent' },
        against: { kind: 'last', unit: 'week' },
      },
    ],
    ['change for row_count > -30% against average last 7', { against: { kind: 'average', runs: 7 } }],
    [
      'values in (a, b) must not exist in c.d.e (f, g)',
      { kind: 'reference', isNegated: true, model: { value: 'c.d.e' } },
    ],
    ['for each column (a*, *_at): missing_count = 0', { kind: 'for-each-column', restAt: 28 }],
  ])('reads %s', (text, expected) => {
    expect(parseRule(text)).toMatchObject({ ok: true, value: expected });
  });
});

test.each(['(?i)^a', '(?P<word>a)', '\\Aa\\z', '[[:alpha:]]+', 'a{2,}'])(
  'the engine may know %s',
  (pattern) => {
    expect(regexProblem(pattern)).toBeUndefined();
  },
);

describe('diagnostics', () => {
  test.each([
    ['dq.unknown-metric', rule('«row_cuont» > 0')],
    ['dq.unknown-metric', rule('«avgg»(amount) > 0: {name: x}')],
    ['dq.bad-rule', rule('row_count «about» 5')],
    ['dq.bad-rule', rule('row_count > 5 «6»')],
    ['dq.bad-rule', rule('row_count «>»')],
    ['dq.bad-rule', rule('row_count > «x»')],
    ['dq.bad-rule', rule('freshness(updated_at) «<» 26')],
    ['dq.bad-rule', rule('row_count «<» 5%')],
    ['dq.bad-rule', rule('values in (order_id) must «exists» in marts.customers (customer_id)')],
    ['dq.bad-rule', rule('avg(amount) > 1: {warn: when «~» 20}')],
    ['dq.bad-rule', rule('change for row_count > 1: {against: «yesterday»}')],
    ['dq.bad-rule', rule('avg(amount) > 1: {warn: when «<» 5%}')],
    ['dq.bad-rule', rule('row_count > 1: {fail: when «<» 5h}')],
    ['dq.bad-rule', rule('freshness(updated_at) < 26h: {warn: when «>» 20}')],
    ['dq.bad-rule', rule('change for row_count «>» 5h')],
    ['dq.bad-rule', rule('change for row_count > 1 against average last «0»')],
    ['dq.bad-rule', rule('distribution(amount) «<» 5%')],
    ['dq.bad-rule', rule('distribution(amount) < 0.1: {threshold: «< 0.2»}')],
    ['dq.bad-rule', rule('distribution(amount): {psi < 0.2, threshold: «< 0.1»}')],
    ['dq.bad-rule', rule('distribution(amount): {psi < 0.2, «ks < 0.1»}')],
    ['dq.bad-rule', rule('distribution(amount): {psi < 0.2, method: «ks»}')],
    ['dq.bad-rule', rule('distribution(amount): {method: «iqr», threshold: < 0.1}')],
    ['dq.bad-rule', rule('anomaly for row_count: {method: «psi»}')],
    ['dq.bad-rule', rule('anomaly for row_count: {warn: when «>» 5%}')],
    ['dq.empty-range', rule('«invalid_count(amount) = 0»: {valid_min: 9, valid_max: 1}')],
    ['dq.wrong-columns', rule('for each column (amount): «percentile» > 0')],
    ['dq.wrong-columns', rule('«missing_count» = 0')],
    ['dq.wrong-columns', rule('«row_count(order_id)» = 0')],
    ['dq.wrong-columns', rule('for each column (*_id): «missing_count(order_id)» = 0')],
    ['dq.wrong-columns', rule('«percentile(amount)» > 0')],
    ['dq.empty-range', rule('row_count between «9 and 1»')],
    ['dq.unknown-column', rule('avg(«amuont») > 0')],
    ['dq.unknown-column', rule('group by «regoin»: {row_count > 0}')],
    ['dq.unknown-column', rule('values in (order_id) must exist in marts.customers («order_id»)')],
    ['dq.unknown-column', pack('  - row_count > 0', 'filter: "«order_dat» > 1"\n')],
    ['dq.unknown-column', pack('  - row_count > 0', 'profiles: [«amuont»]\n')],
    ['dq.unknown-model', rule('row_count same as «raw.order»')],
    ['dq.unknown-model', 'kind: dq\nname: p\ndepends_on: «marts.order»\nrules: [row_count > 0]\n'],
    ['dq.type-mismatch', rule('avg(«region») > 0')],
    ['dq.type-mismatch', rule('freshness(«region») < 1h')],
    ['dq.type-mismatch', rule('max(«region») > 0')],
    ['dq.type-mismatch', rule('avg(«updated_at») > 0')],
    ['dq.bad-rule', rule('group by region: {«change for row_count > 0»}')],
    ['dq.bad-rule', rule('failed rows: {fail_query: SELECT 1, fail_condition: «amount < 0»}')],
    ['dq.no-matching-column', rule('for each column («*_key»): missing_count = 0')],
    ['dq.option-of-other-rule', rule('row_count > 0: {valid_format: «email»}')],
    ['dq.option-of-other-rule', rule('schema: {required_columns: [order_id], filter: «amount > 0»}')],
    ['dq.option-of-other-rule', rule('failed rows: {fail_query: SELECT 1, filter: «amount > 0»}')],
    ['dq.missing-option', rule('«invalid_count(email) = 0»')],
    ['dq.missing-option', rule('«failed rows»: {name: x}')],
    ['dq.missing-option', rule('«distribution(amount)»: {against: previous}')],
    ['dq.missing-option', rule('«schema»: {name: x}')],
    ['dq.missing-option', rule('«group by region»')],
    ['dq.bad-regex', rule("invalid_count(email) = 0: {valid_regex: «'(a'»}")],
    ['dq.bad-regex', rule("missing_count(email) = 0: {missing_regex: «'[a'»}")],
    ['dq.unknown-format', rule('invalid_count(email) = 0: {valid_format: «emial»}')],
    ['dq.bad-sql', rule('failed rows: {fail_query: "SELECT * FROM marts.orders WHERE «)»"}')],
    ['dq.bad-sql', rule('failed rows: {fail_query: "SELECT «*» FRM"}')],
    ['dq.bad-sql', rule('failed rows: {fail_query: "SELECT «o».x FROM marts.orders AS p"}')],
    ['dq.unknown-column', rule('failed rows: {fail_query: "SELECT «nope» FROM marts.orders"}')],
    [
      'dq.unknown-column',
      rule(
        'failed rows: {fail_query: "SELECT 1 FROM marts.orders o JOIN marts.customers c ON c.«order_id» = 1"}',
      ),
    ],
    [
      'dq.unknown-column',
      rule('failed rows: {fail_condition: "amount < (SELECT MAX(«nope») FROM marts.customers)"}'),
    ],
    ['dq.duplicate-name', rule('row_count > 0\n  - «row_count > 0»')],
    ['dq.no-rules', 'kind: dq\nname: «p»\ndepends_on: marts.orders\n'],
    ['yaml.unknown-key', rule('row_count > 0: {«nmae»: x}')],
    ['yaml.unknown-key', rule('row_count > 0:\n    «name»: x')],
    ['yaml.bad-value', rule('row_count > 0: {dimension: «completness»}')],
    [
      'yaml.bad-value',
      'kind: dq\nname: p\ndepends_on: marts.orders\nschedule: «sometimes»\nrules: [row_count > 0]\n',
    ],
  ])('%s is marked in %j', (code, source) => {
    const { text, range } = marked(source);
    const { diagnostics } = load(text);
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
    expect(diagnostics[0]?.at).toEqual({ file: 'dq/x.yml', ...range });
  });

  test.each([
    [
      'the rest of a pack is checked when its name is misspelled',
      ['yaml.unknown-key', 'dq.unknown-metric', 'dq.unknown-model'],
      'kind: dq\n«nmae»: p\ndepends_on: «marts.order»\nrules:\n  - «row_cuont» > 0\n',
    ],
    [
      'the columns of rules are checked when the name is not allowed',
      ['yaml.bad-value', 'dq.unknown-column'],
      'kind: dq\nname: «a b»\ndepends_on: marts.orders\nrules:\n  - avg(«amuont») > 0\n',
    ],
    [
      'rules are checked when the model is missing',
      ['yaml.missing-key', 'dq.unknown-metric'],
      '«kind»: dq\nname: p\nrules:\n  - avg(amuont) > 0\n  - «row_cuont» > 0\n',
    ],
    [
      'a misspelled option is not missed, too',
      ['yaml.unknown-key'],
      rule('failed rows: {«fail_qery»: SELECT 1}'),
    ],
    [
      'the columns of groups are checked beside a wrong rule',
      ['dq.unknown-metric', 'dq.unknown-column'],
      rule('group by «regoin»: {«row_cuont» > 0}'),
    ],
  ])('%s', (_, codes, source) => {
    const { text, ranges } = marked(source);
    const { diagnostics } = load(text);
    expect(diagnostics.map((each) => each.code)).toEqual(codes);
    expect(places(diagnostics)).toEqual(ranges);
  });

  test('tables outside the project may have any column', () => {
    const { diagnostics } = load(
      rule('failed rows: {fail_query: "SELECT nope, o.nope FROM raw.else AS o, marts.orders"}'),
    );
    expect(diagnostics).toEqual([]);
  });

  test('lambdas, qualified columns and struct fields in a filter are no unknown columns', () => {
    const filter = 'filter: "list_any_value([1], x -> x > orders.amount) > 1 AND marts.orders.amount > 0"\n';
    expect(load(pack('  - row_count > 0', filter)).diagnostics).toEqual([]);
  });

  test.each([
    ['error', 'values in (customer_id) must exist in «marts.custmers» (y)', 'did you mean marts.customers?'],
    ['error', 'row_count same as «raw.order»', 'did you mean raw.orders?'],
    ['warning', 'values in (customer_id) must exist in «elsewhere.people» (y)', undefined],
  ])('%s: %s', (severity, source, hint) => {
    const { text, range } = marked(rule(source));
    expect(load(text).diagnostics).toMatchObject([
      { code: 'dq.unknown-model', severity, at: range, ...(hint === undefined ? {} : { hint }) },
    ]);
  });

  test('two packs of one name are told apart', () => {
    const { text, range } = marked('kind: dq\nname: «p»\ndepends_on: marts.orders\nrules: [row_count > 0]\n');
    const packs = ['dq/1.yml', 'dq/2.yml'].flatMap((path) => loadDefinition({ path, text }).dqPack ?? []);
    expect(checkDqPacks(packs, MODELS).map((each) => [each.code, each.at])).toEqual([
      ['dq.duplicate-name', { file: 'dq/2.yml', ...range }],
    ]);
  });
});

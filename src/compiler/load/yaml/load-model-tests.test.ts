import { describe, expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { checkModelTests, type TestedModel } from './check-model-tests.ts';
import { loadModelTests } from './load-model-tests.ts';

const load = (text: string, path = 'tests/test_x.yaml') =>
  loadModelTests({ path, text }, { environment: { E: 'env' }, variables: { cut: 7 }, dialect: 'duckdb' });

const SQLMESH = `
test_orders:
  model: marts.orders
  description: it adds up
  gateway: local
  schema: fixed
  vars: {start: 2022-01-01, end: 2022-01-02, execution_time: "2023-01-01 12:00:00", x: "{{ var('cut') }}"}
  inputs:
    raw.orders:
      - id: 1
        amount: 7.00
        tags: [a, {b: 1}]
    raw.items:
      columns: {id: int, price: "decimal(10, 2)"}
      rows:
        - {id: 12345678901234567890, price: null}
    raw.empty: []
    raw.csv:
      format: csv
      rows: |
        a,b
        1,2
      csv_settings: {sep: ";", na_values: [x]}
    raw.file: {path: tests/data/x.csv}
    raw.query: {query: SELECT 1 AS a}
  outputs:
    partial: true
    ctes:
      totals: [{id: 1, total: 9.48}]
    query:
      rows:
        - {id: 1, revenue: 26.1, "country code": 0}
`;

test("SQLMesh's format is read with the spelling of numbers kept", () => {
  const { tests, diagnostics } = load(SQLMESH);
  expect(diagnostics).toEqual([]);
  expect(tests).toHaveLength(1);
  const [only] = tests;
  expect(only).toMatchObject({
    name: 'test_orders',
    subject: { kind: 'model', model: { value: 'marts.orders' } },
    gateway: { value: 'local' },
    schema: 'fixed',
    variables: { start: '2022-01-01', x: '7' },
  });
  expect(only?.inputs.map((input) => [input.name.value, input.rows.kind])).toEqual([
    ['raw.orders', 'rows'], ['raw.items', 'rows'], ['raw.empty', 'rows'], ['raw.csv', 'csv-text'], ['raw.file', 'file'], ['raw.query', 'query'],
  ]); // biome-ignore format: a table
  const [orders, items] = only?.inputs ?? [];
  const [row] = orders?.rows.kind === 'rows' ? orders.rows.rows : [];
  expect(row?.map(({ column, value }) => [column, value])).toEqual([
    ['id', { kind: 'number', text: '1' }],
    ['amount', { kind: 'number', text: '7.00' }],
    [
      'tags',
      { kind: 'list', items: ['a', { kind: 'struct', fields: { b: { kind: 'number', text: '1' } } }] },
    ],
  ]);
  expect(items?.columns.map(({ name, type }) => [name.value, type.value])).toEqual([
    ['id', 'int'],
    ['price', 'decimal(10, 2)'],
  ]);
  expect(only?.outputs).toMatchObject({
    ctes: [{ name: { value: 'totals' }, isPartial: true }],
    query: { rows: { kind: 'rows' }, isPartial: true },
  });
  expect(only?.inputs[3]?.rows).toMatchObject({
    text: 'a,b\n1,2\n',
    csv: { delimiter: ';', naValues: ['x'] },
  });
});

test.each([
  ['query: [], ctes: {c: []}', [false, false]],
  ['query: [], ctes: {c: []}, partial: true', [true, true]],
  ['query: {rows: [], partial: true}, ctes: {c: []}', [true, false]],
  ['query: [], ctes: {c: {rows: [], partial: true}}', [false, true]],
  ['query: {rows: [], partial: true}, ctes: {c: []}, partial: false', [true, false]],
])('partial belongs to one output or to all: %s', (outputs, expected) => {
  const { tests } = load(`test_p:\n  model: a.b\n  outputs: {${outputs}}`);
  const { query, ctes } = tests[0]?.outputs ?? { ctes: [] };
  expect([query?.isPartial, ctes[0]?.isPartial]).toEqual(expected);
});

test('a semantic query is tested with rows', () => {
  const { tests, diagnostics } = load(
    'test_s:\n  semantic_query: {measures: [orders.revenue]}\n  inputs: {marts.orders: [{revenue: 1}]}\n  rows: [{orders.revenue: 1}]',
  );
  expect(diagnostics).toEqual([]);
  expect(tests[0]).toMatchObject({
    subject: { kind: 'semantic-query', query: { measures: ['orders.revenue'] } },
    outputs: { query: { rows: { kind: 'rows' } } },
  });
});

test('data files beside tests are not taken for tests', () => {
  expect(load('- {id: 1}\n- {id: 2}', 'tests/data/rows.yaml')).toEqual({ tests: [], diagnostics: [] });
  expect(load('x: {model: a.b, outputs: {query: []}}', 'tests/more/orders.yml').tests).toHaveLength(1);
});

describe('diagnostics of form', () => {
  test.each([
    ['test.no-subject', '«test_a»: {outputs: {query: []}}'],
    ['test.no-outputs', '«test_a»: {model: a.b}'],
    ['test.no-rows', 'test_a: {model: a.b, inputs: {«raw.x»: {columns: {a: int}}}, outputs: {query: []}}'],
    [
      'test.rows-and-query',
      'test_a: {model: a.b, inputs: {«raw.x»: {rows: [], query: SELECT 1}}, outputs: {query: []}}',
    ],
    ['test.bad-row', 'test_a: {model: a.b, inputs: {raw.x: [«1»]}, outputs: {query: []}}'],
    [
      'test.bad-type',
      'test_a: {model: a.b, inputs: {raw.x: {rows: [], columns: {a: «"decimal("»}}}, outputs: {query: []}}',
    ],
    ['yaml.unknown-key', 'test_a: {model: a.b, «input»: {}, outputs: {query: []}}'],
    ['config.missing-variable', 'test_a: {model: "«{{ env_var(\'NOPE\') }}»", outputs: {query: []}}'],
    ['file.empty', ''],
  ])('%s is marked in %j', (code, source) => {
    const { text, range } = marked(source);
    const found = load(text).diagnostics.filter((each) => each.code === code);
    expect(found).toHaveLength(1);
    expect(found[0]?.at).toEqual({ file: 'tests/test_x.yaml', ...range });
  });
});

describe('diagnostics of references', () => {
  const model = (name: string, columns: string[], dependencies: string[] = []): TestedModel => ({
    name, columns: columns.map((each) => ({ name: each, type: 'INTEGER' })), hasAllColumns: true, dependencies, dialect: 'duckdb', commonTables: ['totals'],
  }); // biome-ignore format: a table
  const models = [
    model('marts.orders', ['id', 'amount'], ['raw.orders', 'raw.items']),
    model('raw.orders', ['id']),
    model('raw.items', ['id']),
  ];
  const check = (text: string) => checkModelTests(load(text).tests, models, 'shop');
  const inputs = 'inputs: {raw.orders: [{id: 1}], shop.raw.items: []}';

  test('a complete test has none', () => {
    expect(
      check(`test_a: {model: Marts.Orders, ${inputs}, outputs: {query: [{ID: 1}], ctes: {Totals: []}}}`),
    ).toEqual([]);
    expect(check('test_a: {model: marts.orders, outputs: {query: []}}')).toEqual([]);
  });

  test.each([
    ['test.unknown-model', `test_a: {model: «marts.order», ${inputs}, outputs: {query: []}}`],
    ['test.missing-input', 'test_a: {model: «marts.orders», inputs: {raw.orders: []}, outputs: {query: []}}'],
    [
      'test.unknown-input',
      'test_a: {model: marts.orders, inputs: {raw.orders: [], raw.items: [], «raw.item»: []}, outputs: {query: []}}',
    ],
    [
      'test.unknown-column',
      'test_a: {model: marts.orders, inputs: {raw.orders: [{id: 1, «idd»: 2}], raw.items: []}, outputs: {query: []}}',
    ],
    [
      'test.unknown-column',
      `test_a: {model: marts.orders, ${inputs}, outputs: {query: [{id: 1, «amont»: 2}]}}`,
    ],
    ['test.unknown-cte', `test_a: {model: marts.orders, ${inputs}, outputs: {ctes: {«total»: []}}}`],
  ])('%s is marked in %j', (code, source) => {
    const { text, range } = marked(source);
    expect(check(text).map((each) => [each.code, each.at])).toEqual([
      [code, { file: 'tests/test_x.yaml', ...range }],
    ]);
  });

  test('test.duplicate-name is marked at the second test', () => {
    const { text, range } = marked('«test_a»: {model: marts.orders, outputs: {query: []}}');
    const tests = [...load(text, 'tests/test_1.yaml').tests, ...load(text, 'tests/test_2.yaml').tests];
    expect(checkModelTests(tests, models).map((each) => [each.code, each.at])).toEqual([
      ['test.duplicate-name', { file: 'tests/test_2.yaml', ...range }],
    ]);
  });
});

/*
 * Tests of models for which SQLMesh's verdict is recorded, and ours is compared with it: every type × what can be right or wrong with the rows
 * that a test expects. The project is written as text, because YAML spells one value in several ways.
 */

import { SINGLE_CASES, SINGLE_MODELS } from './verdict-single-cases.ts';

/** A type, and how its values are written. */
interface TypedValues {
  readonly type: string;
  /** Two different values, as YAML. */
  readonly one: string;
  readonly two: string;
  /** Other spellings of `one`: the verdict is SQLMesh's. */
  readonly spellings: readonly string[];
  /** Other values that look alike. */
  readonly near: readonly string[];
}

const TYPES: readonly TypedValues[] = [
  { type: 'INT', one: '1', two: '2', spellings: ["'1'", '1.0'], near: ['1.5', 'x', 'true'] },
  { type: 'BIGINT', one: '3000000000', two: '2', spellings: ["'3000000000'"], near: ['3000000001'] },
  { type: 'DOUBLE', one: '1.5', two: '2.25', spellings: ["'1.5'", '1.500', '1.5000001'], near: ['1.51', '1.5001', 'x'] },
  { type: 'FLOAT', one: '0.5', two: '2.25', spellings: ["'0.5'"], near: ['0.51'] },
  { type: 'DECIMAL(10,2)', one: '1.50', two: '2.25', spellings: ["'1.50'", '1.5', '1.500'], near: ['1.51', '1.501', 'x'] },
  { type: 'VARCHAR', one: 'abc', two: "'7'", spellings: ["'abc'", '"abc"'], near: ['abd', "' abc'", 'ABC', "''"] },
  { type: 'BOOLEAN', one: 'true', two: 'false', spellings: ['1'], near: ["'false'"] },
  { type: 'DATE', one: '2024-01-31', two: '2024-02-01', spellings: ["'2024-01-31'", "'2024-01-31 00:00:00'"], near: ['2024-01-30', "'2024-01-31 10:00:00'"] },
  { type: 'TIMESTAMP', one: '2024-01-31 10:30:00', two: '2024-02-01 00:00:00', spellings: ["'2024-01-31 10:30:00'", "'2024-01-31T10:30:00'", "'2024-01-31 10:30:00.000'"], near: ["'2024-01-31 10:30:01'", '2024-01-31'] },
  { type: 'TIMESTAMPTZ', one: "'2024-01-31 10:30:00+00:00'", two: "'2024-02-01 00:00:00+00:00'", spellings: ["'2024-01-31 11:30:00+01:00'"], near: ["'2024-01-31 10:30:01+00:00'"] },
  { type: 'TIME', one: "'10:30:00'", two: "'11:00:00'", spellings: ["'10:30'"], near: ["'10:30:01'"] },
  { type: 'UUID', one: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', two: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', spellings: [], near: [] },
  { type: 'SMALLINT', one: '1', two: '-2', spellings: ["'1'"], near: ['0'] },
  { type: 'HUGEINT', one: '12345678901234567890', two: '2', spellings: ["'12345678901234567890'"], near: ['12345678901234567891'] },
  { type: 'INTERVAL', one: "'1 day'", two: "'02:00:00'", spellings: ["'24 hours'", "'1 day 00:00:00'"], near: ["'2 days'"] },
  { type: 'JSON', one: `'{"a": 1}'`, two: `'[1]'`, spellings: [`'{"a":1}'`], near: [`'{"a": 2}'`] },
  { type: 'MAP(VARCHAR, INT)', one: '{a: 1}', two: '{b: 2}', spellings: ["{'a': 1}"], near: ['{a: 2}'] },
  { type: 'STRUCT(a INT)[]', one: '[{a: 1}]', two: '[{a: 2}, {a: 3}]', spellings: [], near: ['[{a: 2}]', '[]'] },
  { type: 'INT[]', one: '[1, 2]', two: '[3]', spellings: [], near: ['[2, 1]', '[1]', '[]'] },
  { type: 'VARCHAR[]', one: '[a, b]', two: '[c]', spellings: ["['a', 'b']"], near: ['[b, a]', '[a]'] },
  { type: 'STRUCT(a INT, b VARCHAR)', one: '{a: 1, b: x}', two: '{a: 2, b: y}', spellings: ["{'a': 1, 'b': 'x'}"], near: ['{a: 1, b: y}', '{a: 2, b: x}'] },
]; // biome-ignore format: a table

export interface VerdictCase {
  readonly name: string;
  readonly text: string;
}

const slug = (type: string): string =>
  type
    .toLowerCase()
    .replace('[]', '_list')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '');

type Rows = readonly string[];
const list = (rows: Rows): string => (rows.length === 0 ? '[]' : `[${rows.join(', ')}]`);

function testOf(
  name: string,
  model: string,
  input: string,
  given: Rows,
  outputs: string,
  more = '',
): VerdictCase {
  return {
    name,
    text: `${name}:\n  model: ${model}\n${more}  inputs:\n    ${input}:\n      rows: ${list(given)}\n  outputs:\n${outputs}`,
  };
}

const query = (rows: Rows, isPartial = false): string =>
  `    query:\n      rows: ${list(rows)}\n${isPartial ? '      partial: true\n' : ''}`;
const wholePartial = (rows: Rows): string => `    partial: true\n${query(rows)}`;
const cte = (rows: Rows, isPartial = false): string =>
  `    ctes:\n      kept:\n        rows: ${list(rows)}\n${isPartial ? '    partial: true\n' : ''}`;

function casesOf({ type, one, two, spellings, near }: TypedValues): readonly VerdictCase[] {
  const name = slug(type);
  const row = (id: number, value?: string): string =>
    value === undefined ? `{id: ${id}}` : `{id: ${id}, v: ${value}}`;
  const cases: VerdictCase[] = [];
  const add = (what: string, given: Rows, outputs: string, model = `m.${name}`): void => {
    cases.push(testOf(`test_${name}__${what}`, model, `raw.${name}`, given, outputs));
  };
  const both = [row(1, one), row(2, two)];
  const swapped = [row(2, two), row(1, one)];
  add('same', both, query(both));
  add('swapped', both, query(swapped));
  add('columns_swapped', both, query(both.map((_, at) => `{v: ${at === 0 ? one : two}, id: ${at + 1}}`)));
  for (const [at, spelling] of spellings.entries())
    add(`spelling_${at}`, both, query([row(1, spelling), row(2, two)]));
  for (const [at, value] of near.entries()) add(`near_${at}`, both, query([row(1, value), row(2, two)]));
  add('wrong', both, query([row(1, two), row(2, two)]));
  add('null_null', [row(1, 'null'), row(2, two)], query([row(1, 'null'), row(2, two)]));
  add('null_left_out', [row(1), row(2, two)], query([row(1), row(2, two)]));
  add('all_null', [row(1)], query([row(1, 'null')]));
  add('all_left_out', [row(1)], query([row(1)]));
  add('null_but_value_expected', [row(1), row(2, two)], query([row(1, one), row(2, two)]));
  add('value_but_null_expected', both, query([row(1, 'null'), row(2, two)]));
  add('two_value_but_null_expected', both, query([row(1, one), row(2, 'null')]));
  add('value_but_left_out', both, query([row(1), row(2, two)]));
  add('left_out_in_all', both, query([row(1), row(2)]));
  add('partial', both, query([row(1), row(2)], true));
  add('partial_of_all', both, wholePartial([row(1), row(2)]));
  add('partial_wrong', both, query([row(1), row(3)], true));
  add('partial_one_row', both, query([row(1)], true));
  add('partial_value_wrong', both, query([`{v: ${two}}`, `{v: ${two}}`], true));
  add('nulls_swapped', [row(1), row(2, two), row(3)], query([row(3), row(1), row(2, two)]));
  add('duplicates', [row(1, one), row(1, one)], query([row(1, one), row(1, one)]));
  add('duplicate_too_few', [row(1, one), row(1, one)], query([row(1, one)]));
  add('duplicate_too_many', [row(1, one)], query([row(1, one), row(1, one)]));
  add(
    'duplicate_of_another',
    [row(1, one), row(1, one), row(2, two)],
    query([row(1, one), row(2, two), row(2, two)]),
  );
  add('missing_row', both, query([row(1, one)]));
  add('more_rows', [row(1, one)], query(both));
  add('none_expected', both, query([]));
  add('none_none', [], query([]));
  add('none_came', [], query(both));
  add('unknown_column', both, query([`{id: 1, v: ${one}, w: 1}`, row(2, two)]));
  add('ordered', both, query(both), `m.${name}_ordered`);
  add('ordered_swapped', both, query(swapped), `m.${name}_ordered`);
  add('cte', both, cte(both), `m.${name}_cte`);
  add('cte_swapped', both, cte(swapped), `m.${name}_cte`);
  add('cte_wrong', both, cte([row(1, two), row(2, two)]), `m.${name}_cte`);
  add('cte_partial', both, cte([row(1), row(2)], true), `m.${name}_cte`);
  add('cte_left_out', both, cte([row(1), row(2)]), `m.${name}_cte`);
  add('cte_and_query', both, `${cte(both)}${query([row(1, one)])}`, `m.${name}_cte`);
  add('cte_right_query_wrong', both, `${cte(both)}${query([row(2, one)])}`, `m.${name}_cte`);
  add('cte_unknown', both, `    ctes:\n      nothing:\n        rows: ${list(both)}\n`, `m.${name}_cte`);
  return cases;
}

/** What does not depend on a type. */
const OTHERS: readonly VerdictCase[] = [
  testOf('test_union', 'm.both', 'raw.int', ['{id: 1, v: 1}'], query(['{id: 1, v: 1}', '{id: 2, v: 1}'])),
  testOf('test_union_wrong', 'm.both', 'raw.int', ['{id: 1, v: 1}'], query(['{id: 1, v: 1}', '{id: 1, v: 1}'])),
  testOf('test_union_ordered', 'm.both_ordered', 'raw.int', ['{id: 1, v: 1}'], query(['{id: 2, v: 1}', '{id: 1, v: 1}'])),
  testOf('test_union_ordered_swapped', 'm.both_ordered', 'raw.int', ['{id: 1, v: 1}'], query(['{id: 1, v: 1}', '{id: 2, v: 1}'])),
  testOf('test_recursive', 'm.counted', 'raw.int', ['{id: 1, v: 3}'], `    ctes:\n      up:\n        rows: [{n: 1}, {n: 2}, {n: 3}]\n${query(['{total: 6}'])}`),
  testOf('test_recursive_wrong', 'm.counted', 'raw.int', ['{id: 1, v: 3}'], `    ctes:\n      up:\n        rows: [{n: 1}, {n: 2}]\n${query(['{total: 6}'])}`),
  testOf('test_clock', 'm.clock', 'raw.int', ['{id: 1}'], query(["{day: 2023-01-15, stamp: '2023-01-15 12:30:00'}"]), "  vars:\n    execution_time: '2023-01-15 12:30:00'\n"),
  testOf('test_clock_wrong', 'm.clock', 'raw.int', ['{id: 1}'], query(["{day: 2023-01-16, stamp: '2023-01-15 12:30:00'}"]), "  vars:\n    execution_time: '2023-01-15 12:30:00'\n"),
  testOf('test_times', 'm.times', 'raw.int', ['{id: 1}'], query(["{s: '2024-01-01', e: '2024-01-02', x: '2024-01-05', region: eu}"], true), "  vars:\n    start: 2024-01-01\n    end: 2024-01-02\n    execution_time: 2024-01-05\n    region: eu\n"),
  testOf('test_times_default', 'm.times', 'raw.int', ['{id: 1}'], query(["{s: '1970-01-01', e: '1970-01-01', x: '1970-01-01', region: none}"], true)),
  testOf('test_times_wrong', 'm.times', 'raw.int', ['{id: 1}'], query(["{s: '2024-01-01', e: '2024-01-02', x: '2024-01-05', region: us}"], true), "  vars:\n    start: 2024-01-01\n    end: 2024-01-02\n    execution_time: 2024-01-05\n    region: eu\n"),
  testOf('test_jinja', 'm.jinja', 'raw.int', ['{id: 1, v: 2}'], query(["{v: 2, s: '2024-01-01'}"], true), '  vars:\n    start: 2024-01-01\n'),
  testOf('test_self', 'm.self', 'raw.int', ['{id: 1, v: 2}'], query(['{id: 1, v: 2, seen: 0}'])),
  testOf('test_undeclared', 'm.undeclared', 'ext.t', ['{a: 1, b: x, c: 2024-01-01}'], query(["{a: 2, b: x, c: '2024-01-02'}"])),
  testOf('test_undeclared_null', 'm.undeclared', 'ext.t', ['{a: null, b: x, c: 2024-01-01}'], query(["{a: null, b: x, c: '2024-01-02'}"])),
  { name: 'test_csv', text: 'test_csv:\n  model: m.int\n  inputs:\n    raw.int:\n      format: csv\n      rows: |\n        id,v\n        1,5\n        2,\n  outputs:\n    query:\n      rows: [{id: 1, v: 5}, {id: 2}]\n' },
  { name: 'test_csv_expected', text: 'test_csv_expected:\n  model: m.varchar\n  inputs:\n    raw.varchar:\n      rows: [{id: 1, v: a}, {id: 2, v: b}]\n  outputs:\n    query:\n      format: csv\n      rows: |\n        id,v\n        1,a\n        2,b\n' },
  { name: 'test_query', text: 'test_query:\n  model: m.int\n  inputs:\n    raw.int:\n      query: SELECT 1 AS id\n  outputs:\n    query:\n      query: SELECT 1 AS id, NULL::INT AS v\n' },
  { name: 'test_query_wrong', text: 'test_query_wrong:\n  model: m.int\n  inputs:\n    raw.int:\n      query: SELECT 1 AS id\n  outputs:\n    query:\n      query: SELECT 2 AS id, NULL::INT AS v\n' },
  { name: 'test_columns', text: 'test_columns:\n  model: m.undeclared\n  inputs:\n    ext.t:\n      columns: {a: int, b: varchar, c: date}\n      rows: []\n  outputs:\n    query:\n      rows: []\n' },
  { name: 'test_missing_input', text: 'test_missing_input:\n  model: m.two\n  inputs:\n    raw.int:\n      rows: [{id: 1, v: 1}]\n  outputs:\n    query:\n      rows: [{id: 1}]\n' },
  { name: 'test_no_inputs', text: 'test_no_inputs:\n  model: m.alone\n  outputs:\n    query:\n      rows: [{a: 1}]\n' },
  { name: 'test_no_inputs_wrong', text: 'test_no_inputs_wrong:\n  model: m.alone\n  outputs:\n    query:\n      rows: [{a: 2}]\n' },
]; // biome-ignore format: texts of YAML

export const VERDICT_CASES: readonly VerdictCase[] = [...TYPES.flatMap(casesOf), ...OTHERS, ...SINGLE_CASES];

const model = (name: string, sql: string, kind = 'FULL'): readonly [string, string] => [
  `models/${name.replace('.', '_')}.sql`,
  `MODEL (name ${name}, kind ${kind});\n${sql}\n`,
];

/** The project, without its tests. */
export const VERDICT_PROJECT: Readonly<Record<string, string>> = {
  'config.yaml':
    'gateways:\n  local:\n    connection: {type: duckdb, database: w.duckdb}\ndefault_gateway: local\nmodel_defaults: {dialect: duckdb, start: 2024-01-01}\n',
  ...Object.fromEntries(
    TYPES.flatMap(({ type }) => {
      const name = slug(type);
      return [
        model(`raw.${name}`, `SELECT 1::INT AS id, NULL::${type} AS v`),
        model(`m.${name}`, `SELECT id, v FROM raw.${name}`),
        model(`m.${name}_ordered`, `SELECT id, v FROM raw.${name} ORDER BY id`),
        model(
          `m.${name}_cte`,
          `WITH kept AS (SELECT id, v FROM raw.${name}) SELECT id, v FROM kept WHERE id = 1`,
        ),
      ];
    }),
  ),
  ...Object.fromEntries([
    model('m.both', 'SELECT id, v FROM raw.int UNION ALL SELECT id + 1 AS id, v FROM raw.int'),
    model('m.both_ordered', 'SELECT id, v FROM raw.int UNION ALL SELECT id + 1 AS id, v FROM raw.int ORDER BY id DESC'),
    model('m.counted', 'WITH RECURSIVE up AS (SELECT 1 AS n UNION ALL SELECT n + 1 AS n FROM up WHERE n < (SELECT MAX(v) FROM raw.int)) SELECT SUM(n)::INT AS total FROM up'),
    model('m.clock', 'SELECT CURRENT_DATE AS day, CURRENT_TIMESTAMP::TIMESTAMP AS stamp FROM raw.int'),
    model('m.times', "SELECT @start_ds AS s, @end_ds AS e, @execution_ds AS x, @VAR('region', 'none') AS region, DATE '2024-01-01' AS d FROM raw.int", 'INCREMENTAL_BY_TIME_RANGE (time_column d)'),
    model('m.self', 'SELECT id, v, (SELECT COUNT(*) FROM m.self)::INT AS seen FROM raw.int', 'INCREMENTAL_BY_UNIQUE_KEY (unique_key id)'),
    model('m.undeclared', "SELECT a + 1 AS a, b, c + INTERVAL '1 day' AS c FROM ext.t"),
    model('m.two', 'SELECT i.id FROM raw.int AS i JOIN raw.date AS d ON d.id = i.id'),
    model('m.alone', 'SELECT 1 AS a'),
  ]), // biome-ignore format: one model a line
  ...Object.fromEntries(
    SINGLE_MODELS.map(([name, sql, block = 'kind FULL']) => [
      `models/${name.replace('.', '_')}.sql`,
      `MODEL (name ${name}, ${block});\n${sql}\n`,
    ]),
  ),
  'models/m_jinja.sql':
    "MODEL (name m.jinja, kind INCREMENTAL_BY_TIME_RANGE (time_column d));\nJINJA_QUERY_BEGIN;\nSELECT v, '{{ start_ds }}' AS s, DATE '2024-01-01' AS d FROM raw.int\nJINJA_END;\n",
};

/** Everything, as SQLMesh and Plinth load it. */
export const verdictFiles = (): Readonly<Record<string, string>> => ({
  ...VERDICT_PROJECT,
  'tests/test_matrix.yaml': VERDICT_CASES.map(({ text }) => text).join(''),
});

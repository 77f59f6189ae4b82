import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { STEADY_FUNCTIONS, UNSTEADY_FUNCTIONS } from './allowed-functions.ts';
import { BOUNDED_FUNCTIONS } from './bounded-functions.ts';
import { inspectSql } from './inspect-sql.ts';
import { errorOf } from './keeper-refusal.ts';
import { serializeSql } from './prepared-statements.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

async function told(sql: string): Promise<string> {
  try {
    await inspectSql(sql, {
      serialize: (text) => serializeSql(connection, text),
      ownFunctions: async () => new Set(),
    });
    return 'allowed';
  } catch (thrown) {
    const { code, parameters } = errorOf(thrown);
    return code === 'query.function-bounded' ? String(parameters['name']) : code;
  }
}

test('each bounded function is one that is allowed otherwise, and has one bound', () => {
  const names = BOUNDED_FUNCTIONS.flatMap((bounded) => bounded.names);
  const allowed = [STEADY_FUNCTIONS, UNSTEADY_FUNCTIONS];
  expect(names.filter((name) => !allowed.some((list) => list.has(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  "json_structure('[1]')",
  'json_structure(left(x, 4000))',
  "json_contains(left(x, 100), '1')",
  "json_merge_patch('{}', left(x, 0), NULL)",
  'json_group_structure(left(x, 10))',
  `from_json(x, '["INTEGER"]')`,
  `x.json_transform('{"a":"INTEGER"}')`,
  `json_transform(x, '${'["'.repeat(400)}')`,
  "list_aggregate(x, 'SUM')",
  "list_aggregate(x, 'string_agg', ', ')",
  "x.list_aggr('quantile_cont', 0.5)",
  'reservoir_quantile(x, 0.5)',
  'reservoir_quantile(x, 0.5, 1000)',
  'x.reservoir_quantile(0.5, 1000)',
  'reservoir_quantile(x, 0.5, -1)',
  'damerau_levenshtein(left(x, 50), left(y, 50))',
  'list_sum(x)',
])('%s keeps its bound', async (call) => {
  expect(await told(`SELECT ${call} FROM t`)).toBe('allowed');
});

/** Every way in which a call can be written. */
test.each([
  ['json_structure(x)', 'json_structure'],
  ['JSON_Structure(x)', 'json_structure'],
  ['"json_structure"(x)', 'json_structure'],
  ['x.json_structure()', 'json_structure'],
  ['t.x.json_structure()', 'json_structure'],
  ['(x).json_structure()', 'json_structure'],
  ['system.main.json_structure(x)', 'json_structure'],
  ["json_structure('[]'::JSON)", 'json_structure'],
  ["json_structure(repeat('[', 1000000))", 'json_structure'],
  ['json_structure(left(x, 4000) || x)', 'json_structure'],
  ['json_structure(left(x, -1))', 'json_structure'],
  ['json_structure(left(x, 4001))', 'json_structure'],
  ['json_structure(left(x, n))', 'json_structure'],
  ['json_structure(left(x, ?))', 'json_structure'],
  ['json_structure(a.left(x, 1))', 'json_structure'],
  ['json_structure(?)', 'json_structure'],
  ['json_structure(*COLUMNS(*))', 'json_structure'],
  ['json_structure(COLUMNS(*))', 'json_structure'],
  [`json_structure('${'['.repeat(4_001)}')`, 'json_structure'],
  ["json_contains('[]', x)", 'json_contains'],
  ["json_merge_patch('{}', '{}', x)", 'json_merge_patch'],
  ['json_group_structure(x)', 'json_group_structure'],
  ['list_transform(l, lambda x: json_structure(x))', 'json_structure'],
  ['upper(json_structure(x))', 'json_structure'],
  ['json_structure(x) OVER ()', 'json_structure'],
  ["from_json(x, repeat('[', 10))", 'from_json'],
  ['from_json(x, y)', 'from_json'],
  ['from_json(x, ?)', 'from_json'],
  ["from_json(x, '[]'::JSON)", 'from_json'],
  ["from_json(*COLUMNS(*), '[]')", 'from_json'],
  [`json_transform_strict(x, '${'['.repeat(2_001)}')`, 'json_transform_strict'],
  ["main.from_json(x, repeat('[', 10))", 'from_json'],
  ["x.from_json(repeat('[', 10))", 'from_json'],
  ["x.from_json('[]', repeat('[', 10))", 'from_json'],
  ["list_aggregate(l, 'reservoir_quantile', 0.5, 2000000000)", 'list_aggregate'],
  ["list_aggr(l, 'su' || 'm')", 'list_aggr'],
  ["array_aggr(l, 'histogram_values')", 'array_aggr'],
  ['aggregate(l, x)', 'aggregate'],
  ["l.array_aggregate('reservoir_quantile', 0.5, 2)", 'array_aggregate'],
  ["main.list_aggregate(l, 'sum')", 'list_aggregate'],
  ['reservoir_quantile(x, 0.5, 100001)', 'reservoir_quantile'],
  ['reservoir_quantile(x, 0.5, 1e9)', 'reservoir_quantile'],
  ['reservoir_quantile(x, 0.5, 1000 * 1000000)', 'reservoir_quantile'],
  ['reservoir_quantile(DISTINCT x, 0.5, n ORDER BY x) FILTER (WHERE x > 1)', 'reservoir_quantile'],
  ['reservoir_quantile(x, 0.5, 2000000000) OVER (ORDER BY x)', 'reservoir_quantile'],
  ['x.reservoir_quantile(0.5, 2000000000)', 'reservoir_quantile'],
  ['array_negative_inner_product(x, y)', 'array_negative_inner_product'],
])('%s is refused', async (call, name) => {
  expect(await told(`SELECT ${call} FROM t`)).toBe(name);
});

test.each([
  "SELECT * FROM (PIVOT t ON a IN ('x') USING reservoir_quantile(b, 0.5, 2000000000))",
  'WITH c AS (SELECT json_structure(x) FROM t) SELECT 1 FROM c',
  'SELECT 1 FROM t ORDER BY json_structure(x)',
  'SELECT 1 FROM t GROUP BY json_structure(x)',
  'SELECT 1 FROM t HAVING json_group_structure(x) IS NULL',
  'SELECT 1 FROM t QUALIFY json_structure(x) IS NULL',
  'SELECT 1 FROM t JOIN u ON json_structure(x) = y',
  'SELECT 1 FROM t LIMIT (SELECT length(json_structure(x)) FROM t)',
  'SELECT * REPLACE (json_structure(x) AS x) FROM t',
  'SELECT 1 FROM range(length(json_structure(x)))',
  'VALUES (json_structure(x))',
  'SELECT sum(1) OVER (PARTITION BY json_structure(x)) FROM t',
  'SELECT DISTINCT ON (json_structure(x)) 1 FROM t',
  'SELECT CASE WHEN json_structure(x) IS NULL THEN 1 END FROM t',
])('%s is refused', async (sql) => {
  expect(await told(sql)).toMatch(/json_structure|json_group_structure|reservoir_quantile/);
});

import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { expandMacros } from '../expand-macros.ts';
import type { ExpansionContext } from '../expansion.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run(
    "CREATE TABLE orders (id INT, status TEXT, amount DOUBLE, day DATE); INSERT INTO orders VALUES (1, 'new', 10, '2024-01-01'), (1, 'paid', 10, '2024-01-02'), (2, 'new', NULL, '2024-01-03')",
  );
  await connection.run(
    "CREATE TABLE returns (day DATE, id INT, reason TEXT); INSERT INTO returns VALUES ('2024-02-01', 1, 'broken')",
  );
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const TABLES: Readonly<Record<string, ReturnType<ExpansionContext['columnsOf']>>> = {
  odd: [{ name: 'order', type: 'INTEGER' }],
  orders: [
    { name: 'id', type: 'INTEGER' },
    { name: 'status', type: 'TEXT' },
    { name: 'amount', type: 'DOUBLE' },
    { name: 'day', type: 'DATE' },
  ],
  returns: [
    { name: 'day', type: 'DATE' },
    { name: 'id', type: 'INTEGER' },
    { name: 'reason', type: 'TEXT' },
  ],
};

function expand(text: string, dialect: Dialect = 'duckdb') {
  return expandMacros([{ text, start: 0, isJinja: false }], {
    file: 'a.sql',
    dialect,
    variables: {},
    sqlVariables: {},
    times: { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 0, 2), execution: Date.UTC(2024, 0, 3) },
    thisModel: '"cat"."db"."model__1"',
    runtimeStage: 'evaluating',
    gateway: 'local',
    environment: 'dev',
    columnsOf: (table) => TABLES[table],
    userFunctions: new Map(),
    pythonMacros: new Set(),
    jinjaMacros: [],
    answers: new Map(),
  });
}

async function rows(text: string): Promise<unknown> {
  const { statements, diagnostics } = expand(text);
  expect(diagnostics).toEqual([]);
  const reader = await connection.runAndReadAll(statements[0]?.text ?? '');
  return reader.getRowsJson();
}

test.each([
  [
    'SELECT @SAFE_ADD(1, NULL), @SAFE_ADD(NULL, NULL), @SAFE_SUB(5, 2, NULL), @SAFE_DIV(1, 0), @SAFE_DIV(1 + 2, 2)',
    [[1, null, 3, null, 1.5]],
  ],
  ["SELECT round(@HAVERSINE_DISTANCE(52.52, 13.40, 48.86, 2.35, 'km'))", [[878]]],
  ["SELECT @GENERATE_SURROGATE_KEY(1, NULL) = md5('1|_sqlmesh_surrogate_key_null_')", [[true]]],
  [
    "SELECT id, @PIVOT(status, ['new', 'paid'], then_value := amount) FROM orders GROUP BY id ORDER BY id",
    [
      [1, 10, 10],
      [2, null, 0],
    ],
  ],
  [
    "SELECT id, status FROM (@DEDUPLICATE(orders, [id], ['day desc'])) ORDER BY id",
    [
      [1, 'paid'],
      [2, 'new'],
    ],
  ],
  [
    "SELECT count(*), min(date_week)::TEXT, max(date_week)::TEXT FROM (@DATE_SPINE('week', '2024-01-01', '2024-01-31'))",
    [['5', '2024-01-01', '2024-01-29']],
  ],
  ["SELECT count(*) FROM (@DATE_SPINE('quarter', '2024-01-01', '2024-12-31'))", [['4']]],
  ['SELECT * FROM (@UNION(orders, returns)) ORDER BY day DESC LIMIT 1', [[1, '2024-02-01']]],
  [
    "SELECT @STAR(orders, o, exclude := [amount, day], prefix := 'o_') FROM orders AS o WHERE o_id = 2",
    [[2, 'new']],
  ],
  [
    "SELECT @EACH(['new', 'paid'], s -> COUNT(*) FILTER (WHERE status = @s) AS n_@s) FROM orders",
    [['2', '1']],
  ],
  ['SELECT id FROM orders @WHERE(TRUE) id = 2 @ORDER_BY(FALSE) nothing @LIMIT(TRUE) 1', [[2]]],
])('%s', async (text, expected) => {
  expect(await rows(text)).toEqual(expected);
});

test('columns that are not known become a star, with a warning only where names would change', () => {
  const { statements, diagnostics, usedTables } = expand('SELECT @STAR(x.y, exclude := [a]) FROM x.y');
  expect(statements[0]?.text).toBe('SELECT "y".* EXCLUDE (a) FROM x.y');
  expect(diagnostics).toEqual([]);
  expect(usedTables).toEqual(['x.y']);
  expect(expand("SELECT @STAR(x.y, prefix := 'p_') FROM x.y").diagnostics).toMatchObject([
    { code: 'macro.columns-unknown', severity: 'warning' },
  ]);
});

test('a column that is called like a word of SQL is quoted', () => {
  expect(expand('@UNION(odd, odd)').statements[0]?.text).toBe(
    'SELECT CAST("order" AS INTEGER) AS "order" FROM odd UNION ALL SELECT CAST("order" AS INTEGER) AS "order" FROM odd',
  );
});

test('a template takes the parts of the physical name', () => {
  expect(
    expand("SELECT @RESOLVE_TEMPLATE('s3://x/@{catalog_name}/@{schema_name}/@{table_name}')").statements[0]
      ?.text,
  ).toBe("SELECT 's3://x/cat/db/model__1'");
});

test.each([
  ['postgres', '@SAFE_DIV(a, b)', 'CAST(a AS DOUBLE PRECISION) / NULLIF(b, 0)'],
  [
    'bigquery',
    '@GENERATE_SURROGATE_KEY(a)',
    "TO_HEX(MD5(COALESCE(CAST(a AS STRING), '_sqlmesh_surrogate_key_null_')))",
  ],
  [
    'redshift',
    '@GENERATE_SURROGATE_KEY(a, b)',
    "MD5(COALESCE(CAST(a AS VARCHAR(MAX)), '_sqlmesh_surrogate_key_null_') || '|' || COALESCE(CAST(b AS VARCHAR(MAX)), '_sqlmesh_surrogate_key_null_'))",
  ],
  [
    'trino',
    "@GENERATE_SURROGATE_KEY(a, hash_function := 'sha256')",
    "LOWER(TO_HEX(SHA256(TO_UTF8(COALESCE(CAST(a AS VARCHAR), '_sqlmesh_surrogate_key_null_')))))",
  ],
  ['mysql', '@start_dt', "TIMESTAMP('2024-01-01 00:00:00+00:00')"],
  ['bigquery', '@start_dt', "CAST('2024-01-01 00:00:00+00:00' AS TIMESTAMP)"],
  [
    'spark',
    "@DEDUPLICATE(t, [a], ['b'])",
    'SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS _w FROM t) AS _t WHERE _w = 1',
  ],
  ['bigquery', '@STAR(x, exclude := [a])', '`x`.* EXCEPT (a)'],
  [
    'postgres',
    "@DATE_SPINE('quarter', '2024-01-01', '2024-12-31')",
    "SELECT date_quarter FROM (SELECT CAST(value AS DATE) FROM GENERATE_SERIES(CAST('2024-01-01' AS DATE), CAST('2024-12-31' AS DATE), INTERVAL '3 MONTH') AS _t(value)) AS _exploded(date_quarter)",
  ],
  ['snowflake', 'SELECT * FROM @stage/path', 'SELECT * FROM @stage/path'],
] as const)('%s: %s', (dialect, text, expected) => {
  expect(expand(text, dialect).statements[0]?.text).toBe(expected);
});

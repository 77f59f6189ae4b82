/** Which functions strangers may call, compared with DuckDB's own list of what there is. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALLOWED_FUNCTIONS,
  isAllowedFunction,
  isClockFunction,
} from '../../../src/compiler/semantic/sql/allowed-functions.ts';
import { TABLES, YAML } from './shop.ts';
import { type SqlWorld, sqlWorld } from './sql-world.ts';

interface Listed {
  readonly type: string;
  readonly stability: string | null;
  readonly hasSideEffects: boolean;
  readonly definition: string | null;
}

let world: SqlWorld;
const listed = new Map<string, Listed[]>();
beforeAll(async () => {
  world = await sqlWorld(TABLES, YAML);
  const rows = await world.raw(
    'SELECT lower(function_name), function_type, stability, coalesce(has_side_effects, false), macro_definition FROM duckdb_functions()',
  );
  for (const [name, type, stability, hasSideEffects, definition] of rows as [string, ...unknown[]][])
    listed.set(name, [
      ...(listed.get(name) ?? []),
      { type, stability, hasSideEffects, definition } as Listed,
    ]);
});

/** Words of the grammar, which no list of functions has, with a use of each that DuckDB knows; `measure` is ours. */
const GRAMMAR: Readonly<Record<string, string | undefined>> = {
  measure: undefined,
  all: '1 = ALL([1])',
  any: '1 = ANY([1])',
  coalesce: 'coalesce(NULL, 1)',
  columns: "COLUMNS('a')",
  current_time: 'current_time',
  current_timestamp: 'current_timestamp',
  extract: "extract(year FROM DATE '2024-01-01')",
  grouping: 'grouping(a)',
  if: 'if(true, 1, 2)',
  ifnull: 'ifnull(NULL, 1)',
  localtime: 'localtime',
  localtimestamp: 'localtimestamp',
  try: 'try(1)',
  unnest: 'unnest([1])',
};
const CALLED = new Set(['scalar', 'aggregate', 'macro']);
const isPure = ({ stability, hasSideEffects }: Listed): boolean =>
  !hasSideEffects && (stability === null || stability === 'CONSISTENT');

/** What a macro of DuckDB calls. */
const callsOf = (definition: string): readonly string[] =>
  [...definition.matchAll(/"?([a-z_]\w*)"?\s*\(/gi)].map((match) => (match[1] as string).toLowerCase());
const SQL_WORDS = new Set([
  'case',
  'when',
  'then',
  'else',
  'and',
  'or',
  'in',
  'over',
  'filter',
  'cast',
  'exists',
]);

function whyNot(name: string): string | undefined {
  const all = (listed.get(name) ?? []).filter(({ type }) => CALLED.has(type));
  if (all.length === 0) return Object.hasOwn(GRAMMAR, name) ? undefined : 'DuckDB has no such function';
  for (const each of all) {
    if (each.hasSideEffects) return 'it has side effects';
    if (!isPure(each) && !isClockFunction(name)) return 'it is no function of its arguments';
    for (const called of callsOf(each.definition ?? '')) {
      const inner = (listed.get(called) ?? []).filter(({ type }) => CALLED.has(type));
      if (SQL_WORDS.has(called) || Object.hasOwn(GRAMMAR, called)) continue;
      if (inner.length === 0 || !(inner.every(isPure) || isClockFunction(name)))
        return `it calls ${called}, which is not known to be pure`;
    }
  }
  return undefined;
}

describe('the functions that strangers may call', () => {
  test('are functions of DuckDB without side effects, which look at nothing but their arguments and the clock', () => {
    const wrong = ALLOWED_FUNCTIONS.map((name) => [name, whyNot(name.toLowerCase())] as const);
    expect(wrong.filter(([, why]) => why !== undefined)).toEqual([]);
    expect(new Set(ALLOWED_FUNCTIONS).size).toBe(ALLOWED_FUNCTIONS.length);
  });

  test.each(Object.entries(GRAMMAR).filter(([, use]) => use !== undefined))(
    'the grammar of DuckDB has %s',
    async (name, use) => {
      expect(isAllowedFunction(name)).toBe(true);
      await world.raw(`SELECT ${use} FROM (SELECT 1 AS a) GROUP BY a`);
    },
  );

  test('the check above can fail', () => {
    const odd = ['read_csv', 'nextval', 'random', 'current_setting', 'no_such_function', 'pg_sleep', 'ago'];
    expect(odd.map((name) => whyNot(name) !== undefined)).toEqual([
      true,
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(isAllowedFunction('current_setting')).toBe(false);
  });

  test('are none that stand in a FROM or PRAGMA alone, or that have side effects', () => {
    const others = [...listed].filter(
      ([, all]) =>
        all.some(({ hasSideEffects }) => hasSideEffects) || all.every(({ type }) => !CALLED.has(type)),
    );
    expect(others.length).toBeGreaterThan(100);
    expect(
      others.map(([name]) => name).filter((name) => isAllowedFunction(name) && name !== 'unnest'),
    ).toEqual([]);
  });
});

const FORBIDDEN =
  `read_csv read_csv_auto read_json read_parquet read_text read_blob parquet_metadata parquet_scan sniff_csv glob
  getenv current_setting set_config getvariable version pragma_version duckdb_settings duckdb_secrets which_secret query
  query_table nextval currval setseed random uuid gen_random_uuid write_log sleep_ms pg_sleep error json_execute_serialized_sql
  json_serialize_plan json_deserialize_sql current_user session_user current_catalog current_schema current_database
  current_query txid_current has_table_privilege pg_get_viewdef in_search_path list_resize array_resize list_reduce
  range generate_series bar bitstring equi_width_bins list_aggregate stats to_base user_defined lo_export pg_read_file dblink`
    .trim()
    .split(/\s+/);

describe('what is refused', () => {
  test.each(FORBIDDEN)('%s', (name) => {
    const call = /^(current_(user|catalog|schema)|session_user)$/.test(name) ? name : `${name}('x')`;
    expect(world.told(`SELECT status, ${call} FROM orders`)).toEqual([
      `semantic.sql-unknown-function@${call}`,
    ]);
    expect(world.told(`SELECT ${call} FROM m.orders`)).toEqual([`semantic.sql-unknown-function@${call}`]);
  });

  const BAD = "getvariable('x')";
  test.each([
    `SELECT status FROM orders WHERE ${BAD} = 'x'`,
    `SELECT status FROM orders HAVING ${BAD} = 'x'`,
    `SELECT status FROM orders GROUP BY status, ${BAD}`,
    `SELECT status FROM orders ORDER BY ${BAD}`,
    `SELECT upper(lower(${BAD})) FROM m.orders`,
    `SELECT status FROM m.orders LIMIT CAST(${BAD} AS INT)`,
    `SELECT status FROM m.orders OFFSET CAST(${BAD} AS INT)`,
    `SELECT DISTINCT ON (${BAD}) status FROM m.orders`,
    `SELECT sum(1) FILTER (WHERE ${BAD} = 'x') FROM m.orders`,
    `SELECT sum(1) OVER (PARTITION BY ${BAD}) FROM m.orders`,
    `SELECT sum(1) OVER (ORDER BY id ROWS BETWEEN CAST(${BAD} AS INT) PRECEDING AND CURRENT ROW) FROM m.orders`,
    `SELECT sum(1) OVER w FROM m.orders WINDOW w AS (ORDER BY ${BAD})`,
    `SELECT list(status ORDER BY ${BAD}) FROM m.orders`,
    `SELECT quantile_cont(0.5) WITHIN GROUP (ORDER BY ${BAD}) FROM m.orders`,
    `SELECT status FROM m.orders QUALIFY ${BAD} = 'x'`,
    `SELECT a.status FROM m.orders a JOIN m.orders b ON ${BAD} = 'x'`,
    `WITH a AS (SELECT ${BAD} AS v) SELECT v FROM a`,
    `SELECT * FROM (VALUES (${BAD})) AS v(a)`,
    `SELECT (SELECT ${BAD}) FROM orders`,
    `SELECT 1 IN (SELECT ${BAD}), EXISTS (SELECT ${BAD}) FROM m.orders`,
    `SELECT CASE WHEN true THEN ${BAD} END, [${BAD}], {'a': ${BAD}}, MAP {'a': ${BAD}} FROM m.orders`,
    `SELECT [${BAD} FOR x IN [1]], list_transform([1], x -> ${BAD}) FROM m.orders`,
    `SELECT * FROM unnest([${BAD}])`,
    `SELECT * FROM m.orders, LATERAL (SELECT ${BAD}) AS l`,
    `SELECT status FROM m.orders UNION ALL SELECT ${BAD}`,
    `SELECT * REPLACE (${BAD} AS status) FROM m.orders`,
    `SELECT 'x'.upper().getvariable() FROM m.orders`,
    `SELECT status FROM m.orders GROUP BY ROLLUP (${BAD})`,
    `PIVOT m.orders ON status USING max(${BAD})`,
    `SELECT * FROM m.orders PIVOT (max(id) FOR status IN (${BAD}))`,
    `SELECT INTERVAL (${BAD}) DAY, status[${BAD}:], status AT TIME ZONE ${BAD} FROM m.orders`,
    `SELECT "GetVariable"('x') FROM m.orders`,
  ])('wherever it stands: %s', (sql) => {
    const told = world.told(sql).map((each) => each.split('@')[0]);
    expect(new Set(told)).toEqual(new Set(['semantic.sql-unknown-function']));
  });

  test.each([
    ['SELECT status.upper() FROM orders', 'semantic.sql-unknown-function@status.upper()'],
    ['SELECT main.upper(status) FROM orders', 'semantic.sql-unknown-function@main.upper(status)'],
    ['SELECT * FROM main.range(10)', 'semantic.sql-unknown-table@main.range(10)'],
    ["SELECT * FROM read_csv('x')", "semantic.sql-unknown-table@read_csv('x')"],
  ])('a name with another before it: %s', (sql, told) => {
    expect(world.told(sql)).toEqual([told]);
  });

  test.each([
    'SELECT * FROM m.orders TABLESAMPLE reservoir(10 ROWS)',
    'SELECT * FROM m.orders TABLESAMPLE 10% (bernoulli, 42)',
    'SELECT * FROM m.orders USING SAMPLE 10 PERCENT (bernoulli)',
    "SELECT trim(BOTH 'x' FROM status), CAST(id AS DECIMAL(10, 2)), [id]::BIGINT[], '{}'::JSON FROM m.orders",
    "SELECT TRY_CAST(status AS TIMESTAMP WITH TIME ZONE), {'a': id}::STRUCT(a DOUBLE), id::VARCHAR(10) FROM m.orders",
  ])('not what is plain: %s', async (sql) => {
    expect(world.told(sql)).toEqual([]);
    await world.rows(sql);
  });

  test.each([
    `SELECT * FROM m.orders TABLESAMPLE reservoir(${BAD})`,
    `SELECT * FROM m.orders USING SAMPLE ${BAD}`,
    `SELECT * FROM m.orders AT (VERSION => ${BAD})`,
    'SELECT group_concat(status SEPARATOR (SELECT max(value) FROM m.returns)) FROM m.orders',
    `SELECT CAST(id AS DECIMAL(${BAD})) FROM m.orders`,
    "SELECT 'm.orders'::regclass FROM m.orders",
    'SELECT [id]::my_type[] FROM m.orders',
  ])('text that nobody has looked into: %s', (sql) => {
    expect(world.told(sql).map((each) => each.split('@')[0])).toEqual(['semantic.sql-unsupported']);
  });

  test('the nearest name that may be called is suggested', () => {
    const result = world.compile('SELECT uper(status), range(3), status.lower() FROM orders');
    expect(result.ok ? [] : result.diagnostics.map(({ hint }) => hint).sort()).toEqual([
      'did you mean upper?',
      'write it in FROM: FROM range(…)',
      'write lower(…), with the value inside',
    ]);
  });
});

describe('what can be of any size', () => {
  const LARGE = 'semantic.sql-too-large';
  test.each([
    ["lpad(status, 20, ' ')", []],
    ["lpad(status, 10001, ' ')", [LARGE]],
    ["rpad(status, id, ' ')", [LARGE]],
    ["repeat('ab', 100)", []],
    ["repeat('ab', 101)", [LARGE]],
    ["repeat('ab', 1e9)", [LARGE]],
    ["repeat('ab', id)", [LARGE]],
    ["repeat(upper(repeat('ab', 100)), 100)", [LARGE]],
    ["printf('%.2f of %d in 2024', 1.5, 3)", []],
    ["format('{:>10} {} {:.3f}', 'a', 2, 1.5)", []],
    ["printf('%100000000d', 1)", [LARGE]],
    ["printf('%*d', 100000000, 1)", [LARGE]],
    ["format('{:100000000}', 1)", [LARGE]],
    ["format('{:{}}', 1, 100000000)", [LARGE]],
    ['format(status, 1)', [LARGE]],
    ['list_transform([1, 2], x -> x + 1)', []],
    ['[x + 1 FOR x IN [1, 2]]', []],
    ['list_transform([1, 2], x -> list_transform([1, 2], y -> x + y))', [LARGE]],
    ['[[x + y FOR x IN [1, 2]] FOR y IN [1, 2]]', [LARGE]],
  ] as const)('%s', async (expression, codes) => {
    const sql = `SELECT ${expression} AS v FROM m.orders`;
    expect(world.told(sql).map((each) => each.split('@')[0])).toEqual(codes);
    if (codes.length === 0) await world.rows(sql);
  });

  test.each([
    ['range(10)', 10],
    ['range(2, 20, 3)', 6],
    ['range(10, 0, -2)', 5],
    ["generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1 DAY)", 366],
    ["generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-02', INTERVAL '1 hour')", 25],
    ['generate_series(current_date - 2, current_date, INTERVAL 1 DAY)', 3],
    ['generate_series(now() - INTERVAL 1 DAY, now(), INTERVAL 12 HOURS)', 3],
    ['range(10000001)', undefined],
    ['range(0, 10000000000, 1)', undefined],
    ['range(0, -10000000000, -1)', undefined],
    ['range(0, 1000, 0)', undefined],
    ['range((SELECT 100000000000))', undefined],
    ["range(CAST('100000000000' AS BIGINT))", undefined],
    ["generate_series(now(), TIMESTAMP '2100-01-01', INTERVAL 1 MILLISECOND)", undefined],
    ["generate_series(TIMESTAMP '2000-01-01', now(), INTERVAL '1 microsecond')", undefined],
    ['range(2 * 100000000000)', undefined],
  ] as const)('rows of %s', async (table, rows) => {
    const sql = `SELECT count(*) FROM ${table}`;
    expect(world.told(sql)).toEqual(rows === undefined ? [`${LARGE}@${table}`] : []);
    if (rows !== undefined) expect(await world.rows(sql)).toEqual([[String(rows)]]);
  });
});

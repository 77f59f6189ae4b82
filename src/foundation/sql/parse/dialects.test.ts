import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.ts';
import { tableUses } from '../table-uses.ts';
import type { Call, Expression, Query, Select } from '../tree.ts';
import { parseQuery } from './parse-query.ts';

const ACCEPTED: Readonly<Partial<Record<Dialect, readonly string[]>>> = {
  postgres: [
    "SELECT a::text, b ->> 'x', c #>> '{a,b}', d @> e, f ~* 'x', now() - interval '1 day' FROM s.t",
    'SELECT DISTINCT ON (a) a FROM t ORDER BY a, b DESC NULLS LAST FETCH FIRST 3 ROWS ONLY',
    'SELECT * FROM t TABLESAMPLE bernoulli (10) REPEATABLE (1)',
    'SELECT * FROM json_to_recordset(x) AS r(a INT, b TEXT), generate_series(1, 3) WITH ORDINALITY AS g(i, n)',
    'SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES',
    'SELECT array_agg(a ORDER BY b), percentile_cont(0.5) WITHIN GROUP (ORDER BY c), ARRAY(SELECT 1), a = ANY(ARRAY[1, 2]) FROM t',
  ],
  snowflake: [
    'SELECT v:a.b[0]:c::int, v:"x y"::string, $1, t.$2 FROM t, LATERAL FLATTEN(input => t.v:items) f',
    'SELECT IFF(a, b, c), d FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) = 1',
    "SELECT * FROM TABLE(FLATTEN(input => PARSE_JSON('[1]'))) AS f // comment",
    'SELECT * EXCLUDE (a) RENAME (b AS c) FROM db..t SAMPLE (10)',
    "SELECT * FROM t AT (TIMESTAMP => '2024-01-01'::timestamp) MINUS SELECT * FROM u",
    'SELECT * FROM a ASOF JOIN b MATCH_CONDITION (a.t >= b.t) ON a.id = b.id',
    'SELECT TOP 3 a FROM t',
  ],
  bigquery: [
    "SELECT AS STRUCT a, b FROM `proj.ds.t` WHERE c = 'it\\'s' AND d = \"x\" # comment",
    'SELECT * EXCEPT (a) REPLACE (b + 1 AS b) FROM my-project.ds.t',
    "SELECT STRUCT(1 AS a, b), STRUCT<x INT64, y STRING>(1, 'z'), ARRAY<INT64>[1, 2], [1, 2][OFFSET(0)] FROM t",
    'SELECT SAFE_CAST(a AS INT64), DATE_ADD(d, INTERVAL x + 1 DAY), SAFE.SUBSTR(a, 1) FROM t',
    'SELECT * FROM t, UNNEST(t.items) AS item WITH OFFSET AS pos',
    'SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR) AS x',
    'SELECT ARRAY_AGG(a IGNORE NULLS ORDER BY b LIMIT 3), r"\\d+", b\'x\', """long "text" """ FROM t',
  ],
  trino: [
    "SELECT CAST(ROW(1, 'a') AS ROW(x INT, y VARCHAR)), TRY_CAST(a AS BIGINT), approx_percentile(a, 0.5) FROM c.s.t CROSS JOIN UNNEST(arr) WITH ORDINALITY AS u(e, n)",
  ],
  spark: [
    'SELECT k, v, `odd name` FROM t LATERAL VIEW EXPLODE(m) x AS k, v LATERAL VIEW OUTER EXPLODE(n) y AS w WHERE k = "a"',
    'SELECT STACK(2, 1, 2), transform(a, x -> x + 1), a DIV b FROM VALUES (1, 2), (3, 4) AS t(a, b)',
    'SELECT * FROM a LEFT SEMI JOIN b ON a.x = b.x LEFT ANTI JOIN c USING (x)',
  ],
  databricks: ["SELECT raw:a.b::int, raw:['k'] FROM t VERSION AS OF 3"],
  redshift: ["SELECT TOP 5 a, DATEADD(day, 1, b), LISTAGG(c, ',') WITHIN GROUP (ORDER BY c) FROM #tmp"],
  mysql: [
    "SELECT GROUP_CONCAT(DISTINCT a ORDER BY b SEPARATOR ', '), `c`, a DIV b, a XOR b FROM `d`.`t` USE INDEX (i) LIMIT 5, 10",
  ],
  clickhouse: ['SELECT countIf(a > 1), toDate(b), [1, 2] FROM s.t FINAL GROUP BY a WITH ROLLUP'],
  tsql: [
    'SELECT TOP (10) PERCENT [a b], t.[c] FROM [d].[t] AS t WITH (NOLOCK) CROSS APPLY f(t.x) OUTER APPLY (SELECT 1 AS y) z WHERE a = @p',
  ],
  sqlite: ["SELECT a IS b, [c d], `e` FROM t WHERE a GLOB 'x*' LIMIT 1, 2"],
};

function queryOf(sql: string, dialect: Dialect): Query {
  const result = parseQuery(sql, dialect);
  if (!result.ok) throw new Error(`${result.error.message}: ${sql}`);
  return result.value;
}

function selectOf(sql: string, dialect: Dialect): Select {
  const { body } = queryOf(sql, dialect);
  if (body.kind !== 'select') throw new Error(`a ${body.kind}`);
  return body;
}

describe.each(Object.entries(ACCEPTED) as [Dialect, readonly string[]][])(
  '%s is read',
  (dialect, queries) => {
    it.each(queries)('%s', (sql) => {
      queryOf(sql, dialect);
    });
  },
);

describe('what only one dialect has', () => {
  it('splits a BigQuery name in one pair of backticks at its dots', () => {
    const [use] = tableUses(queryOf('SELECT * FROM `proj.ds.t`', 'bigquery'));
    expect(use?.parts.map((part) => part.name)).toEqual(['proj', 'ds', 't']);
    expect(use?.nameSpan).toEqual({ start: 14, end: 25 });
    expect(use?.parts[1]?.span).toEqual({ start: 20, end: 22 });
  });

  it('reads dashes in an unquoted BigQuery project', () => {
    const [use] = tableUses(queryOf('SELECT * FROM my-proj-1.ds.t', 'bigquery'));
    expect(use?.parts.map((part) => part.name)).toEqual(['my-proj-1', 'ds', 't']);
  });

  it('makes TOP the limit of its query', () => {
    expect(queryOf('SELECT TOP 3 a FROM t ORDER BY a', 'tsql')).toMatchObject({
      limit: { text: '3' },
      orderBy: [{}],
      body: { kind: 'select' },
    });
    expect(queryOf('SELECT TOP 3 a FROM t UNION ALL SELECT b FROM u', 'tsql').body).toMatchObject({
      left: { kind: 'nested', query: { limit: { text: '3' } } },
    });
  });

  it('reads a colon as a path in Snowflake and as an alias in DuckDB', () => {
    expect(selectOf('SELECT a:b', 'snowflake').projections[0]?.expression).toMatchObject({
      kind: 'field',
      isVariantPath: true,
    });
    expect(selectOf('SELECT a:b', 'duckdb').projections[0]?.alias?.name).toBe('a');
  });

  it('names the position column of BigQuery’s WITH OFFSET', () => {
    const table = selectOf('SELECT * FROM UNNEST(x) AS item WITH OFFSET AS pos', 'bigquery').from[0];
    expect(table).toMatchObject({
      withOrdinality: true,
      alias: { name: { name: 'item' }, columns: [{ name: 'item' }, { name: 'pos' }] },
    });
  });

  it('reads MySQL’s LIMIT with the offset first', () => {
    expect(queryOf('SELECT 1 LIMIT 5, 10', 'mysql')).toMatchObject({
      offset: { text: '5' },
      limit: { text: '10' },
    });
  });

  it('reads a double-quoted text as a string where it is one', () => {
    expect(selectOf('SELECT "a"', 'bigquery').projections[0]?.expression.kind).toBe('literal');
    expect(selectOf('SELECT "a"', 'duckdb').projections[0]?.expression.kind).toBe('column');
  });
});

describe('units of time without quotes', () => {
  it.each<[Dialect, string, string | undefined]>([
    ['databricks', 'datediff(day, a, b)', 'day'],
    ['databricks', 'timestampdiff(HOUR, a, b)', 'HOUR'],
    ['databricks', 'date_add(a, day)', undefined],
    ['databricks', 'datediff(day, b)', undefined],
    ['spark', 'dateadd(month, 1, a)', 'month'],
    ['snowflake', 'date_trunc(month, a)', 'month'],
    ['snowflake', 'date_trunc(a, b)', undefined],
    ['snowflake', 'last_day(a, week)', 'week'],
    ['tsql', 'DATEDIFF(dd, a, b)', 'dd'],
    ['tsql', 'DATEDIFF(t.day, a, b)', undefined],
    ['mysql', 'TIMESTAMPDIFF(DAY, a, b)', 'DAY'],
    ['bigquery', 'DATE_DIFF(a, b, DAY)', 'DAY'],
    ['bigquery', 'DATE_TRUNC(a, MONTH)', 'MONTH'],
    ['duckdb', 'datediff(day, a, b)', undefined],
  ])('%s: %s', (dialect, call, unit) => {
    const { expression } = selectOf(`SELECT ${call} FROM t`, dialect).projections[0] as {
      readonly expression: Expression;
    };
    const literals = (expression as Call).arguments.flatMap(({ value }) =>
      value.kind === 'literal' && value.type === 'string' ? [value.text] : [],
    );
    expect(literals).toEqual(unit === undefined ? [] : [unit]);
  });
});

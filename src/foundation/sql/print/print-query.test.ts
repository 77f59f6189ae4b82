import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORPUS, DATA } from '../../../../tests/support/sql/rewritten-queries.ts';
import { canonicalText } from '../canonical/canonical.ts';
import { DIALECTS, type Dialect } from '../dialect.ts';
import { parseExpression, parseQuery } from '../parse/parse-query.ts';
import type { Expression, Query } from '../tree.ts';
import { printExpression, printQuery } from './print-query.ts';

function parsed(text: string, dialect: Dialect = 'duckdb'): Query {
  const result = parseQuery(text, dialect);
  if (!result.ok) throw new Error(`${result.error.message} in ${text}`);
  return result.value;
}

describe('printing a query in its own dialect', () => {
  it.each(CORPUS)('reads back the same: %s', (text) => {
    const query = parsed(text);
    for (const pretty of [false, true]) {
      const printed = printQuery(query, 'duckdb', { pretty });
      expect(canonicalText(parsed(printed), 'duckdb')).toBe(canonicalText(query, 'duckdb'));
    }
  });

  it('gives DuckDB the same plan and the same rows', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(DATA);
    const run = async (text: string): Promise<string> =>
      JSON.stringify((await connection.runAndReadAll(text)).getRowsJson());
    for (const text of CORPUS) {
      const printed = printQuery(parsed(text), 'duckdb');
      expect.soft(await run(printed), printed).toBe(await run(text));
      // A statement PIVOT looks its columns up first and has no plan of its own.
      if (!text.startsWith('pivot'))
        expect.soft(await run(`EXPLAIN ${printed}`), printed).toBe(await run(`EXPLAIN ${text}`));
    }
    connection.closeSync();
  });

  it('puts parentheses only where precedence needs them', () => {
    const same = [
      'a + b * c', '(a + b) * c', 'a - b - c', 'a - (b - c)', 'a AND b OR c', 'a AND (b OR c)', 'NOT a = b', '(NOT a) = b', '-a', '(-1)::INTEGER', '-1::INTEGER', 'a || b || c', "(j -> 'a') = 1", '(s).f',
      'CAST(a AS INTEGER)::VARCHAR', "DATE '2024-01-01'", 'a BETWEEN 1 AND 2 AND c', '(a = b) IS NULL', 'a IN (1, 2)', 'x[1]', 'f(a)[2:3]', "INTERVAL '1 day'", 'CASE WHEN a THEN b ELSE c END',
      'COUNT(*) FILTER (WHERE a > 1) OVER (PARTITION BY b ORDER BY c DESC NULLS LAST)', 'a + -b', '(a, b)', 'a % 2', '(a ^ 2) * 3', 'EXTRACT(YEAR FROM d)',
    ]; // biome-ignore format: a table
    for (const text of same) {
      const result = parseExpression(text, 'duckdb');
      expect(result.ok && printExpression(result.value, 'duckdb')).toBe(text);
    }
  });

  it('keeps an arrow inside the body of a lambda, and a cast outside an interval', () => {
    const texts = ["SELECT f(x -> (x ->> 'a'))", "SELECT (INTERVAL '1 day')::VARCHAR"];
    for (const text of texts) expect(printQuery(parsed(text), 'duckdb')).toBe(text);
    expect(printQuery(parsed("SELECT f(lambda x: x ->> 'a')"), 'duckdb')).toBe(texts[0]);
    expect(printQuery(parsed("SELECT INTERVAL '1 day'::VARCHAR"), 'duckdb')).toBe(texts[1]);
  });

  it('prints chains of 20,000 operands', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `a${i}`);
    const texts = [
      `SELECT 1 WHERE ${many.join(' AND ')}`,
      `SELECT ${many.join(' + ')}`,
      many.map((name) => `SELECT ${name}`).join(' UNION ALL '),
      `SELECT * FROM ${many.join(' CROSS JOIN ')}`,
    ];
    for (const text of texts) expect(printQuery(parsed(text), 'duckdb')).toBe(text);
  });

  it('lays a pretty query out in lines', () => {
    const text =
      'with x as (select a, b from t where a > 1 and b = 2) select x.a, count(*) as n from x left join u on x.a = u.a group by 1 order by n desc limit 3';
    expect(printQuery(parsed(text), 'duckdb', { pretty: true })).toBe(
      `WITH x AS (
  SELECT
    a,
    b
  FROM t
  WHERE a > 1
    AND b = 2
)
SELECT
  x.a,
  count(*) AS n
FROM x
LEFT JOIN u ON x.a = u.a
GROUP BY 1
ORDER BY n DESC
LIMIT 3`,
    );
  });
});

/** What each dialect says in its own way, read and printed unchanged in meaning. */
const OWN: Readonly<Record<Dialect, readonly string[]>> = {
  duckdb: ['FROM t SELECT * EXCLUDE (a)', "SELECT x FROM 'a.parquet' USING SAMPLE 10%", 'SELECT * FROM t TABLESAMPLE 10%'],
  postgres: ['SELECT DISTINCT ON (a) a, b::TEXT FROM t', 'SELECT ARRAY[1, 2], a ~ b, "Order" FROM "T"'],
  mysql: ['SELECT `a b`, DATE_ADD(d, INTERVAL 1 DAY), GROUP_CONCAT(a ORDER BY b SEPARATOR \';\') FROM t LIMIT 5', 'SELECT a DIV 2, "str\\"ing" FROM t'],
  trino: ["SELECT CAST(a AS ROW(x INTEGER, y VARCHAR)), INTERVAL '1' DAY FROM t OFFSET 2 LIMIT 3", 'SELECT x FROM t CROSS JOIN UNNEST(t.a) AS u(x)'],
  spark: ['SELECT `a`, STRUCT(1 AS x), a <=> b FROM t LATERAL VIEW explode(x) e AS y', 'SELECT * FROM t LEFT SEMI JOIN u ON t.a = u.a'],
  databricks: ['SELECT * EXCEPT (a) FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1'],
  snowflake: ['SELECT v:a.b::STRING, IFF(a, 1, 2) FROM "T" QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1', 'SELECT $1, a FROM t SAMPLE (10)'],
  bigquery: ['SELECT * EXCEPT (a) REPLACE (b AS c) FROM `p.d.t`', 'SELECT [1, 2], STRUCT(1 AS a), SAFE_CAST(x AS INT64) FROM t UNION DISTINCT SELECT 1, 2, 3'],
  redshift: ['SELECT a::VARCHAR(10), LISTAGG(b, \',\') WITHIN GROUP (ORDER BY c) FROM t'],
  clickhouse: ['SELECT toDate(a), CAST(b AS Nullable(Int32)) FROM t FINAL'],
  tsql: ['SELECT TOP 5 [a b], CONCAT(x, 1) FROM [dbo].[t] ORDER BY a', 'SELECT a FROM t ORDER BY a OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY'],
  sqlite: ['SELECT a, b FROM t WHERE a GLOB \'x*\' LIMIT 1 OFFSET 2'],
  generic: ['SELECT a, CAST(b AS INTEGER) FROM t'],
}; // biome-ignore format: a table

const span = { start: 0, end: 0 };
const named = (name: string, quoted = false) => ({ name, quoted, span });

/** Trees that no text was read from, of every shape that can nest. */
const { expression: anyExpression } = fc.letrec<{ expression: Expression }>((tie) => {
  const inner = tie('expression');
  const binary =
    '+ - * / // % || = <> < > <= >= AND OR & | << >> ^ -> ->> IS_DISTINCT_FROM IS_NOT_DISTINCT_FROM'
      .split(' ')
      .map((operator) => operator.replaceAll('_', ' '));
  const name = fc.constantFrom(named('a'), named('b c', true), named('select', true), named('x'));
  const leaf = fc.oneof(
    name.map((it): Expression => ({ kind: 'column', name: it, qualifiers: [], span })),
    name.map((it): Expression => ({ kind: 'column', name: it, qualifiers: [named('t')], span })),
    fc
      .string({ maxLength: 5 })
      .filter((text) => !text.includes('\0'))
      .map((text): Expression => ({ kind: 'literal', type: 'string', text, span })),
    fc.nat(99).map((value): Expression => ({ kind: 'literal', type: 'number', text: String(value), span })),
    fc.constant<Expression>({ kind: 'literal', type: 'null', text: 'NULL', span }),
  );
  const type = fc.constantFrom(
    { name: 'INTEGER', parameters: [], fields: [], span },
    { name: 'DECIMAL', parameters: ['10', '2'], fields: [], span },
    {
      name: 'LIST',
      parameters: [],
      fields: [{ type: { name: 'VARCHAR', parameters: [], fields: [], span } }],
      span,
    },
  );
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'e' },
      leaf,
      fc
        .tuple(fc.constantFrom(...binary), inner, inner)
        .map(([operator, left, right]): Expression => ({ kind: 'binary', operator, left, right, span })),
      fc
        .tuple(fc.constantFrom('NOT', '-', '+', '~'), inner)
        .map(([operator, operand]): Expression => ({ kind: 'unary', operator, operand, span })),
      fc.tuple(fc.boolean(), inner, inner, inner).map(
        ([negated, operand, low, high]): Expression => ({
          kind: 'between',
          negated,
          symmetric: false,
          operand,
          low,
          high,
          span,
        }),
      ),
      fc.tuple(fc.boolean(), inner, fc.array(inner, { minLength: 1, maxLength: 3 })).map(
        ([negated, operand, items]): Expression => ({
          kind: 'in',
          negated,
          operand,
          set: { kind: 'list', items },
          span,
        }),
      ),
      fc.tuple(fc.constantFrom('LIKE', 'ILIKE'), fc.boolean(), inner, inner).map(
        ([operator, negated, operand, pattern]): Expression => ({
          kind: 'like',
          operator,
          negated,
          operand,
          pattern,
          span,
        }),
      ),
      fc.tuple(fc.constantFrom('NULL', 'TRUE'), fc.boolean(), inner).map(
        ([test, negated, operand]): Expression => ({
          kind: 'is',
          test: test as 'NULL',
          negated,
          operand,
          span,
        }),
      ),
      fc.tuple(inner, inner, inner).map(
        ([when, then, otherwise]): Expression => ({
          kind: 'case',
          whens: [{ when, then }],
          otherwise,
          span,
        }),
      ),
      fc.tuple(fc.constantFrom('cast', 'colons'), fc.boolean(), inner, type).map(
        ([form, isTry, operand, to]): Expression => ({
          kind: 'cast',
          form: form as 'cast',
          isTry,
          operand,
          type: to,
          span,
        }),
      ),
      fc
        .tuple(inner, inner)
        .map(([operand, index]): Expression => ({ kind: 'subscript', operand, isSlice: false, index, span })),
      fc
        .tuple(inner, inner)
        .map(([operand, zone]): Expression => ({ kind: 'at-time-zone', operand, zone, span })),
      fc
        .tuple(inner, name)
        .map(
          ([operand, field]): Expression => ({ kind: 'field', operand, field, isVariantPath: false, span }),
        ),
      fc
        .array(inner, { minLength: 2, maxLength: 3 })
        .map((items): Expression => ({ kind: 'tuple', items, span })),
      fc.array(inner, { maxLength: 3 }).map((items): Expression => ({ kind: 'list', items, span })),
      fc.array(inner, { maxLength: 2 }).map(
        (values): Expression => ({
          kind: 'call',
          name: named('f'),
          qualifiers: [],
          syntax: 'plain',
          arguments: values.map((value) => ({ value })),
          isStar: false,
          isDistinct: false,
          orderBy: [],
          withinGroup: [],
          span,
        }),
      ),
    ),
  };
});

describe('printing trees that nobody wrote', () => {
  const queryOf = (expression: Expression): Query => ({
    kind: 'query',
    body: {
      kind: 'select',
      distinct: 'none',
      projections: [{ expression, span }],
      from: [],
      windows: [],
      span,
    },
    orderBy: [],
    span,
  });

  it('gives text that reads back as the same tree', () => {
    fc.assert(
      fc.property(
        anyExpression,
        fc.constantFrom<Dialect>('duckdb', 'postgres', 'trino'),
        (expression, dialect) => {
          const query = queryOf(expression);
          const printed = printQuery(query, dialect);
          expect(canonicalText(parsed(printed, dialect), dialect)).toBe(canonicalText(query, dialect));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('printing what a dialect says in its own way', () => {
  it.each(DIALECTS)('%s reads its own text back', (dialect) => {
    for (const text of OWN[dialect]) {
      const query = parsed(text, dialect);
      const printed = printQuery(query, dialect);
      expect
        .soft(canonicalText(parsed(printed, dialect), dialect), printed)
        .toBe(canonicalText(query, dialect));
    }
  });
});

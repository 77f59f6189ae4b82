import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, InspectedSql } from '../../../domain/engine.ts';
import type { Failure } from '../../../domain/failure.ts';
import { duckdbEngine } from './duckdb-connection.ts';

let folder: string;
let engine: Engine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-inspect-'));
  engine = await duckdbEngine({ database: ':memory:', folder });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** The names of tables as they stand in the text. */
function written(sql: string, { tables }: InspectedSql): readonly string[] {
  return tables.map(({ start, end }) => sql.slice(start, end));
}

/** The code of a refusal, and the text it points to. */
async function refusal(sql: string): Promise<readonly [string, string | undefined]> {
  try {
    await engine.inspect(sql);
  } catch (error) {
    const { code, diagnostic } = error as Failure;
    const { at } = diagnostic;
    return [code, at === undefined ? undefined : sql.slice(at.start, at.end)];
  }
  throw new Error(`it was let through: ${sql}`);
}

describe('where tables stand', () => {
  test.each([
    ['SELECT * FROM orders', ['orders']],
    ['SELECT * FROM shop.orders AS o, "Kun den" JOIN a . "b" /* . */ . c ON true', ['shop.orders', '"Kun den"', 'a . "b" /* . */ . c']],
    ["SELECT 'äöü😀' AS \"ä\" FROM \"ä😀\".\"b \"\"c\" /* ü */, ñandú", ['"ä😀"."b ""c"', 'ñandú']],
    ['/* orders */ SELECT 1 -- orders\nFROM orders -- orders', ['orders']],
    ['FROM a SELECT x UNION ALL FROM b', ['a', 'b']],
    ['SELECT (SELECT max(x) FROM a) FROM b WHERE EXISTS (FROM c) ORDER BY (SELECT 1 FROM d) LIMIT (SELECT 1 FROM e)', ['a', 'b', 'c', 'd', 'e']],
    ['SELECT list_transform([1], x -> (SELECT 1 FROM a))', ['a']],
    ['SELECT sum(x) FILTER (WHERE y IN (FROM a)) OVER (ORDER BY (FROM b)) FROM c QUALIFY (FROM d) > 1', ['a', 'b', 'c', 'd']],
    ["FROM 'x.csv'", ["'x.csv'"]],
    ['PIVOT a ON b IN (1, 2) USING sum(c)', ['a']],
    ['UNPIVOT a ON b, c INTO NAME n VALUE v', ['a']],
    ['SELECT * FROM a TABLESAMPLE 10%', ['a']],
    ['SELECT * FROM a POSITIONAL JOIN b ASOF JOIN c USING (t)', ['a', 'b', 'c']],
    ['SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x)', ['a', 'b']],
    ['SELECT\u00a0*\u3000FROM\u00a0a,\u2003b WHERE x = \'\u00a0\' AND y IN (FROM "c\u00a0d")', ['a', 'b', '"c\u00a0d"']],
    ['VALUES ((SELECT 1 FROM a))', ['a']],
    ['SELECT * FROM range((SELECT 1 FROM a))', ['a']],
    ['FROM sqlite_master, information_schema.tables, pg_catalog.pg_class, duckdb_tables', ['sqlite_master', 'information_schema.tables', 'pg_catalog.pg_class', 'duckdb_tables']],
  ])('%s', async (sql, names) => {
    expect(written(sql, await engine.inspect(sql))).toEqual(names);
  }); // biome-ignore format: a table

  test('parts are what DuckDB reads, and an alias is known', async () => {
    const { tables } = await engine.inspect('SELECT * FROM Cat."Sch ""x".T AS y, other');
    expect(tables.map(({ parts, hasAlias }) => [parts, hasAlias])).toEqual([
      [['Cat', 'Sch "x', 'T'], true],
      [['other'], false],
    ]);
    expect((await engine.inspect('FROM x: t')).tables[0]?.hasAlias).toBe(true);
    expect((await engine.inspect('TABLE t')).tables[0]?.hasAlias).toBe(true);
  });
});

describe('CTEs hide tables in their scope only', () => {
  test.each([
    ['WITH a AS (SELECT 1) FROM a, A, "a"', []],
    ['WITH a AS (FROM a) FROM a', ['a']],
    ['WITH a AS (FROM b), b AS (SELECT 1) FROM a, b', ['b']],
    ['WITH a AS (SELECT 1), b AS (FROM a) FROM b', []],
    ['WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a WHERE x < 3) FROM a', []],
    ['WITH RECURSIVE a AS (FROM a UNION ALL FROM a) FROM a', ['a']],
    ['WITH a AS (SELECT 1 UNION ALL FROM a) FROM a', ['a']],
    ['FROM (WITH a AS (SELECT 1) FROM a), a', ['a']],
    ['(WITH a AS (SELECT 1) FROM a) UNION ALL FROM a', ['a']],
    ['WITH a AS (SELECT 1) (FROM a UNION ALL FROM a) ORDER BY (SELECT 1 FROM a)', []],
    ['WITH a AS MATERIALIZED (SELECT 1) SELECT (FROM a), (WITH b AS (FROM a) FROM b)', []],
    ['WITH a AS (SELECT 1) FROM main.a', ['main.a']],
    ['WITH "main.a" AS (SELECT 1) FROM main.a, "main.a"', ['main.a']],
    ['WITH Ä AS (SELECT 1) FROM ä', ['ä']],
    ['WITH k AS (SELECT 1) FROM "\u212a"', ['"\u212a"']],
  ])('%s', async (sql, names) => {
    expect(written(sql, await engine.inspect(sql))).toEqual(names);
  });

  test('in random nests of WITH, what is no table for us is none for DuckDB', async () => {
    const name = fc.constantFrom('a', 'b', 'A', 'c');
    const { query } = fc.letrec<{ query: string; source: string }>((tie) => ({
      source: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        name,
        tie('query').map((text) => `(${text}) AS s`),
      ),
      query: fc.oneof(
        { maxDepth: 4 },
        tie('source').map((source) => `SELECT 1 AS x FROM ${source}`),
        fc
          .tuple(
            fc.array(fc.tuple(name, tie('query')), { minLength: 1, maxLength: 3 }),
            tie('source'),
            fc.boolean(),
          )
          .map(([ctes, source, isRecursive]) => {
            const defined = new Map(ctes.map(([cte, text]) => [cte.toLowerCase(), `${cte} AS (${text})`]));
            return `WITH ${isRecursive ? 'RECURSIVE ' : ''}${[...defined.values()].join(', ')} SELECT 1 AS x FROM ${source}`;
          }),
        fc.tuple(tie('query'), tie('query')).map(([left, right]) => `(${left}) UNION ALL (${right})`),
        fc
          .tuple(tie('source'), tie('query'))
          .map(([source, inner]) => `SELECT (SELECT x FROM (${inner}) AS i LIMIT 1) AS x FROM ${source}`),
      ),
    }));
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(query, async (sql) => {
        const { tables } = await engine.inspect(sql);
        // No table of these names exists: with something else in their places, DuckDB must find none missing.
        let spliced = sql;
        for (const { start, end } of tables.toReversed())
          spliced = `${spliced.slice(0, start)}range(1) AS r(x)${spliced.slice(end)}`;
        const failed = await engine.prepare(spliced).then(
          () => undefined,
          (error: Failure) => error.message,
        );
        expect(failed ?? '').not.toMatch(/does not exist/);
        checked++;
      }),
      { numRuns: 300 },
    );
    expect(checked).toBe(300);
  });
});

describe('what is refused, and where', () => {
  test.each(['DESCRIBE t', 'SHOW TABLES', 'SUMMARIZE t', 'SELECT * FROM (DESCRIBE t)'])(
    '%s, with the command that lists columns',
    async (sql) => {
      await expect(engine.inspect(sql)).rejects.toMatchObject({
        code: 'query.not-allowed',
        diagnostic: { hint: 'plinth info lists the models, plinth info MODEL the columns of one' },
      });
    },
  );
  test.each([
    ['', 'query.not-a-query', undefined],
    [' ; -- nothing', 'query.not-a-query', undefined],
    ['DROP TABLE a', 'query.not-a-query', undefined],
    ['SELECT 1; SELECT 2', 'query.several-statements', undefined],
    ["SELECT 'ä😀', x FROM FROM -- FROM", 'query.cannot-parse', 'FROM'],
    ["SELECT 'ä', selec(1)", 'query.function-not-allowed', 'selec'],
    ["SELECT 'ä' FROM read_csv('x')", 'query.function-not-allowed', 'read_csv'],
    ['PIVOT t ON a USING sum(b)', 'query.pivot-needs-in', 'PIVOT'],
    ['FROM t PIVOT (sum(a) FOR b IN my_enum)', 'query.not-allowed', undefined],
    ['SHOW TABLES', 'query.not-allowed', undefined],
    ['SELECT * FROM (DESCRIBE t)', 'query.not-allowed', undefined],
    ['FROM t AT (VERSION => 1)', 'query.not-allowed', 't'],
    ['SELECT sum(x) EXPORT_STATE FROM t', 'query.not-allowed', 'sum'],
    ["SELECT COLUMNS(c -> c = 'a') FROM t", 'query.not-allowed', 'COLUMNS'],
    ['SELECT x::VARIANT', 'query.not-allowed', undefined],
    ['SELECT x::STRUCT(a VARIANT[])', 'query.not-allowed', undefined],
    ['SELECT x::my_type', 'query.not-allowed', undefined],
    ['SELECT 1e999', 'query.cannot-parse', undefined],
    ['SELECT\u0000 1', 'query.cannot-parse', '\u0000'],
    [`SELECT ${'upper('.repeat(300)}'x'${')'.repeat(300)}`, 'query.too-complex', 'upper'],
    [`SELECT 1 FROM a${' CROSS JOIN a'.repeat(300)}`, 'query.too-complex', 'CROSS'],
    [`SELECT ${'list_transform([1], x -> '.repeat(9)}x${')'.repeat(9)}`, 'query.too-complex', undefined],
    [`SELECT 1 WHERE true${' AND true'.repeat(11_000)}`, 'query.too-complex', undefined],
    [`${'/**/'.repeat(1_001)}SELECT 1`, 'query.too-complex', undefined],
    [`SELECT 1 ${'/*'.repeat(1_001)}`, 'query.too-complex', undefined],
    [`SELECT 1${' UNION ALL SELECT 1'.repeat(2_000)}`, 'query.too-complex', undefined],
  ])('%s', async (sql, code, place) => {
    const [found, text] = await refusal(sql);
    expect(found).toBe(code);
    if (place !== undefined) expect(text).toBe(place);
  });

  test('macros of the warehouse cannot be called, under whatever name, and can again when they are gone', async () => {
    await engine.write([], (session) =>
      session.execute(
        "CREATE MACRO upper(x) AS 'mine'; CREATE MACRO helper(x) AS x; CREATE MACRO range(x) AS TABLE SELECT 'rows' AS r; CREATE SCHEMA s; CREATE MACRO s.lower(x) AS (SELECT 'hidden')",
      ),
    );
    expect(await refusal("SELECT upper('x')")).toEqual(['query.function-not-allowed', 'upper']);
    expect((await refusal("SELECT main.upper('x')"))[0]).toBe('query.function-not-allowed');
    expect((await refusal("SELECT helper('x')"))[0]).toBe('query.function-not-allowed');
    expect((await refusal('SELECT * FROM range(1)'))[0]).toBe('query.function-not-allowed');
    expect((await refusal("SELECT s.lower('X')"))[0]).toBe('query.function-not-allowed');
    await engine.write([], (session) =>
      session.execute('DROP MACRO upper; DROP MACRO helper; DROP MACRO TABLE range; DROP MACRO s.lower'),
    );
    await engine.inspect("SELECT upper('x'), s.lower('X') FROM range(1)");
  });

  test('macros with the names of what the inspection and the lines of long answers are made with change neither', async () => {
    const names = [
      'json_serialize_sql(x, skip_null := 1, skip_empty := 1, skip_default := 1)',
      'lower(x)',
      '"||"(x, y)',
      '"%"(x, y)',
      '"-"(x)',
    ];
    const singles = ['to_json', 'isfinite', 'isnan', 'chr', 'epoch_us', 'make_timestamp', 'json_array'].map(
      (name) => `${name}(x)`,
    );
    const twos = ['strftime', 'rtrim'].map((name) => `${name}(x, y)`);
    const tables = ['duckdb_functions', 'query'];
    const sql = `SELECT i, i::DOUBLE / 4 AS d, (i * 1000000007)::HUGEINT * 1000000007 AS h, TIMESTAMPTZ '2025-01-01 00:00:00+00' + INTERVAL (i) SECOND AS t, 'x' || i AS v FROM range(20000) AS r(i)`;
    const read = async (): Promise<string> => {
      const { lines } = await engine.read(sql, {});
      let text = '';
      for await (const piece of lines) text += piece.toString();
      return text;
    };
    const before = await read();
    await engine.write([], (session) =>
      session.execute(
        [
          ...[...names, ...singles, ...twos].map((name) => `CREATE MACRO ${name} AS 'mine'`),
          `CREATE MACRO duckdb_functions() AS TABLE SELECT 'none' AS function_name, true AS internal`,
          `CREATE MACRO query(x) AS TABLE SELECT 'mine' AS c0`,
        ].join('; '),
      ),
    );
    try {
      expect((await refusal('COPY (SELECT 1) TO $$x$$'))[0]).toBe('query.not-a-query');
      expect((await refusal("SELECT lower('X')"))[0]).toBe('query.function-not-allowed');
      expect((await engine.inspect('SELECT a FROM orders')).tables).toHaveLength(1);
      // What the query itself calls is the project's.
      expect((await read()).split('\n').map((line) => line.replace(/"(?:x\d+|mine)"\]$/, ''))).toEqual(
        before.split('\n').map((line) => line.replace(/"(?:x\d+|mine)"\]$/, '')),
      );
    } finally {
      await engine.write([], (session) =>
        session.execute(
          [
            ...[...names, ...singles, ...twos].map(
              (name) => `DROP MACRO ${name.slice(0, name.indexOf('('))}`,
            ),
            ...tables.map((name) => `DROP MACRO TABLE ${name}`),
          ].join('; '),
        ),
      );
    }
  });

  test('one that takes the name of a function after a text was inspected is noticed when that text is read', async () => {
    const sql = "SELECT upper('x') AS v";
    const read = async (isInspected: boolean): Promise<string> => {
      const { lines } = await engine.read(sql, { isInspected });
      let text = '';
      for await (const piece of lines) text += piece.toString();
      return text;
    };
    await engine.inspect(sql);
    expect(await read(true)).toBe('["X"]\n');
    await engine.write([], (session) => session.execute("CREATE MACRO upper(x) AS 'secret'"));
    await expect(read(true)).rejects.toMatchObject({ code: 'query.function-not-allowed' });
    // What we wrote ourselves may use what the project defines.
    expect(await read(false)).toBe('["secret"]\n');
    await engine.write([], (session) => session.execute('DROP MACRO upper'));
    expect(await read(true)).toBe('["X"]\n');
  });
});

describe('parameters and chance', () => {
  test('parameters are found where they stand, not in texts, comments or names', async () => {
    const sql = "SELECT ?, '?', \"?\" -- ?\n, 'ä' || ? FROM t WHERE x = ? /* ? */";
    const { parameters } = await engine.inspect(sql);
    expect(parameters.map(({ name, start, end }) => [name, sql.slice(start, end), start])).toEqual([
      ['1', '?', 7],
      ['2', '?', sql.indexOf('? FROM')],
      ['3', '?', sql.indexOf('? /*')],
    ]);
    const named = "SELECT $from, $$ $no $$, $tag$ $no $tag$, $from + $to, '$no'";
    expect(
      (await engine.inspect(named)).parameters.map(({ name, start, end }) => [name, named.slice(start, end)]),
    ).toEqual([
      ['from', '$from'],
      ['from', '$from'],
      ['to', '$to'],
    ]);
  });

  test.each([
    "SELECT ?, 'a' || ?",
    'SELECT $ä$ ? $ä$, ?',
    "SELECT E'\\' ? ', ?",
    'SELECT /* /* ? */ ? */ ?',
    "SELECT '\\', ? --'",
    'SELECT $1$ ? $1$',
    'SELECT a?b, x',
    "SELECT x'? ', ?",
    "SELECT 'a'\n'?' , ?",
    'SELECT "?""?", ?',
    'SELECT ?::INTEGER, -?, ?-1 FROM range(?) LIMIT ?',
  ])('in %s a value can only take the place of a parameter', async (sql) => {
    const inspected = await engine.inspect(sql).catch((error: Failure) => error.code);
    if (typeof inspected === 'string') {
      expect(inspected).toBe('query.cannot-parse');
      return;
    }
    expect(inspected.parameters.length).toBeGreaterThan(0);
    let filled = sql;
    for (const { start, end } of inspected.parameters.toReversed())
      filled = `${filled.slice(0, start)}(''' || getenv(''HOME'') || ''')${filled.slice(end)}`;
    // The value stays a value: if its quotes closed or opened anything, the call in it would be seen.
    expect((await engine.inspect(filled)).parameters).toEqual([]);
  });

  test.each([
    ['SELECT 1', true],
    ['SELECT now()', false],
    ['SELECT current_date', false],
    ['SELECT CURRENT_TIMESTAMP', false],
    ['SELECT random()', false],
    ['SELECT uuid()', false],
    ['SELECT age(d) FROM t', false],
    ['FROM t TABLESAMPLE 10%', false],
    ['SELECT * FROM t USING SAMPLE 5', false],
    ['SELECT t.current_date FROM t', true],
    ["SELECT date_trunc('month', d), count(*) FROM t GROUP BY ALL", true],
  ])('%s is stable: %s', async (sql, isStable) => {
    expect((await engine.inspect(sql)).isStable).toBe(isStable);
  });
});

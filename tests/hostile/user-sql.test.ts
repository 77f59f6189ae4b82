/*
 * SQL of somebody who means harm, as the sandbox of statements sees it: every function, table function and setting of the installed
 * DuckDB, every kind of statement, and tricks with comments and letters. Each attempt must be refused with a code of the catalog.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  STEADY_FUNCTIONS,
  TABLE_FUNCTIONS,
  UNSTEADY_FUNCTIONS,
} from '../../src/adapters/engines/duckdb/allowed-functions.ts';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';

const ALLOWED = new Set([...STEADY_FUNCTIONS, ...UNSTEADY_FUNCTIONS]);
const AT_ONCE = 16;

let folder: string;
let engine: Engine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-hostile-sql-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'secret.csv'), 'secret\n42\n');
  engine = await duckdbEngine({ database: 'w.duckdb', folder, idleMs: 50, who: 'hostile' });
  await engine.write([], async (session) => {
    await session.execute('CREATE TABLE t AS SELECT 1 AS id');
    await session.execute('CREATE MACRO sneak(x) AS TABLE SELECT * FROM query_table(x)');
    await session.execute('CREATE MACRO peek(x) AS (SELECT content FROM read_text(x))');
  });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** What became of each attempt: the code of its refusal, or that it was let through. */
async function outcomes(attempts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const left = [...attempts];
  const work = async (): Promise<void> => {
    for (let sql = left.pop(); sql !== undefined; sql = left.pop()) {
      const text = sql;
      found.set(
        text,
        await engine.inspect(text).then(
          () => 'let through',
          (error: unknown) => (error instanceof Failure ? error.code : `a bug: ${String(error)}`),
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** Every attempt is refused with a code about queries; says which were not. */
async function expectRefused(attempts: readonly string[], code = /^query\./): Promise<void> {
  const found = await outcomes(attempts);
  expect(found.size).toBe(new Set(attempts).size);
  expect([...found].filter(([, outcome]) => !code.test(outcome))).toEqual([]);
}

async function names(sql: string): Promise<readonly string[]> {
  return (await engine.query(sql)).rows.map(([name]) => String(name));
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

describe('functions', () => {
  test('every function that is not on the list is refused, however it is called', async () => {
    const all = await names('SELECT DISTINCT function_name FROM duckdb_functions()');
    const forbidden = all.filter((name) => !ALLOWED.has(name.toLowerCase()) && name !== 'unnest');
    expect(forbidden.length).toBeGreaterThan(200);
    await expectRefused(
      forbidden.flatMap((name) => [
        `SELECT ${quoted(name)}()`,
        `SELECT ${quoted(name.toUpperCase())}('t')`,
        `SELECT main.${quoted(name)}('t')`,
        `SELECT system.main.${quoted(name)}('t')`,
        `SELECT 1 WHERE ${quoted(name)}('t', 1) IS NULL`,
      ]),
      /^query\.function-not-allowed$/,
    );
  });

  test('and in every place where an expression can stand', async () => {
    const call = "getenv('HOME')";
    await expectRefused(
      [
        `SELECT ${call}`, `SELECT 1 FROM t WHERE ${call} = ''`, `SELECT 1 GROUP BY ${call}`, `SELECT 1 HAVING ${call} = ''`, `SELECT 1 ORDER BY ${call}`,
        `SELECT 1 LIMIT ${call}`, `SELECT 1 LIMIT 1 OFFSET ${call}`, `SELECT DISTINCT ON (${call}) 1`, `SELECT sum(1) FILTER (WHERE ${call} = '')`,
        `SELECT sum(1) OVER (PARTITION BY ${call})`, `SELECT sum(1) OVER (ORDER BY ${call})`, `SELECT lag(1, 1, ${call}) OVER ()`, `SELECT string_agg('a', ',' ORDER BY ${call})`,
        `SELECT sum(1) OVER (ROWS BETWEEN length(${call}) PRECEDING AND CURRENT ROW)`, `SELECT 1 QUALIFY ${call} = ''`, `SELECT [${call}]`, `SELECT {'a': ${call}}`, `SELECT MAP {'a': ${call}}`,
        `SELECT CASE WHEN true THEN ${call} END`, `SELECT CASE ${call} WHEN '' THEN 1 END`, `SELECT CAST(${call} AS INTEGER)`, `SELECT ${call} COLLATE nocase`, `SELECT 1 IN (${call})`,
        `SELECT 1 BETWEEN ${call} AND 2`, `SELECT list_transform([1], x -> ${call})`, `SELECT [${call} FOR x IN [1]]`, `SELECT (SELECT ${call})`, `SELECT EXISTS (SELECT ${call})`,
        `SELECT * REPLACE (${call} AS id) FROM t`, `SELECT COLUMNS(${call}) FROM t`, `SELECT * FROM range(length(${call}))`, `SELECT * FROM unnest([${call}])`, `VALUES (${call})`,
        `SELECT * FROM (VALUES (${call})) v`, `SELECT * FROM t JOIN t u ON ${call} = ''`, `SELECT * FROM t, LATERAL (SELECT ${call})`, `WITH a AS (SELECT ${call}) SELECT 1`,
        `WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT length(${call}) FROM a) FROM a`, `SELECT 1 UNION ALL SELECT length(${call})`, `PIVOT t ON ${call} IN ('a') USING sum(id)`, `PIVOT t ON id IN (1) USING max(${call})`,
        `UNPIVOT t ON ${call}`, `SELECT TRY(${call})`, `SELECT coalesce(${call}, 1)`, `SELECT ${call} IS NULL`, `SELECT NOT ${call} = ''`, `SELECT ('a' || ${call})[1:2]`, `SELECT ${call}.upper()`,
        `SELECT upper(${call})`, `FROM t SELECT ${call}`, `SELECT x: ${call}`, `SELECT struct_pack(a := ${call})`, `SELECT date_trunc(${call}, now())`, `SELECT * FROM t USING SAMPLE (${call})`,
        `SELECT 1 GROUP BY GROUPING SETS ((${call}))`, `SELECT 1 GROUP BY CUBE (${call})`, `SELECT first(1 ORDER BY ${call}) WITHIN GROUP (ORDER BY ${call})`, `SELECT * FROM t ASOF JOIN t u ON t.id >= length(${call})`,
      ],
    ); // biome-ignore format: a table
  });

  test('every function but three is refused where a table could stand', async () => {
    const all = await names('SELECT DISTINCT function_name FROM duckdb_functions()');
    await expectRefused(
      all
        .filter((name) => !TABLE_FUNCTIONS.has(name.toLowerCase()))
        .flatMap((name) => [
          `FROM ${quoted(name)}('t')`,
          `SELECT * FROM t, system.main.${quoted(name)}('t', 1)`,
        ]),
      /^query\.function-not-allowed$/,
    );
    await expectRefused([
      "FROM sneak('t')",
      "SELECT peek('/etc/passwd')",
      "FROM main.sneak('t')",
      "SELECT 'x'.peek()",
    ]);
  });
});

describe('statements', () => {
  test('every statement that is no query is refused', async () => {
    await expectRefused([
      "COPY t TO '/tmp/x.csv'", "COPY (SELECT 1) TO '/tmp/x.csv'", "COPY t FROM '/etc/passwd'", "COPY FROM DATABASE a TO b", "ATTACH '/tmp/x.duckdb'", "ATTACH ':memory:' AS m", 'DETACH plinth_warehouse', 'INSTALL httpfs', 'FORCE INSTALL httpfs',
      'LOAD httpfs', "LOAD '/tmp/x.so'", 'UPDATE EXTENSIONS', "SET memory_limit = '1GB'", 'SET GLOBAL threads = 1', "SET VARIABLE x = 1", 'RESET threads', 'PRAGMA database_list', 'PRAGMA version', "PRAGMA table_info('t')", "CALL pragma_version()",
      "CALL query('SELECT 1')", "EXPORT DATABASE '/tmp/x'", "IMPORT DATABASE '/tmp/x'", 'CHECKPOINT', 'FORCE CHECKPOINT', 'VACUUM', 'ANALYZE', 'PREPARE p AS SELECT 1', 'EXECUTE p', 'DEALLOCATE p', 'EXPLAIN SELECT 1', 'EXPLAIN ANALYZE SELECT 1',
      'BEGIN', 'COMMIT', 'ROLLBACK', 'USE memory', 'USE plinth_warehouse.main', 'CREATE TABLE x (a INTEGER)', 'CREATE TABLE x AS SELECT 1', 'CREATE TEMP TABLE x (a INTEGER)', 'CREATE VIEW v AS SELECT 1', 'CREATE MACRO m(x) AS x', 'CREATE SCHEMA s',
      "CREATE TYPE y AS ENUM ('a')", 'CREATE SEQUENCE s', 'CREATE INDEX i ON t (id)', "CREATE SECRET s (TYPE s3)", 'DROP TABLE t', 'DROP SECRET s', 'ALTER TABLE t ADD COLUMN a INTEGER', 'INSERT INTO t VALUES (2)', 'UPDATE t SET id = 2', 'DELETE FROM t', 'TRUNCATE t',
      'MERGE INTO t USING t AS u ON true WHEN MATCHED THEN DELETE', "COMMENT ON TABLE t IS 'x'", 'SHOW TABLES', 'SHOW ALL TABLES', 'SHOW DATABASES', 'SHOW t', 'DESCRIBE', 'DESCRIBE t', 'DESCRIBE SELECT 1', 'SUMMARIZE t', 'SUMMARIZE SELECT * FROM t', "SHOW memory_limit",
      'SELECT * FROM (DESCRIBE t)', 'SELECT * FROM (SHOW TABLES)', 'SELECT * FROM (SUMMARIZE t)', 'WITH a AS (SUMMARIZE t) FROM a', 'SELECT (SELECT 1 FROM (SHOW DATABASES))', 'SELECT * INTO x FROM t', 'WITH a AS (DELETE FROM t RETURNING *) FROM a', 'WITH a AS (INSERT INTO t VALUES (2) RETURNING *) FROM a',
      'PIVOT t ON id USING count(*)', 'PIVOT t ON id IN (SELECT id FROM t) USING count(*)', 'FROM t PIVOT (count(*) FOR id IN t)', 'SELECT * FROM (PIVOT t ON id)', 'FROM t AT (VERSION => 1)', "FROM t AT (TIMESTAMP => now())", 'SELECT sum(id) EXPORT_STATE FROM t', '.tables', '\\d', 'SELECT', 'DEFAULT', 'SELECT DEFAULT',
    ]); // biome-ignore format: a table
  });

  test('two statements are never one query, however they are parted', async () => {
    const second = ['SELECT 2', 'DROP TABLE t', "COPY t TO 'x'", 'SET threads = 1', 'ROLLBACK', "ATTACH 'x'"];
    const gaps = ['; ', ';\n', ';--\n', ';/* */', '\n;\n', ';;', '; /* ; /* ; */ */ ', ';\u00a0', ';\t'];
    await expectRefused(
      second.flatMap((text) => gaps.flatMap((gap) => [`SELECT 1${gap}${text}`, `${text}${gap}SELECT 1`])),
    );
  });

  test('no setting can be read or changed', async () => {
    const settings = await names('SELECT name FROM duckdb_settings()');
    expect(settings.length).toBeGreaterThan(100);
    await expectRefused(
      settings.flatMap((name) => [
        `SET ${quoted(name)} = '1'`,
        `SET GLOBAL ${quoted(name)} = 1`,
        `RESET ${quoted(name)}`,
        `PRAGMA ${name} = 1`,
        `SELECT current_setting('${name}')`,
      ]),
    );
  });
});

describe('tricks with the text', () => {
  test('hidden calls are seen', async () => {
    await expectRefused([
      "SELECT/**/getenv/**/('HOME')", "SELECT getenv--\n('HOME')", "SELECT /* /* */ 'x', */ getenv('HOME')", "SELECT GeTeNv('HOME')", "SELECT \"getenv\"('HOME')", "SELECT \"GETENV\"('HOME')", "SELECT\u00a0getenv('HOME')", "\ufeffSELECT getenv('HOME')",
      "SELECT 'HOME'::VARCHAR.getenv()", "SELECT a.getenv() FROM (SELECT 'HOME' AS a)", "SELECT (a).getenv() FROM (SELECT 'HOME' AS a)", "SELECT 'a' || $$x$$ || getenv($$HOME$$)", "SELECT $x$ '$x$, getenv('HOME')", "SELECT E'\\'', getenv('HOME')", "SELECT '\\', getenv('HOME') --'",
      "SELECT list_transform(['HOME'], lambda x : getenv(x))", "SELECT apply(['HOME'], x -> x.getenv())", "SELECT \uff47etenv('HOME')", "SELECT get\u200benv('HOME')", "SELECT getenv\u0000('HOME')", "SELECT U&\"get\\0065nv\"('HOME')",
      "SELECT getenv(x := 'HOME')", "SELECT getenv(*COLUMNS(*)) FROM t", "SELECT * LIKE getenv('x') FROM t", "SELECT COLUMNS(lambda c : getenv(c) = '') FROM t", "FROM query('FROM t')", "FROM query_table('t')", "FROM query_table(['t', 't'])", "FROM \"query\"('FROM t')", "SELECT * FROM (FROM query('FROM t'))",
      "FROM read_text('/etc/passwd')", "FROM read_blob('/etc/passwd')", "FROM glob('/**')", "FROM sniff_csv('x')", "FROM parquet_metadata('x')", "FROM duckdb_secrets()", "FROM duckdb_settings()", "FROM which_secret('s3://x', 's3')", "FROM json_execute_serialized_sql('{}')", "SELECT json_serialize_sql('SELECT 1')",
      "SELECT nextval('s')", "SELECT currval('s')", "SELECT setseed(0.5)", "SELECT write_log('x')", "SELECT getvariable('x')", "SELECT current_query()", "SELECT txid_current()", "SELECT pg_sleep(1)", "SELECT sleep_ms(1000)", "SELECT finalize(x)", "SELECT 1::VARIANT", "SELECT list_sort([1::VARIANT])",
      "SELECT variant_extract(x, 'a')", "SELECT CAST(x AS STRUCT(a MAP(INTEGER, VARIANT)))", "SELECT x::main.my_type", "SELECT x::\"VARIANT\"", "SELECT TRY_CAST(x AS VARIANT)", "FROM test_all_types()", "FROM repeat_row(1, num_rows = 1000000000)", "FROM summary((FROM t))", "FROM histogram('t', id)", "FROM histogram_values('t', id)",
    ]); // biome-ignore format: a table
  });

  test('what our parser cannot check is reported as a table, so that the caller can say no', async () => {
    const sources = [
      'sqlite_master', 'sqlite_schema', 'duckdb_tables', 'duckdb_secrets', 'pragma_database_list', 'pg_class', 'pg_catalog.pg_class', 'information_schema.tables', 'system.information_schema.tables', 'temp.main.x', 'memory.main.x', "'x.csv'", '"x.csv"', "'s3://bucket/x.parquet'", "'/etc/passwd'",
      '"https://example.org/x.json"', "'data/*.csv'", 'plinth_warehouse.main.t', 'plinth.ledger', '"data/secret.csv"', 'a.b', 'recurring.t',
    ]; // biome-ignore format: a table
    for (const source of sources) {
      for (const sql of [
        `SELECT * FROM ${source}`,
        `WITH x AS (FROM ${source}) FROM x`,
        `SELECT (SELECT count(*) FROM ${source}) FROM (SELECT 1) AS y`,
        `WITH a AS (SELECT 1) FROM a, ${source} AS z`,
      ]) {
        const { tables } = await engine.inspect(sql);
        expect(tables.map(({ start, end }) => sql.slice(start, end))).toEqual([source]);
      }
    }
  });
});

test('without the first lock the second holds: nothing outside is read or written, nothing is changed', async () => {
  const attempts = [
    "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "SELECT * FROM read_csv('/etc/hostname')", "SELECT * FROM glob('/etc/*')", "SELECT * FROM read_blob('/proc/self/environ')", "COPY (SELECT 1) TO '/tmp/plinth-hostile.csv'", "ATTACH '/tmp/plinth-hostile.duckdb'",
    'INSTALL httpfs', 'LOAD httpfs', "SET memory_limit = '1TB'", 'INSERT INTO t VALUES (2)', 'CREATE TABLE u (a INTEGER)', 'DROP TABLE t', "SELECT nextval('s')", "SELECT * FROM query('INSERT INTO t VALUES (3)')", "EXPORT DATABASE '/tmp/plinth-hostile'", 'CHECKPOINT', 'SELECT 1; DROP TABLE t', 'BEGIN', 'ROLLBACK',
  ]; // biome-ignore format: a table
  for (const sql of attempts) {
    const read = (async () => {
      for await (const piece of (await engine.read(sql)).lines)
        expect(piece.toString()).not.toMatch(/root:|PATH=/);
    })();
    const code = await read.then(
      () => 'let through',
      (error: unknown) => (error instanceof Failure ? error.code : `a bug: ${String(error)}`),
    );
    expect([sql, code]).toEqual([sql, expect.stringMatching(/^(?:engine|query)\./)]);
  }
  expect((await engine.query('SELECT count(*), max(id) FROM t')).rows).toEqual([[1, 1]]);
  expect(readdirSync('/tmp').filter((name) => name.startsWith('plinth-hostile.'))).toEqual([]);
});

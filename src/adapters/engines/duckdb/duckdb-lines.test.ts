import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../../domain/engine.ts';
import { withCells } from '../../../domain/with-cells.ts';
import { ActiveWriters } from './active-writers.ts';
import { duckdbEngine } from './duckdb-connection.ts';
import { readLines } from './keeper-reading.ts';

let folder: string;
let engine: Engine;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  folder = mkdtempSync(join(tmpdir(), 'plinth-lines-'));
  engine = await duckdbEngine({ database: ':memory:', folder });
});
afterAll(async () => {
  await engine.close();
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

/** Where the lines are made: in this process or by DuckDB. */
type Maker = 'here' | 'duckdb';

async function textOf(sql: string, maker: Maker): Promise<string> {
  const texts: Buffer[] = [];
  const take = {
    columns: () => undefined,
    lines: async (piece: Buffer) => {
      expect(piece.at(-1)).toBe(10);
      texts.push(piece);
    },
  };
  const planMs = maker === 'here' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  await readLines(connection, sql, take, { writers: new ActiveWriters(), planMs });
  return Buffer.concat(texts).toString('utf8');
}

async function linesOf(
  sql: string,
): Promise<{ readonly columns: unknown; readonly rows: readonly unknown[] }> {
  const { columns, lines } = await engine.read(sql);
  const texts: Buffer[] = [];
  for await (const piece of lines) texts.push(piece);
  const all = Buffer.concat(texts).toString('utf8').split('\n').slice(0, -1);
  return { columns, rows: all.map((line) => JSON.parse(line)) };
}

/** Reads a query in all ways: the cells of the lines are those of a small answer, written and read as JSON, whoever makes the lines. */
async function expectSame(sql: string): Promise<void> {
  const small = withCells(await engine.query(sql));
  const lines = await linesOf(sql);
  expect(lines.columns).toEqual(small.columns);
  expect(lines.rows).toEqual(JSON.parse(JSON.stringify(small.rows)));
  expect(await textOf(sql, 'duckdb')).toBe(await textOf(sql, 'here'));
}

/** The last whole numbers that every reader of JSON can hold, and the first that not. */
const UNSIGNED_53_BITS = ['9007199254740991', '9007199254740992', '9007199254740993'];
const AROUND_53_BITS = [...UNSIGNED_53_BITS, '-9007199254740991', '-9007199254740992'];

/** Values of each type at its borders. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  BOOLEAN: ['true', 'false'],
  TINYINT: ['-128', '127', '0'],
  SMALLINT: ['-32768', '32767'],
  INTEGER: ['-2147483648', '2147483647'],
  BIGINT: ['-9223372036854775808', '9223372036854775807', '5', '0', ...AROUND_53_BITS],
  HUGEINT: ['-170141183460469231731687303715884105728', '170141183460469231731687303715884105727', '18446744073709551616', '0', ...AROUND_53_BITS],
  UTINYINT: ['0', '255'],
  USMALLINT: ['65535'],
  UINTEGER: ['4294967295'],
  UBIGINT: ['18446744073709551615', '0', '7', ...UNSIGNED_53_BITS],
  UHUGEINT: ['340282366920938463463374607431768211455', '0', '7', ...UNSIGNED_53_BITS],
  BIGNUM: ["'123456789012345678901234567890123456789012345678901234567890'", "'-7'", ...AROUND_53_BITS.map((digits) => `'${digits}'`)],
  FLOAT: ['0.1', '1e30', "'nan'", "'inf'", "'-inf'", '-0.0', '16777217', '3.4e38'],
  DOUBLE: ['0.1', '1e300', '5e-324', "'nan'", "'inf'", "'-inf'", '-0.0', '9007199254740993', '1e21', '123456789.125'],
  'DECIMAL(3,3)': ['0.001', '-0.999', '0'],
  'DECIMAL(38,38)': ['-0.00000000000000000000000000000000000001'],
  'DECIMAL(9,2)': ['-1234567.89', '0.05', '-0.50'],
  'DECIMAL(18,0)': ['123456789012345678'],
  'DECIMAL(38,10)': ['1234567890123456789012345678.0123456789', '-0.0000000001'],
  VARCHAR: ["''", "'a\"b\\c'", "'ä€😀'", "E'line\\nfeed\\t' || chr(1)", "chr(0) || 'x'", "repeat('long text ', 50)", "'</script>'", "chr(8232)", "'\u007f'"],
  JSON: ['\'{"a": [1, null]}\'', "'null'", "'\"x\"'"],
  UUID: ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
  "ENUM('x', 'ä y')": ["'x'", "'ä y'"],
  DATE: ["'2024-02-29'", "'0001-01-01'", "'9999-12-31'", "'10000-01-01'", "'0044-03-15 (BC)'", "'infinity'", "'-infinity'"],
  TIME: ["'00:00:00'", "'23:59:59.999999'", "'12:00:00.5'", "'24:00:00'"],
  TIMETZ: ["'12:00:00+02:30'", "'23:59:59.999999-15:59:59'"],
  TIMESTAMP: ["'2024-02-29 23:59:59.123456'", "'2024-01-01'", "'2024-01-01 00:00:00.1'", "'2024-01-01 00:00:00.12'", "'2024-01-01 00:00:00.123'", "'2024-01-01 00:00:00.1234'", "'1969-12-31 23:59:59.999999'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'", "'10000-01-01 01:02:03'", "'0044-03-15 (BC) 01:02:03'", "'294247-01-10 04:00:54.775806'", "'infinity'", "'-infinity'"],
  TIMESTAMPTZ: ["'2024-02-29 23:59:59.123456+02'", "'2024-01-01 00:00:00+00'", "'2024-06-01 12:00:00.5-07:30'", "'0001-01-01 00:00:00+00'", "'10000-01-01 01:02:03+00'", "'0044-03-15 (BC) 01:02:03+00'", "'infinity'", "'-infinity'"],
  TIMESTAMP_S: ["'2024-02-29 23:59:59'", "'1900-01-01'"],
  TIMESTAMP_MS: ["'2024-02-29 23:59:59.123'"],
  TIMESTAMP_NS: ["'2024-02-29 23:59:59.123456789'", "'2024-02-29 23:59:59.1'"],
  INTERVAL: ["'1 year 2 months 3 days 04:05:06.7'", "'-1 day'", "'0 seconds'"],
  BLOB: ["'\\x00\\xFF\"abc'", "''"],
  BIT: ["'1'", "'0101010101'", "'00000000'"],
  'INTEGER[]': ['[1, NULL, 3]', '[]'],
  'BIGINT[]': [`[1, NULL, ${AROUND_53_BITS.join(', ')}]`],
  'STRUCT(n UBIGINT, deep STRUCT(h HUGEINT[])[])': ["{'n': 9007199254740993, 'deep': [{'h': [1, 9007199254740992, NULL]}, NULL]}"],
  'MAP(BIGINT, UHUGEINT)': ["MAP {1: '2', 9007199254740993: '340282366920938463463374607431768211455'}"],
  'BIGINT[2]': ['[7, 9007199254740993]'],
  'UNION(b BIGINT, s VARCHAR)': ['union_value(b := 9007199254740993)', 'union_value(b := 5)'],
  'DECIMAL(5,2)[]': ['[1.5, NULL]'],
  'TIMESTAMP[]': ["['2024-01-01', 'infinity']"],
  'VARCHAR[3]': ["['a', NULL, '\"']"],
  'STRUCT(a INTEGER, "b c" VARCHAR[])': ["{'a': 1, 'b c': ['x', NULL]}", "{'a': NULL, 'b c': NULL}"],
  'MAP(VARCHAR, DOUBLE)': ["MAP {'a': 1.5, 'b': 'nan'::DOUBLE}", 'MAP {}'],
  'UNION(n INTEGER, s VARCHAR)': ['union_value(n := 1)', "union_value(s := 'x')"],
}; // biome-ignore format: a table

test.each(Object.keys(VALUES))('values of %s are written alike by DuckDB and by the driver', async (type) => {
  const values = [...(VALUES[type] ?? []), 'NULL'];
  await expectSame(values.map((value) => `SELECT CAST(${value} AS ${type}) AS v`).join(' UNION ALL '));
});

test.each(['BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT', 'BIGNUM'])(
  'whole numbers of %s are numbers up to 2^53 - 1, and their digits beyond',
  async (type) => {
    const { rows } = await linesOf(
      `SELECT [v], v FROM (${UNSIGNED_53_BITS.map((each) => `SELECT '${each}'::${type} AS v`).join(' UNION ALL ')}) ORDER BY v`,
    );
    const cells = [9_007_199_254_740_991, '9007199254740992', '9007199254740993'];
    expect(rows).toEqual(cells.map((cell) => [[cell], cell]));
  },
);

test('random whole numbers are the same either way, whatever their type and size', async () => {
  const types = { BIGINT: 63, UBIGINT: 64, HUGEINT: 127, UHUGEINT: 128 } as const;
  const value = fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])).chain((type) =>
    fc.integer({ min: 1, max: types[type] }).chain((bits) => {
      const most = 2n ** BigInt(bits) - 1n;
      const digits = fc.bigInt({ min: type.startsWith('U') ? 0n : -most, max: most });
      return fc.array(fc.option(digits), { minLength: 1, maxLength: 30 }).map((all) => ({ type, all }));
    }),
  );
  await fc.assert(
    fc.asyncProperty(value, async ({ type, all }) => {
      const sql = `SELECT unnest([${all.map((each) => (each === null ? 'NULL' : `'${each}'::${type}`)).join(', ')}]::${type}[]) AS v`;
      await expectSame(sql);
      const { rows } = await linesOf(sql);
      expect(rows).toEqual(
        all.map((each) => [
          each === null ? null : Number.isSafeInteger(Number(each)) ? Number(each) : String(each),
        ]),
      );
    }),
    { numRuns: 40 },
  );
});

test('rows of random plain columns are the same either way', async () => {
  const plain = Object.entries(VALUES).filter(
    ([type]) => !/\[|STRUCT|MAP|UNION|INTERVAL|BLOB|BIT|_S$|_MS|_NS|TIMETZ$|BIGNUM/.test(type),
  );
  const cell = fc
    .constantFrom(...plain)
    .chain(([type, values]) =>
      fc.constantFrom(...values, 'NULL').map((value) => `CAST(${value} AS ${type})`),
    );
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 5000 }),
      async (cells, count) => {
        const columns = cells.map(
          (text, index) => `CASE WHEN i % ${index + 2} = 0 THEN NULL ELSE ${text} END AS x`,
        );
        await expectSame(`SELECT i, ${columns.join(', ')} FROM range(${count}) AS r(i) ORDER BY i`);
      },
    ),
    { numRuns: 15 },
  );
});

test('random numbers survive to the last digit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 200 }),
      async (numbers) => {
        const sql = `SELECT CAST(unnest([${numbers.map((number) => `'${number}'`).join(', ')}]) AS DOUBLE) AS v`;
        const { rows } = await linesOf(sql);
        expect(await textOf(sql, 'duckdb')).toBe(await textOf(sql, 'here'));
        expect(rows.map((row) => (row as number[])[0])).toEqual(
          numbers.map((number) => (number === 0 ? 0 : number)),
        );
      },
    ),
    { numRuns: 20 },
  );
});

test('texts of every length come whole, beside each other and alone', async () => {
  await expectSame(
    `SELECT repeat('ä', (i * 7919 % 40)::INTEGER) AS a, CASE WHEN i % 700 = 0 THEN repeat('x', 100000) END AS b FROM range(5000) AS r(i)`,
  );
});

test('the order of the query is the order of the lines', async () => {
  const { rows } = await linesOf('SELECT i FROM range(300000) AS r(i) ORDER BY hash(i)');
  const { rows: wanted } = await engine.query('SELECT i FROM range(300000) AS r(i) ORDER BY hash(i)');
  expect(rows).toEqual(wanted);
});

test('a query may end with a comment or semicolons, and name its columns alike', async () => {
  await expectSame('SELECT 1 AS a, 2 AS a, 3 AS "A b" -- the end');
  await expectSame('SELECT \'it\'\'s\' AS "q""q" /* ; */ ;;');
  await expectSame('WITH c AS (SELECT 5 AS v) FROM c ORDER BY v');
});

test('the year before the first is 1 BC, whoever makes the lines', async () => {
  await expectSame(
    "SELECT CAST('0001-06-01 (BC)' AS DATE) AS d, CAST('0001-06-01 (BC) 01:02:03' AS TIMESTAMP) AS t",
  );
  const { rows } = await linesOf("SELECT CAST('0001-06-01 (BC)' AS DATE) AS d");
  expect(rows).toEqual([['0001-06-01 (BC)']]);
});

test('floating-point numbers are written as such, also where they are whole', async () => {
  const sql =
    'SELECT 1::DOUBLE AS a, -2::FLOAT AS b, 1e21::DOUBLE AS c, 1e-7::DOUBLE AS d, 0.5::DOUBLE AS e, -0.0::DOUBLE AS f';
  for (const maker of ['here', 'duckdb'] as const)
    expect(await textOf(sql, maker)).toBe('[1.0,-2.0,1e21,1e-7,0.5,0.0]\n');
});

test('an answer that becomes long is begun again by DuckDB, and nothing of it comes twice', async () => {
  const sql = 'SELECT i FROM range(30000) AS t(i)';
  const expected = Array.from({ length: 30_000 }, (_, i) => `[${i}]\n`).join('');
  expect(await textOf(sql, 'here')).toBe(expected);
  expect(await textOf(sql, 'duckdb')).toBe(expected);
  expect((await linesOf(sql)).rows).toHaveLength(30_000);
  // Too dear to be begun again: it goes on as it began.
  const pieces: string[] = [];
  await readLines(
    connection,
    sql,
    { columns: () => pieces.push('columns'), lines: async (piece) => void pieces.push(piece.toString()) },
    { writers: new ActiveWriters(), planMs: Number.NEGATIVE_INFINITY, repeatMsMax: -1 },
  );
  expect(pieces[0]).toBe('columns');
  expect(pieces.slice(1).join('')).toBe(expected);
});

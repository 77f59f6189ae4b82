import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.ts';
import {
  arrayType,
  BIGINT,
  DOUBLE,
  decimalType,
  listType,
  mapType,
  type SqlType,
  structType,
  TIMESTAMP_TZ,
  VARCHAR,
} from './sql-type.ts';
import { canonicalType, isWholeType, parseType } from './type-names.ts';

describe('type names of dialects', () => {
  it.each<[Dialect, string, string]>([
    ['duckdb', 'int', 'INTEGER'],
    ['bigquery', 'STRUCT <`a b` INT64>', 'STRUCT("a b" BIGINT)'],
    ['duckdb', 'int8', 'BIGINT'],
    ['duckdb', 'text', 'VARCHAR'],
    ['duckdb', 'varchar(10)', 'VARCHAR'],
    ['duckdb', 'numeric', 'DECIMAL(18,3)'],
    ['duckdb', 'decimal(10, 2)', 'DECIMAL(10,2)'],
    ['duckdb', 'decimal(5)', 'DECIMAL(5,0)'],
    ['duckdb', 'timestamptz', 'TIMESTAMP WITH TIME ZONE'],
    ['duckdb', 'timestamp with time zone', 'TIMESTAMP WITH TIME ZONE'],
    ['duckdb', 'timestamp without time zone', 'TIMESTAMP'],
    ['duckdb', 'double precision', 'DOUBLE'],
    ['duckdb', 'real', 'FLOAT'],
    ['duckdb', 'int[]', 'INTEGER[]'],
    ['duckdb', 'int[3][]', 'INTEGER[3][]'],
    [
      'duckdb',
      'struct(a int, "key" text[], Foo map(int, text))',
      'STRUCT(a INTEGER, "key" VARCHAR[], Foo MAP(INTEGER, VARCHAR))',
    ],
    ['duckdb', 'STRUCT(INTEGER, TIMESTAMP WITH TIME ZONE)', 'STRUCT(INTEGER, TIMESTAMP WITH TIME ZONE)'],
    ['duckdb', "ENUM('a', 'it''s')", "ENUM('a', 'it''s')"],
    ['duckdb', 'my_type', 'UNKNOWN'],
    ['duckdb', 'int unsigned oops', 'UNKNOWN'],
    ['mysql', 'bigint unsigned', 'UBIGINT'],
    ['mysql', 'decimal', 'DECIMAL(10,0)'],
    ['postgres', 'int4', 'INTEGER'],
    ['postgres', 'float', 'DOUBLE'],
    ['postgres', 'character varying(255)', 'VARCHAR'],
    ['postgres', 'jsonb', 'JSON'],
    ['snowflake', 'NUMBER(10, 2)', 'DECIMAL(10,2)'],
    ['snowflake', 'NUMBER', 'DECIMAL(38,0)'],
    ['snowflake', 'TIMESTAMP_NTZ(9)', 'TIMESTAMP'],
    ['snowflake', 'VARIANT', 'VARIANT'],
    ['bigquery', 'INT64', 'BIGINT'],
    ['bigquery', 'FLOAT64', 'DOUBLE'],
    ['bigquery', 'STRING', 'VARCHAR'],
    ['bigquery', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'],
    ['bigquery', 'DATETIME', 'TIMESTAMP'],
    ['bigquery', 'ARRAY<STRUCT<a INT64, b STRING>>', 'STRUCT(a BIGINT, b VARCHAR)[]'],
    ['spark', 'map<string, array<int>>', 'MAP(VARCHAR, INTEGER[])'],
    ['spark', 'struct<a: int, b: string>', 'STRUCT(a INTEGER, b VARCHAR)'],
    ['trino', 'row(a integer, b varchar(3))', 'STRUCT(a INTEGER, b VARCHAR)'],
    ['trino', 'timestamp(3) with time zone', 'TIMESTAMP WITH TIME ZONE'],
    ['tsql', 'bit', 'BOOLEAN'],
    ['tsql', 'nvarchar(max)', 'VARCHAR'],
    ['clickhouse', 'Nullable(Int8)', 'TINYINT'],
    ['clickhouse', 'Array(LowCardinality(String))', 'VARCHAR[]'],
    ['redshift', 'super', 'JSON'],
  ])('%s: %s is %s', (dialect, written, canonical) => {
    expect(canonicalType(written, dialect)).toBe(canonical);
  });

  it('refuse to overflow the stack on nesting', () => {
    expect(canonicalType(`${'STRUCT(a '.repeat(50_000)}INT${')'.repeat(50_000)}`)).toBe('UNKNOWN');
  });
});

const simple = fc.constantFrom<SqlType>(BIGINT, VARCHAR, DOUBLE, TIMESTAMP_TZ, decimalType(18, 4));
const types = fc.letrec<{ type: SqlType }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small' },
    simple,
    tie('type').map(listType),
    fc.tuple(tie('type'), fc.integer({ min: 1, max: 9 })).map(([element, size]) => arrayType(element, size)),
    fc.tuple(tie('type'), tie('type')).map(([key, value]) => mapType(key, value)),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'key', 'two words', 'Mixed', 'say "hi"', 'x1'), tie('type')), {
        minLength: 1,
        maxLength: 4,
      })
      .map((fields) => structType(fields.map(([name, type]) => ({ name, type })))),
  ),
})).type;

describe('canonical text', () => {
  it('is read back as the type it was written from', () => {
    fc.assert(
      fc.property(types, (type) => {
        expect(parseType(type.text)).toBe(type);
      }),
    );
  });

  it('of any text is read without throwing, and is its own canonical form', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            'INT',
            ' ',
            '(',
            ')',
            '<',
            '>',
            '[',
            ']',
            ',',
            'STRUCT',
            'a',
            '"',
            '2',
            ':',
            "'",
          ),
        }),
        (text) => {
          const canonical = canonicalType(text);
          expect(canonicalType(canonical)).toBe(canonical);
        },
      ),
    );
  });
});

it.each([
  ['INTEGER', true],
  ['STRUCT("unknown" INTEGER, "a ""NULL""" VARCHAR)', true],
  ["ENUM('UNKNOWN', 'it''s NULL')", true],
  ['UNKNOWN', false],
  ['UNKNOWN[]', false],
  ['STRUCT(a INTEGER, b UNKNOWN)', false],
  ['MAP(VARCHAR, NULL)', false],
  ['', false],
])('the type %s says everything: %s', (type, isWhole) => {
  expect(isWholeType(type)).toBe(isWhole);
});

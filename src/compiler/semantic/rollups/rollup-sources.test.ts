import { describe, expect, test } from 'vitest';
import { isRestless } from './rollup-sources.ts';

describe('rows that change without a write', () => {
  test.each([
    'SELECT now() AS t',
    'SELECT age(day) AS a FROM m.t',
    'SELECT current_date',
    'SELECT random() FROM m.t',
    "SELECT * FROM read_csv('x.csv')",
    "SELECT * FROM 'x.csv'",
    'SELECT * FROM my_table_function(1)',
    'SELECT my_function(a) FROM m.t',
    'SELECT other.lower(a) FROM m.t',
    "SELECT current_setting('x') FROM m.t",
    "SELECT getvariable('x') FROM m.t",
    'SELECT @macro(a) FROM m.t',
    'SELECT (((',
  ])('%s', (sql) => expect(isRestless(sql, 'duckdb')).toBe(true));

  test.each([
    "SELECT lower(a), sum(b) FILTER (WHERE c > 1), row_number() OVER (ORDER BY d) FROM m.t WHERE e LIKE 'x%' GROUP BY 1",
    'SELECT * FROM range(10) AS r(n) JOIN m.t ON n = id',
    'WITH a AS (SELECT list_reduce(b, (x, y) -> x + y) AS c FROM m.t) SELECT * FROM a',
    'SELECT CASE WHEN a THEN b END, CAST(c AS DATE), extract(year FROM d), coalesce(e, 0) FROM m.t',
  ])('but not %s', (sql) => expect(isRestless(sql, 'duckdb')).toBe(false));

  test('of another dialect only the words are looked at', () => {
    expect(isRestless("SELECT to_char(a, 'YYYY') FROM m.t", 'postgres')).toBe(false);
    expect(isRestless('SELECT now() FROM m.t', 'postgres')).toBe(true);
  });
});

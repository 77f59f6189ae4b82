import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORPUS } from '../../../../tests/support/sql/rewritten-queries.ts';
import { canonicalText } from '../canonical/canonical.ts';
import type { Dialect } from '../dialect.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { FORMAT_DEFAULTS, type FormatOptions } from './format-options.ts';
import { formatSql } from './format-sql.ts';

function formatted(text: string, options: Partial<FormatOptions>, dialect: Dialect = 'duckdb'): string {
  const result = formatSql(text, dialect, { ...FORMAT_DEFAULTS, ...options });
  if (!result.ok) throw new Error(`${result.error.message} at ${result.error.span.start} of ${text}`);
  return result.value;
}

describe('options of the formatter', () => {
  it('indent by as many blanks as they say', () => {
    expect(
      formatted('select a from (select b from c where d = 1 and e = 2 and f_long_name = 3333333333)', {
        indent: 4,
      }),
    ).toBe(
      'SELECT\n    a\nFROM (\n    SELECT\n        b\n    FROM c\n    WHERE\n        d = 1\n        AND e = 2\n        AND f_long_name = 3333333333\n)\n',
    );
  });

  it('break lines where the width ends', () => {
    const text = 'select concat(first_name, last_name, middle_name) as name from t';
    expect(formatted(text, { width: 40 })).toBe(
      'SELECT\n  concat(\n    first_name,\n    last_name,\n    middle_name\n  ) AS name\nFROM t\n',
    );
    expect(formatted(text, { width: 60 })).toContain('concat(first_name, last_name, middle_name)');
  });

  it('put commas first, with comments where they belong', () => {
    expect(
      formatted(
        'MODEL (name a.b, kind FULL,);\nwith x as (select 1 as a), y as (select 2 as b) select a, -- the first\n b /* second */, c from x, y',
        { hasLeadingCommas: true },
      ),
    ).toBe(
      [
        'MODEL (',
        '  name a.b',
        '  , kind FULL,',
        ');',
        '',
        'WITH x AS (',
        '  SELECT',
        '    1 AS a',
        ')',
        ', y AS (',
        '  SELECT',
        '    2 AS b',
        ')',
        'SELECT',
        '  a -- the first',
        '  , b /* second */',
        '  , c',
        'FROM x, y',
        '',
      ].join('\n'),
    );
  });

  it('end with a line or not', () => {
    expect(formatted('select 1', { endsWithLine: false })).toBe('SELECT\n  1');
  });

  it('fold bare names to the case of the dialect, and nothing else', () => {
    const text =
      'SELECT T.Name, "Kept", Sum(X) AS Total, CAST(A AS VARCHAR), B::DATE, @Var FROM S.T GROUP BY ALL';
    expect(formatted(text, { foldsNames: true })).toBe(
      'SELECT\n  t.name,\n  "Kept",\n  Sum(x) AS total,\n  CAST(a AS VARCHAR),\n  b::DATE,\n  @Var\nFROM s.t\nGROUP BY ALL\n',
    );
    expect(formatted('select Name from T', { foldsNames: true }, 'snowflake')).toBe(
      'SELECT\n  NAME\nFROM T\n',
    );
    expect(formatted('MODEL (name A.B, owner Mara);', { foldsNames: true })).toBe(
      'MODEL (\n  name A.B,\n  owner Mara\n);\n',
    );
  });

  it('write function names in one case, and no macros', () => {
    const text = 'select Sum(x), a.count(y), @Each(z), cast(x as decimal(3, 1)), y::varchar(3) from t';
    expect(formatted(text, { functionCase: 'upper' })).toBe(
      'SELECT\n  SUM(x),\n  a.COUNT(y),\n  @Each(z),\n  CAST(x AS decimal(3, 1)),\n  y::varchar(3)\nFROM t\n',
    );
    expect(formatted('select SUM(x)', { functionCase: 'lower' })).toBe('SELECT\n  sum(x)\n');
  });

  it.each([
    ['CAST(a AS INT)', 'a::INT'],
    ['CAST(t.a AS DECIMAL(3, 1))', 't.a::DECIMAL(3, 1)'],
    ['CAST(CAST(a AS DATE) AS VARCHAR)', 'a::DATE::VARCHAR'],
    ['CAST(-a AS INT)', '(-a)::INT'],
    ['CAST(a + 1 AS INT)', '(a + 1)::INT'],
    ["CAST('2024-01-01' AS DATE)", "'2024-01-01'::DATE"],
    ['CAST(f(x, y) AS INT)', 'f(x, y)::INT'],
    ['CAST((a + 1) AS INT)', '(a + 1)::INT'],
    ['CAST(a AS INT[])', 'a::INT[]'],
    ['CAST(a AS STRUCT(x INT))', 'a::STRUCT(x INT)'],
    ['CAST(CASE WHEN a THEN 1 END AS INT)', '(CASE WHEN a THEN 1 END)::INT'],
    ['CAST(@x AS INT)', '(@x)::INT'],
    // What follows would become a part of the type, or a comment would be lost.
    ['CAST(a AS INT[])[1]', 'CAST(a AS INT[])[1]'],
    ['CAST(a AS INT /* why */)', 'CAST(a AS INT /* why */)'],
    ['TRY_CAST(a AS INT)', 'TRY_CAST(a AS INT)'],
  ])('rewrite %s', (from, to) => {
    expect(formatted(`SELECT ${from} FROM t`, { rewritesCasts: true })).toBe(`SELECT\n  ${to}\nFROM t\n`);
    expect(formatted(`SELECT ${from} FROM t`, {})).toBe(`SELECT\n  ${from}\nFROM t\n`);
  });

  it('rewrite no casts in dialects without the signs', () => {
    expect(formatted('select cast(a as int64)', { rewritesCasts: true }, 'bigquery')).toBe(
      'SELECT\n  CAST(a AS int64)\n',
    );
  });

  const options = fc.record({
    indent: fc.integer({ min: 1, max: 8 }),
    width: fc.integer({ min: 20, max: 140 }),
    hasLeadingCommas: fc.boolean(),
    endsWithLine: fc.boolean(),
    foldsNames: fc.boolean(),
    functionCase: fc.constantFrom('upper', 'lower', 'off'),
    rewritesCasts: fc.boolean(),
  }) as fc.Arbitrary<FormatOptions>;

  it('never change what a query means, and formatting twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CORPUS), options, (text, chosen) => {
        const once = formatted(text, chosen);
        expect(formatted(once, chosen)).toBe(once);
        const [before, after] = [parseQuery(text, 'duckdb'), parseQuery(once, 'duckdb')];
        expect(after.ok).toBe(before.ok);
        if (before.ok && after.ok)
          expect(canonicalText(after.value, 'duckdb')).toBe(canonicalText(before.value, 'duckdb'));
      }),
      { numRuns: 600 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { parseQuery } from './parse/parse-query.ts';
import { tableUses } from './table-uses.ts';

/** The tables a query reads, dotted, as written. */
function uses(sql: string): string[] {
  const result = parseQuery(sql);
  if (!result.ok) throw new Error(`${result.error.message}: ${sql}`);
  return tableUses(result.value).map((use) => {
    const name = use.parts.map((part) => part.name).join('.');
    const written = sql.slice(use.nameSpan.start, use.nameSpan.end).replaceAll(/["']/g, '');
    expect(written).toBe(name);
    return use.isFile ? `file ${name}` : name;
  });
}

describe('the tables a query reads', () => {
  it.each([
    [
      'wherever they stand',
      'SELECT (SELECT 1 FROM a), EXISTS (SELECT 1 FROM b) FROM c JOIN d ON x IN (SELECT y FROM e) WHERE f = ANY (SELECT 1 FROM g) GROUP BY (SELECT 1 FROM h) ORDER BY (SELECT 1 FROM i)',
      ['a', 'b', 'c', 'd', 'e', 'g', 'h', 'i'],
    ],
    ['as often as they are mentioned', 'SELECT * FROM a, s.a, c.s.a, a', ['a', 's.a', 'c.s.a', 'a']],
    [
      'in every part of a union',
      'SELECT * FROM a UNION (SELECT * FROM b INTERSECT SELECT * FROM c)',
      ['a', 'b', 'c'],
    ],
    ['files among them', "SELECT * FROM 'x.parquet', read_csv('y.csv')", ['file x.parquet']],
    [
      'under pivots',
      'SELECT * FROM (PIVOT a ON x USING sum(y)), b PIVOT (sum(x) FOR y IN (1)), c UNPIVOT (v FOR n IN (d, e))',
      ['a', 'b', 'c'],
    ],
    [
      'in lateral queries and arguments',
      'SELECT * FROM a, LATERAL (SELECT * FROM b), f((SELECT 1 FROM c)), (TABLE d)',
      ['a', 'b', 'c', 'd'],
    ],
    ['in joins in parentheses', 'SELECT * FROM (a JOIN (b CROSS JOIN c) ON true) AS x', ['a', 'b', 'c']],
  ])('%s', (_, sql, expected) => {
    expect(uses(sql)).toEqual(expected);
  });
});

describe('a common table hides a table of its name', () => {
  it.each([
    ['after its definition', 'WITH a AS (SELECT * FROM t) SELECT * FROM a', ['t']],
    ['whatever the case', 'WITH Abc AS (SELECT 1) SELECT * FROM aBC, "ABC"', []],
    [
      'in later common tables, not in earlier ones',
      'WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b',
      ['b'],
    ],
    ['not in its own definition', 'WITH a AS (SELECT * FROM a) SELECT * FROM a', ['a']],
    [
      'in its own definition when recursive',
      'WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT * FROM a) SELECT * FROM a',
      [],
    ],
    [
      'before its definition when recursive',
      'WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a',
      [],
    ],
    ['not when the name is qualified', 'WITH a AS (SELECT 1) SELECT * FROM s.a', ['s.a']],
    [
      'not outside the query that defines it',
      'SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a), a',
      ['a'],
    ],
    [
      'in subqueries of every depth',
      'WITH a AS (SELECT 1) SELECT (SELECT (SELECT 1 FROM a)) FROM (SELECT * FROM (SELECT * FROM a))',
      [],
    ],
    [
      'with an inner one over an outer one',
      'WITH a AS (SELECT * FROM x) SELECT * FROM (WITH a AS (SELECT * FROM a) SELECT * FROM a)',
      ['x'],
    ],
    [
      'in all parts of a union and in ORDER BY',
      'WITH a AS (SELECT 1) SELECT * FROM a UNION SELECT * FROM a ORDER BY (SELECT 1 FROM a)',
      [],
    ],
    [
      'inside the common table around it',
      'WITH a AS (WITH b AS (SELECT * FROM t) SELECT * FROM b), c AS (SELECT * FROM b) SELECT * FROM a, c',
      ['t', 'b'],
    ],
    ['but never a file', 'WITH "x.csv" AS (SELECT 1) SELECT * FROM \'x.csv\'', ['file x.csv']],
  ])('%s', (_, sql, expected) => {
    expect(uses(sql)).toEqual(expected);
  });
});

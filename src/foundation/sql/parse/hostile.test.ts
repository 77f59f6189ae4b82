import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DUCKDB_QUERIES } from '../../../../tests/support/sql/parsed-queries.ts';
import { tableUses } from '../table-uses.ts';
import { rewrite, walk } from '../walk.ts';
import { parseQuery } from './parse-query.ts';

const joined = (count: number, part: (i: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(separator);

describe('long queries are read, walked and rewritten', () => {
  it.each([
    ['20,000 ANDs', `SELECT 1 WHERE ${joined(20_000, (i) => `a = ${i}`, ' AND ')}`, 0],
    ['100,000 values in a list', `SELECT 1 WHERE a IN (${joined(100_000, String, ', ')})`, 0],
    ['5,000 lines of projections', `SELECT\n${joined(5000, (i) => `  a${i} AS b${i}`, ',\n')}\nFROM t`, 1],
    [
      '2,000 common tables',
      `WITH ${joined(2000, (i) => `c${i} AS (SELECT * FROM ${i === 0 ? 't' : `c${i - 1}`})`, ', ')} SELECT * FROM c1999`,
      1,
    ],
    ['1,000 branches of a union', joined(1000, (i) => `SELECT a FROM t${i}`, ' UNION ALL '), 1000],
    ['5,000 joins', `SELECT * FROM t ${joined(5000, (i) => `JOIN u${i} ON true`, ' ')}`, 5001],
    ['20,000 casts in a row', `SELECT a${'::INT'.repeat(20_000)}`, 0],
    ['100 nested subqueries', `${'SELECT * FROM ('.repeat(100)}SELECT a FROM t${') x'.repeat(100)}`, 1],
    ['150 nested parentheses', `SELECT ${'(1 + '.repeat(150)}a${')'.repeat(150)}`, 0],
  ])('%s', (_, sql, tables) => {
    const result = parseQuery(sql);
    if (!result.ok) throw new Error(result.error.message);
    let nodes = 0;
    walk(result.value, () => {
      nodes++;
    });
    expect(nodes).toBeGreaterThan(2);
    expect(tableUses(result.value)).toHaveLength(tables);
    expect(rewrite(result.value, (node) => node)).toBe(result.value);
  });
});

describe('nesting without end is refused, not crashed on', () => {
  it.each([
    ['parentheses', 'SELECT ', '('],
    ['tables in parentheses', 'SELECT * FROM ', '('],
    ['subqueries', '', 'SELECT * FROM ('],
    ['scalar subqueries', '', 'SELECT ('],
    ['common tables', '', 'WITH a AS ('],
    ['calls', 'SELECT ', 'f('],
    ['trims', 'SELECT ', 'trim('],
    ['CASE', 'SELECT ', 'CASE WHEN a THEN '],
    ['NOT', 'SELECT ', 'NOT '],
    ['signs', 'SELECT ', '- '],
    ['lists', 'SELECT ', '['],
    ['structs', 'SELECT ', "{'a': "],
    ['types', 'SELECT a::', 'STRUCT(a '],
    ['groups', 'SELECT 1 GROUP BY ', 'ROLLUP('],
    ['aliases before tables', 'FROM ', 'a: '],
    ['joins without conditions', 'SELECT * FROM a', ' JOIN a'],
    ['lambdas', 'SELECT ', 'f(x -> '],
    ['replaced stars', 'SELECT ', '* REPLACE ('],
    ['operators that bind ever tighter', 'SELECT ', '(a OR b AND c = d + e * f ^ - '],
  ])('%s', (_, start, part) => {
    const result = parseQuery(start + part.repeat(100_000 / part.length));
    expect(result.ok ? 'accepted' : result.error.kind).toBe('too-deep');
  });
});

describe('damaged queries', () => {
  it('give a tree or an error with a place in the text, never an exception', () => {
    const query = fc.constantFrom(...DUCKDB_QUERIES);
    fc.assert(
      fc.property(query, query, fc.nat(), fc.nat(), fc.nat(), (one, other, a, b, c) => {
        const cut = a % one.length;
        const from = b % other.length;
        const sql = one.slice(0, cut) + other.slice(from, from + (c % 12)) + one.slice(cut + (c % 5));
        const result = parseQuery(sql);
        if (result.ok) return;
        const { start, end } = result.error.span;
        expect(start).toBeLessThanOrEqual(end);
        expect(end).toBeLessThanOrEqual(sql.length);
        expect(result.error.message.length).toBeGreaterThan(10);
      }),
      { numRuns: 3000 },
    );
  });

  it('of random characters too', () => {
    const character = fc.constantFrom(...'()[]{}<>,;.:*+-/%=!~^&|@#?$\'"`\\ \nabcSELECT FROM WITH 0123é');
    fc.assert(
      fc.property(fc.array(character, { maxLength: 60 }), (characters) => {
        expect(typeof parseQuery(`SELECT ${characters.join('')}`).ok).toBe('boolean');
      }),
      { numRuns: 3000 },
    );
  });
});

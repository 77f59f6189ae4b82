import { describe, expect, test } from 'vitest';
import { castAliases } from './cast-aliases.ts';
import { parseQuery } from './parse/parse-query.ts';
import { resolveQuery } from './resolve/resolve-query.ts';
import { splice } from './splice.ts';
import type { Query } from './tree.ts';

function read(text: string): Query {
  const parsed = parseQuery(text, 'duckdb');
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

describe('a cast of a column without an alias', () => {
  test.each([
    ['SELECT a::INT FROM t', 'SELECT a::INT AS a FROM t'],
    ['SELECT (a::INT), CAST(t.b AS TEXT) FROM t', 'SELECT (a::INT) AS a, CAST(t.b AS TEXT) AS b FROM t'],
    ['SELECT a::INT::TEXT -- why\nFROM t', 'SELECT a::INT::TEXT AS a -- why\nFROM t'],
    ['SELECT "A b"::INT, FROM t', 'SELECT "A b"::INT AS "A b", FROM t'],
    ['SELECT TRY_CAST(a AS INT) FROM t', 'SELECT TRY_CAST(a AS INT) AS a FROM t'],
    [
      'WITH c AS (SELECT a::INT FROM t) SELECT a FROM c WHERE a IN (SELECT b::INT FROM u)',
      'WITH c AS (SELECT a::INT AS a FROM t) SELECT a FROM c WHERE a IN (SELECT b::INT AS b FROM u)',
    ],
    [
      'SELECT a::INT FROM t UNION ALL (SELECT b::INT FROM u)',
      'SELECT a::INT AS a FROM t UNION ALL (SELECT b::INT AS b FROM u)',
    ],
  ])('%s is written with the name of its column', (given, expected) => {
    expect(splice(given, castAliases(read(given), given))).toBe(expected);
  });

  test.each([
    'SELECT a::INT AS x, b::INT y, z: c::INT FROM t',
    "SELECT 1::INT, DATE '2024-01-01', sum(a)::INT, a::INT + 1, 'x'::TEXT FROM t",
    'SELECT struct_pack(k := a::INT) FROM t GROUP BY a::INT',
  ])('%s needs no name', (given) => {
    expect(castAliases(read(given), given)).toEqual([]);
  });

  test('has that name in the columns of the query, in common tables too, where that is asked for', () => {
    const query = read('WITH c AS (SELECT a::INT, b FROM t) SELECT a, b::DATE FROM c');
    const schema = () => ({
      columns: [
        { name: 'a', type: 'VARCHAR' },
        { name: 'b', type: 'VARCHAR' },
      ],
    });
    const { columns, problems } = resolveQuery(query, schema, { castsKeepNames: true });
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['a INTEGER', 'b DATE']);
    expect(problems).toEqual([]);
    expect(resolveQuery(query, schema).problems).toMatchObject([{ kind: 'unknown-column', name: 'a' }]);
  });
});

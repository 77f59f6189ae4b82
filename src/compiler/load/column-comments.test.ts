import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import { loadContext } from '../../../tests/support/load-context.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { columnComments, commentsOfQuery } from './column-comments.ts';
import { loadModelFile } from './load-model-file.ts';

function comments(query: string) {
  const { definitions, diagnostics } = loadModelFile(
    { path: 'models/a/b.sql', text: `MODEL (name a.b);\n-- above the query\n${query}` },
    loadContext(),
  );
  expect(diagnostics).toEqual([]);
  const source = definitions[0]?.source;
  if (source?.kind !== 'sql') throw new Error('no SQL');
  const parsed = parseQuery(source.query.text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return columnComments(parsed.value, source.query.text, commentsOfQuery(source));
}

describe('comments of columns', () => {
  test.each([
    ['SELECT a, -- one\n b -- two\nFROM t', { a: 'one', b: 'two' }],
    ['SELECT\n  -- one\n  a,\n  /* two */\n  b\nFROM t', { a: 'one', b: 'two' }],
    ['SELECT a /* one */, b /* two */ FROM t', { a: 'one', b: 'two' }],
    ['SELECT\n  a\n  -- two\n  , b -- more\nFROM t', { b: 'two\nmore' }],
    ['SELECT x + /* inside */ 1 AS "Y" -- y\nFROM t', { y: 'y' }],
    ['SELECT a FROM t -- not a column\nWHERE b -- nor this', {}],
    ['SELECT -- of the whole\n a FROM t', {}],
    ['WITH c AS (SELECT z -- inner\n FROM t) SELECT z AS a -- outer\nFROM c', { a: 'outer' }],
    ['SELECT a -- first\nFROM t UNION ALL SELECT b -- second\nFROM t', { a: 'first' }],
    ['SELECT *, -- all\n a -- one\nFROM t', { a: 'one' }],
    ['SELECT 1, -- no name\n a FROM t', {}],
    ['SELECT a, /* long\n * with stars\n */\n b FROM t', { a: 'long\nwith stars' }],
    ['SELECT a -- last', { a: 'last' }],
  ])('%j', (query, expected) => {
    expect(comments(query)).toEqual(expected);
  });

  test('a hundred thousand comments take no longer than they are many', () => {
    const started = cpuMs();
    comments(`SELECT a,\n${'-- x\n'.repeat(100_000)} b FROM t`);
    expect(cpuMs() - started).toBeLessThan(10_000);
  });
});

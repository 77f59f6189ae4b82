import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPRESSIONS, QUERIES } from '../../../../tests/support/sql/described-queries.ts';
import { type Oracle, openOracle } from '../../../../tests/support/sql/duckdb-oracle.ts';
import { parseQuery } from '../parse/parse-query.ts';
import { resolveQuery } from './resolve-query.ts';

let oracle: Oracle;
beforeAll(async () => {
  oracle = await openOracle();
});
afterAll(() => oracle.close());

function resolve(sql: string) {
  const parsed = parseQuery(sql, 'duckdb');
  if (!parsed.ok) throw new Error(`${parsed.error.message} in ${sql}`);
  return resolveQuery(parsed.value, oracle.schemaOf);
}

async function described(sql: string): Promise<readonly (readonly [string, string])[]> {
  const answer = await oracle.describe(sql);
  if ('error' in answer) throw new Error(`${answer.error} in ${sql}`);
  return answer.columns;
}

/** Names that DuckDB makes by printing a whole query, or from spelling the tree does not keep: ours differ, knowingly. */
const NAMES_DIFFER = /\(select |\bexists ?\(/i;

describe('names and types of output columns equal what DuckDB describes', () => {
  it.each([...EXPRESSIONS])('%s', async (sql) => {
    const facts = resolve(sql);
    expect(facts.columns.map((column) => [column.name, column.type])).toEqual(await described(sql));
  });

  it.each([...QUERIES])('%s', async (sql) => {
    const facts = resolve(sql);
    const theirs = await described(sql);
    const isOpen = /^pivot orders on status using/i.test(sql);
    expect(facts.isComplete).toBe(!isOpen);
    expect(facts.problems.filter((problem) => problem.isCertain)).toEqual([]);
    if (isOpen) return;
    expect(facts.columns.map((column) => column.type)).toEqual(theirs.map(([, type]) => type));
    if (NAMES_DIFFER.test(sql) && facts.columns.some((column) => column.name.includes('…'))) return;
    expect(facts.columns.map((column) => column.name)).toEqual(theirs.map(([name]) => name));
  });
});

describe('what has a name of its own in DuckDB and not here', () => {
  it.each([
    ['SELECT (SELECT max(i) FROM t)', '(SELECT …)', 'a query inside an expression is not printed in full'],
    ['SELECT ARRAY[1, 2]', 'main.list_value(1, 2)', 'the tree does not tell ARRAY[…] from […]'],
    [
      'SELECT list_filter([1], lambda x: x > 0)',
      'list_filter(main.list_value(1), (x -> (x > 0)))',
      'the tree does not tell the two spellings of lambdas apart',
    ],
  ])('%s is called %s: %s', async (sql, ours) => {
    const theirs = await described(sql);
    expect(resolve(sql).columns[0]?.name).toBe(ours);
    expect(theirs[0]?.[0]).not.toBe(ours);
    expect(resolve(sql).columns[0]?.type).toBe(theirs[0]?.[1]);
  });
});

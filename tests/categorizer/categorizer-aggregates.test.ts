/** Aggregates whose answer shows the order of the rows: every one that DuckDB has, and what the categoriser proves of them. */
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { compareQueries } from '../../src/compiler/plan/categorize/compare-queries.ts';
import { DUCKDB_FUNCTIONS } from '../../src/foundation/sql/functions/generated/duckdb-functions.ts';
import { compared } from './compared-model.ts';

const TABLES = { t: ['k', 'i', 'd', 'f', 'u'] };
const TYPES = { 't.k': 'BIGINT', 't.i': 'INTEGER', 't.d': 'DECIMAL(12,3)', 't.f': 'DOUBLE' };

/** What adding a column to a grouping over `t` does to an aggregate beside it. */
function widened(aggregate: string, types: Readonly<Record<string, string>> = TYPES) {
  const query = (more: string): string => `SELECT k, ${aggregate} AS v${more} FROM t GROUP BY k`;
  const side = (more: string) => compared(query(more), TABLES, { types });
  return compareQueries(side(''), side(', MAX(i) AS more'));
}

describe('a column is added beside an aggregate', () => {
  test.each([
    'SUM(i)',
    'SUM(d)',
    'AVG(i)',
    'AVG(d)',
    'SUM(i * 2)',
    'SUM(d * -1.5)',
    'SUM(CASE WHEN i > 3 THEN d ELSE 0 END)',
    'SUM(COALESCE(d, 0))',
    'SUM(i = 3)',
    'COUNT(f)',
    'MAX(f)',
    'MEDIAN(f)',
    'SUM(1.5)',
    'SUM(f ORDER BY f)',
    'SUM(CAST(f AS DECIMAL(12, 3)))',
  ])('%s keeps its value in any order', (aggregate) => {
    expect(widened(aggregate)).toMatchObject({ kind: 'additive' });
  });

  test.each([
    'SUM(f)',
    'AVG(f)',
    'MEAN(f)',
    'SUM(f) FILTER (WHERE i > 3)',
    'SUM(i + f)',
    'SUM(i / 3)',
    'SUM(i * 1e3)',
    'SUM(CASE WHEN i > 3 THEN f ELSE 0 END)',
    'SUM(CAST(d AS FLOAT))',
    'SUM(u)',
    'STDDEV(i)',
    'VAR_POP(d)',
    'CORR(i, k)',
    'PRODUCT(i)',
    'FSUM(f)',
  ])('%s does not: floating-point numbers round as they are added', (aggregate) => {
    expect(widened(aggregate)).toMatchObject({ kind: 'columns', changed: ['v'] });
  });

  test('nor does a window over them, nor the sum of their sums', () => {
    const side = (expression: string, more = '') =>
      compared(`SELECT k, ${expression} AS v${more} FROM t`, TABLES, { types: TYPES });
    for (const expression of ['SUM(f) OVER ()', 'AVG(f) OVER (PARTITION BY k)', 'SUM(f) OVER (ORDER BY i)'])
      expect(compareQueries(side(expression), side(expression, ', i'))).toMatchObject({ kind: 'columns' });
    expect(compareQueries(side('SUM(d) OVER ()'), side('SUM(d) OVER ()', ', i'))).toMatchObject({
      kind: 'additive',
    });
    const nested = (sum: string, more = '') =>
      compared(`SELECT SUM(s) AS v${more} FROM (SELECT k, ${sum} AS s FROM t GROUP BY k)`, TABLES, {
        types: TYPES,
      });
    const more = ', COUNT(*) AS more';
    expect(compareQueries(nested('SUM(d)'), nested('SUM(d)', more))).toMatchObject({ kind: 'additive' });
    expect(compareQueries(nested('SUM(f)'), nested('SUM(f)', more))).toMatchObject({ kind: 'columns' });
  });
});

const MACROS = ['geomean', 'geometric_mean', 'wavg', 'weighted_avg'];
const NAMES = [
  ...DUCKDB_FUNCTIONS.map((line) => line.split('\t') as [string, string]).flatMap(([names, kind]) =>
    kind === 'a' ? names.split(' ') : [],
  ),
  ...MACROS,
];

test('no aggregate of DuckDB that shows the order of its rows is taken for one that does not', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const answer = async (call: string, table: string): Promise<string | undefined> => {
    try {
      const reader = await connection.runAndReadAll(`SELECT CAST(${call} AS VARCHAR) FROM ${table}`);
      return String(reader.getRows()[0]?.[0]);
    } catch {
      return undefined;
    }
  };
  await connection.run(
    `CREATE TABLE t AS SELECT 1 AS k, ((n * 7919) % 10007)::INTEGER AS i, ((n * 104729) % 999983 / 7)::DECIMAL(12, 3) AS d,
       ((n * 15485863) % 999979)::DOUBLE / 3 AS f FROM range(1000) r(n)`,
  );
  await connection.run('CREATE TABLE turned AS SELECT * FROM t ORDER BY rowid DESC');
  const shown: string[] = [];
  const wrong: string[] = [];
  for (const name of NAMES)
    for (const column of ['i', 'd', 'f'])
      for (const call of [`${name}(${column})`, `${name}(${column}, k + ${column})`]) {
        const [one, other] = [await answer(call, 't'), await answer(call, 'turned')];
        if (one === undefined || one === other) continue;
        shown.push(call);
        if (widened(call).kind === 'additive') wrong.push(call);
      }
  connection.closeSync();
  instance.closeSync();
  expect(wrong).toEqual([]);
  expect(shown).toEqual(expect.arrayContaining(['sum(f)', 'avg(f)', 'stddev(i)', 'corr(d, k + d)']));
});

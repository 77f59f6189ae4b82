import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { CHANCE, duckdbFunctions, ROW_MACROS } from './duckdb-functions.ts';
import { DUCKDB_FUNCTION_NAMES } from './generated/duckdb-functions.ts';
import { VOLATILE_ELSEWHERE } from './portable-functions.ts';
import { wordsOf } from './words-of.ts';

const { aggregates, clock, pure, sized, tables, volatile, windows } = duckdbFunctions;
const listed = new Set(Object.values(DUCKDB_FUNCTION_NAMES).flatMap(wordsOf));

/** Words of DuckDB's grammar, which its list of functions lacks, with a use of each. */
const GRAMMAR: Readonly<Record<string, string>> = {
  coalesce: 'coalesce(NULL, 1)',
  current_time: 'current_time',
  current_timestamp: 'current_timestamp',
  date: "date('2024-01-01')",
  extract: "extract(year FROM DATE '2024-01-01')",
  grouping: 'grouping(a)',
  grouping_id: 'grouping_id(a)',
  if: 'if(true, 1, 2)',
  ifnull: 'ifnull(NULL, 1)',
  localtime: 'localtime',
  localtimestamp: 'localtimestamp',
  percentile_cont: 'percentile_cont(0.5) WITHIN GROUP (ORDER BY b)',
  percentile_disc: 'percentile_disc(0.5) WITHIN GROUP (ORDER BY b)',
  try: 'try(1)',
};

test('each name is one of DuckDB, or a word of its grammar', async () => {
  const all = new Set(
    [aggregates, clock, pure, sized, tables, volatile, windows, CHANCE, ROW_MACROS].flatMap((names) => [
      ...names,
    ]),
  );
  const elsewhere = new Set(VOLATILE_ELSEWHERE);
  const others = [...all].filter((name) => !listed.has(name) && !elsewhere.has(name));
  expect(others.toSorted()).toEqual(Object.keys(GRAMMAR));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const use of Object.values(GRAMMAR))
    await connection.run(`SELECT ${use} FROM (SELECT 1 AS a, 2 AS b) GROUP BY a`);
  connection.closeSync();
  instance.closeSync();
});

test('a name is of one sort: pure, an aggregate, a window function or volatile', () => {
  const sorts = { pure, aggregates, windows, volatile };
  const twice = Object.entries(sorts).flatMap(([sort, names]) =>
    Object.entries(sorts)
      .filter(([other]) => other !== sort)
      .flatMap(([, others]) => [...names].filter((name) => others.has(name))),
  );
  // Chance in an aggregate.
  expect([...new Set(twice)]).toEqual(['reservoir_quantile']);
});

test('what DuckDB says to change between calls is volatile, and the clock is, except age(t, u)', () => {
  expect(wordsOf(DUCKDB_FUNCTION_NAMES.changing).filter((name) => !volatile.has(name))).toEqual([]);
  expect([...clock].filter((name) => !volatile.has(name))).toEqual(['age']);
  expect(pure.has('age')).toBe(true);
});

test('functions of the engine that no caller needs are in no set', () => {
  for (const name of ['finalize', 'icu_collate_de', 'variant_extract', 'json_serialize_sql', 'st_crs'])
    expect([name, listed.has(name), pure.has(name)]).toEqual([name, true, false]);
});

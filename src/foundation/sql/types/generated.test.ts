import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { DUCKDB_FUNCTIONS, DUCKDB_KEYWORDS } from './generated/duckdb-functions.ts';

it('the generated table is of the DuckDB that is installed', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const names = async (sql: string): Promise<string[]> =>
    (await connection.runAndReadAll(sql)).getRows().map((row) => String(row[0]));
  const functions = await names(`SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE function_type IN ('scalar', 'aggregate') AND NOT starts_with(function_name, '__internal') AND return_type <> 'INVALID' ORDER BY 1`);
  const keywords = await names('SELECT DISTINCT keyword_name FROM duckdb_keywords() ORDER BY 1');
  connection.closeSync();
  instance.closeSync();
  const listed = new Set(DUCKDB_FUNCTIONS.flatMap((line) => (line.split('\t')[0] as string).split(' ')));
  expect(functions.filter((name) => !listed.has(name))).toEqual([]);
  expect(DUCKDB_KEYWORDS.split(' ')).toEqual(keywords);
});

import { DuckDBInstance } from '@duckdb/node-api';
import type { Answer } from '../../src/domain/engine.ts';

/** DuckDB in this process, in memory, without any of our engine: for tests that ask what DuckDB itself makes of a text. */
export interface PlainDuckdb {
  execute(...statements: readonly string[]): Promise<void>;
  query(sql: string): Promise<Answer>;
}

/** Relative paths of files are looked up in `folder`. */
export async function plainDuckdb(folder: string): Promise<PlainDuckdb> {
  const instance = await DuckDBInstance.create(':memory:', { file_search_path: folder });
  const connection = await instance.connect();
  return {
    async execute(...statements) {
      for (const statement of statements) await connection.run(statement);
    },
    async query(sql) {
      const reader = await connection.runAndReadAll(sql);
      const types = reader.columnTypes();
      const columns = reader.columnNames().map((name, i) => ({ name, type: String(types[i]) }));
      return { columns, rows: reader.getRowsJson() };
    },
  };
}

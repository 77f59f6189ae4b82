import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Answer, Engine } from '../../../domain/engine.ts';
import { failure } from '../../../domain/failure.ts';

/** DuckDB in this process. Walking skeleton: the keeper process of architecture.md takes its place with issue 4. */
export async function duckdbEngine(database: string, folder: string): Promise<Engine> {
  let instance: DuckDBInstance;
  try {
    instance = await DuckDBInstance.create(database);
  } catch (cause) {
    throw failure('engine.cannot-open', { database, detail: firstLine(cause) }, { cause });
  }
  const connection = await instance.connect();
  const run = (sql: string): Promise<unknown> => runSql(connection, sql);
  await run("SET TimeZone = 'UTC'");
  // Paths in users' SQL are relative to the project, wherever the process was started.
  await run(`SET file_search_path = '${folder.replaceAll("'", "''")}'`);
  return {
    dialect: 'duckdb',
    async query(sql): Promise<Answer> {
      try {
        const reader = await connection.runAndReadAll(sql);
        const types = reader.columnTypes();
        return {
          columns: reader.columnNames().map((name, i) => ({ name, type: String(types[i]) })),
          rows: reader.getRowsJson() as readonly (readonly unknown[])[],
        };
      } catch (cause) {
        throw failure('engine.statement-failed', { detail: firstLine(cause) }, { cause });
      }
    },
    async executeInTransaction(statements) {
      await run('BEGIN');
      try {
        for (const statement of statements) await run(statement);
        await run('COMMIT');
      } catch (error) {
        await run('ROLLBACK');
        throw error;
      }
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function runSql(connection: DuckDBConnection, sql: string): Promise<unknown> {
  try {
    return await connection.run(sql);
  } catch (cause) {
    throw failure('engine.statement-failed', { detail: firstLine(cause) }, { cause });
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] as string;
}

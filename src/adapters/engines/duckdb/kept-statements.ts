import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement } from '@duckdb/node-api';

const SERIALIZE_SQL =
  'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)';

const kept = new WeakMap<DuckDBConnection, Map<string, DuckDBPreparedStatement>>();

/** Runs a statement of ours that a connection is asked again and again: it is prepared once, which is most of what such a statement costs. */
export async function runKept(
  connection: DuckDBConnection,
  sql: string,
  values: readonly string[] = [],
): Promise<DuckDBMaterializedResult> {
  const statements = kept.get(connection) ?? new Map<string, DuckDBPreparedStatement>();
  kept.set(connection, statements);
  // It is destroyed with its connection.
  const statement = statements.get(sql) ?? (await connection.prepare(sql));
  statements.set(sql, statement);
  for (const [index, value] of values.entries()) statement.bindVarchar(index + 1, value);
  return statement.run();
}

/** What DuckDB's own parser sees in a text, as JSON; nothing is planned or run. */
export async function serializeSql(connection: DuckDBConnection, sql: string): Promise<string> {
  const result = await runKept(connection, SERIALIZE_SQL, [sql]);
  return String(result.getChunk(0).getColumnVector(0).getItem(0));
}

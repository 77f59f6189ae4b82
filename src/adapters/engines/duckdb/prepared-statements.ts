import {
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  DuckDBPendingResultState,
  type DuckDBPreparedStatement,
} from '@duckdb/node-api';

const SERIALIZE_SQL =
  'SELECT system.main.json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)';

/** So often DuckDB is asked whether it is done before another thread waits for it. */
const TASKS_MAX = 100;

const prepared = new WeakMap<DuckDBConnection, Map<string, DuckDBPreparedStatement>>();

/** Runs a statement of ours that a connection is asked again and again: it is prepared once, which is most of what such a statement costs. */
export async function runPrepared(
  connection: DuckDBConnection,
  sql: string,
  values: readonly string[] = [],
): Promise<DuckDBMaterializedResult> {
  const statement = await preparedStatement(connection, sql);
  for (const [index, value] of values.entries()) statement.bindVarchar(index + 1, value);
  return statement.run();
}

/** Like `runPrepared` without an answer, and in this thread: a trip to another and back costs as much as a short statement. Only for statements that wait for no lock and no client. */
export async function runPreparedHere(connection: DuckDBConnection, sql: string): Promise<void> {
  const pending = (await preparedStatement(connection, sql)).start();
  for (let tasks = 0; tasks < TASKS_MAX; tasks++)
    if (pending.runTask() === DuckDBPendingResultState.RESULT_READY) return;
  // One of DuckDB's own threads has taken it and is not done.
  await pending.getResult();
}

async function preparedStatement(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const statements = prepared.get(connection) ?? new Map<string, DuckDBPreparedStatement>();
  prepared.set(connection, statements);
  // It is destroyed with its connection.
  const statement = statements.get(sql) ?? (await connection.prepare(sql));
  statements.set(sql, statement);
  return statement;
}

/** What DuckDB's own parser sees in a text, as JSON; nothing is planned or run. */
export async function serializeSql(connection: DuckDBConnection, sql: string): Promise<string> {
  const result = await runPrepared(connection, SERIALIZE_SQL, [sql]);
  return String(result.getChunk(0).getColumnVector(0).getItem(0));
}

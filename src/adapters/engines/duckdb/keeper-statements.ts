import { type DuckDBConnection, type DuckDBMaterializedResult, StatementType } from '@duckdb/node-api';
import type { AnswerColumn } from '../../../domain/engine.ts';
import { Refusal } from './keeper-refusal.ts';

/** Statement types that change nothing; anything else needs a transaction of ours. */
export const READS: ReadonlySet<StatementType> = new Set([StatementType.SELECT]);
const HARMLESS: ReadonlySet<StatementType> = new Set([
  StatementType.EXPLAIN,
  StatementType.PRAGMA,
  StatementType.CALL,
  StatementType.RELATION,
  StatementType.LOGICAL_PLAN,
]);
/** Belong to the keeper alone. */
const FORBIDDEN: ReadonlySet<StatementType> = new Set([
  StatementType.TRANSACTION,
  StatementType.ATTACH,
  StatementType.DETACH,
  StatementType.LOAD,
]);

/** The one setting that is not locked: see `keeper-threads.ts`. */
const OWN_SETTING = /external_threads/i;

/** Refuses statements that users must not run at all, or not outside a transaction of ours. `sql`: the text that it is part of. */
export function checkType(type: StatementType, sql: string, isInTransaction: boolean): void {
  const name = StatementType[type];
  if (type === StatementType.SET && OWN_SETTING.test(sql))
    throw new Refusal({
      code: 'engine.statement-failed',
      parameters: { detail: 'external_threads belongs to Plinth, and the configuration has been locked' },
    });
  if (FORBIDDEN.has(type))
    throw new Refusal({
      code: 'engine.statement-failed',
      parameters: { detail: `${name} statements belong to Plinth, not to models or queries` },
    });
  if (!isInTransaction && !READS.has(type) && !HARMLESS.has(type))
    throw new Refusal({
      code: 'engine.statement-failed',
      parameters: { detail: `a query must only read, and this is a statement of type ${name}` },
    });
}

/** The columns of a text that is one query, can be planned and waits for no values; why it is not is for EXPLAIN to say. */
export async function preparedColumns(
  connection: DuckDBConnection,
  sql: string,
): Promise<readonly AnswerColumn[] | undefined> {
  try {
    const statements = await connection.extractStatements(sql);
    if (statements.count !== 1) return undefined;
    const statement = await statements.prepare(0);
    try {
      if (statement.statementType !== StatementType.SELECT || statement.parameterCount > 0) return undefined;
      return Array.from({ length: statement.columnCount }, (_, index) => ({
        name: statement.columnName(index),
        type: String(statement.columnType(index)),
      }));
    } finally {
      statement.destroySync();
    }
  } catch {
    return undefined;
  }
}

/** The number of rows that a statement wrote. */
export function rowsWritten(result: DuckDBMaterializedResult): number {
  if (result.rowsChanged > 0 || result.rowCount !== 1 || result.columnName(0) !== 'Count')
    return result.rowsChanged;
  // CREATE TABLE AS counts its rows in its answer only.
  return Number(result.getChunk(0).getColumnVector(0).getItem(0));
}

/** Rules over a database that is awaited: each statement is yielded to the driver of the rule. */
import type { Row, SqlCall, SqlValue, StateDialect, StateSql, Steps } from './state-sql.ts';

function* step<Answer>(kind: SqlCall['kind'], sql: string, parameters: readonly SqlValue[]): Steps<Answer> {
  return (yield { kind, sql, parameters }) as Answer;
}

export const awaitedState = (dialect: StateDialect, place: string): StateSql => ({
  dialect,
  place,
  row: (sql, ...parameters) => step<Row | undefined>('row', sql, parameters),
  rows: (sql, ...parameters) => step<readonly Row[]>('rows', sql, parameters),
  run: (sql, ...parameters) => step<number>('run', sql, parameters),
});

/** Runs a rule to its result, inside whatever transaction is open. */
export async function driveAwaiting<Result>(
  steps: Steps<Result>,
  perform: (statement: SqlCall) => Promise<unknown>,
): Promise<Result> {
  const iterator = steps[Symbol.iterator]();
  let next = iterator.next();
  while (next.done !== true) next = iterator.next(await perform(next.value));
  return next.value;
}

import type { ClientBase, QueryResult } from 'pg';
import type { Row } from '../sql/state-sql.ts';
import { failingOf } from './postgres-problem.ts';

/** The work between the statements that begin a transaction and its COMMIT; the work is given the last row of the beginning. */
export async function inTransaction<Result>(
  client: ClientBase,
  begin: string,
  work: (row: Row | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    const begun: QueryResult<Row> | readonly QueryResult<Row>[] = await client.query<Row>(begin);
    const result = await work([begun].flat().at(-1)?.rows[0]);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that is gone has ended its transaction, or is about to.
    if (failingOf(error) !== 'lost') await client.query('ROLLBACK');
    throw error;
  }
}

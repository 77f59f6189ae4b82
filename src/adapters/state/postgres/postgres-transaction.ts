/*
 * Transactions under SERIALIZABLE. A writer shares the lock of `plinth_turn` with all others; alone it has the lock to
 * itself, taken before its snapshot, so no other writer runs beside it. A reader alone waits for a safe snapshot.
 *
 * Alone, a snapshot is serializable by itself. SERIALIZABLE would refuse it now and then: PostgreSQL releases the lock
 * of a writer that ends before it marks it as committed, and counts it as concurrent until then.
 *
 * BEGIN puts the number of a change into its writer's row, in a table that no rule reads: it costs no way to the server and
 * causes no race. While an earlier attempt is still being committed it has the row locked, so the next one waits for it.
 */
import type { ClientBase, QueryResult } from 'pg';
import type { StateServer, TransactionStart } from '../sql/server-driver.ts';
import type { Row } from '../sql/state-sql.ts';
import { POSTGRES_DIALECT } from './postgres-dialect.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { failingOf, type PostgresPlace, postgresProblem } from './postgres-problem.ts';
import { performStatement } from './postgres-statement.ts';

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS now';
const BEGIN_SHARING = 'BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE plinth_turn IN ROW EXCLUSIVE MODE';
export const BEGIN_ALONE = 'BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE plinth_turn IN EXCLUSIVE MODE';

/** Answers without a row when the change was committed before. */
function beginOf({ isAlone, writer }: TransactionStart): string {
  if (writer === undefined)
    return `BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY ${isAlone ? 'DEFERRABLE' : ''}; SELECT ${NOW}`;
  return `${isAlone ? BEGIN_ALONE : BEGIN_SHARING};
    INSERT INTO plinth_writers VALUES ('${writer.id}', ${writer.changes}) ON CONFLICT (id) DO UPDATE
      SET changes = excluded.changes, last_at = now() WHERE plinth_writers.changes < excluded.changes RETURNING ${NOW}`;
}

export const stateServer = (pool: PostgresPool, place: PostgresPlace): StateServer => ({
  dialect: POSTGRES_DIALECT,
  place: place.place,
  failingOf,
  problemOf: (error) => postgresProblem(error, place),
  transact: (beginning, work) =>
    pool.use((client) =>
      inTransaction(client, beginOf(beginning), async (row) => {
        if (row === undefined) return;
        const perform = performStatement.bind(undefined, client);
        await work({ now: row['now'] as number, perform });
      }),
    ),
});

/** The work is given the last row that the beginning answered with. */
export async function inTransaction(
  client: ClientBase,
  begin: string,
  work: (row: Row | undefined) => Promise<void>,
): Promise<void> {
  try {
    const begun: QueryResult<Row> | readonly QueryResult<Row>[] = await client.query<Row>(begin);
    await work([begun].flat().at(-1)?.rows[0]);
    await client.query('COMMIT');
  } catch (error) {
    // A connection that is gone has ended its transaction, or is about to.
    if (failingOf(error) !== 'lost') await client.query('ROLLBACK');
    throw error;
  }
}

/** Whether a change was committed is asked within seconds. */
export const FORGET_WRITERS = "DELETE FROM plinth_writers WHERE last_at < now() - INTERVAL '1 day'";

/*
 * Drives rules in transactions of PostgreSQL, each under SERIALIZABLE:
 *
 *   ask ─▶ BEGIN · rule · COMMIT ─▶ answer
 *            ├─ raced with another: once more at once, then alone (writers) or over a safe snapshot (readers)
 *            ├─ connection lost:    once more on another connection
 *            └─ refused:            ROLLBACK, and the refusal
 *
 * A writer shares the lock of `plinth_turn` with all others; alone it has the lock to itself, taken before its snapshot, so
 * that attempt cannot fail on a race: no more than three are needed.
 *
 * The answer to COMMIT can be lost. So all attempts of one change have the same number, and BEGIN puts it into the row of
 * the change's writer. Where it is already, an earlier attempt was committed, and the rule is not run again. While an
 * earlier attempt is still being committed it has the row locked, so the next one waits for it.
 */
import { randomUUID } from 'node:crypto';
import { awaitedState, driveAwaiting } from '../sql/awaited-state.ts';
import { isWrite, type OperationName, operationSteps } from '../sql/operations.ts';
import { repeatTransaction } from '../sql/repeat-transaction.ts';
import type { Row, StateSql } from '../sql/state-sql.ts';
import { inTransaction } from './in-transaction.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { failingOf, type PostgresPlace, postgresProblem } from './postgres-problem.ts';
import { performStatement } from './postgres-statement.ts';
import { POSTGRES_WORDS } from './postgres-words.ts';

/** A server is restarted in less. */
const LOST_AFTER_MS = 15_000;
/** What the measured difference of the clocks may vary by, since answers take time on their way. */
const VARIES_MS = 500;

/** Makes changes one after another, and numbers them. */
interface Writer {
  readonly id: string;
  changes: number;
}

const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS at';
const READ = (mode: string): string =>
  `BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY ${mode}; SELECT ${CLOCK}`;
/** Answers without a row when this change was committed before. */
const WRITE = (mode: string, { id, changes }: Writer): string =>
  `BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE plinth_turn IN ${mode} MODE;
   INSERT INTO plinth_writers VALUES ('${id}', ${changes}) ON CONFLICT (id) DO UPDATE
     SET changes = excluded.changes, last_at = now() WHERE plinth_writers.changes < excluded.changes RETURNING ${CLOCK}`;
/** Whether a change was committed is asked within seconds. */
const FORGET_WRITERS = "DELETE FROM plinth_writers WHERE last_at < now() - INTERVAL '1 day'";

export interface DriverOptions {
  readonly lostAfterMs?: number | undefined;
  /** This machine's. */
  readonly clock?: (() => number) | undefined;
}

export class PostgresDriver {
  readonly state: StateSql;
  readonly #pool: PostgresPool;
  readonly #place: PostgresPlace;
  readonly #lostAfterMs: number;
  readonly #clock: () => number;
  /** As many as changes were made at the same time. */
  readonly #idle: Writer[] = [];
  #aheadMs = 0;

  constructor(
    pool: PostgresPool,
    place: PostgresPlace,
    { lostAfterMs = LOST_AFTER_MS, clock = Date.now }: DriverOptions,
  ) {
    this.#pool = pool;
    this.#place = place;
    this.#lostAfterMs = lostAfterMs;
    this.#clock = clock;
    this.state = awaitedState(POSTGRES_WORDS, place.place);
  }

  /** How much the server's clock is ahead of this machine's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** One operation, as one transaction that happens once. */
  async perform(name: OperationName, given: readonly unknown[]): Promise<unknown> {
    if (!isWrite(name)) return this.#repeated(name, given, (isAlone) => READ(isAlone ? 'DEFERRABLE' : ''));
    const writer = this.#idle.pop() ?? { id: randomUUID(), changes: 0 };
    writer.changes++;
    try {
      return await this.#repeated(name, given, (isAlone) =>
        WRITE(isAlone ? 'EXCLUSIVE' : 'ROW EXCLUSIVE', writer),
      );
    } finally {
      this.#idle.push(writer);
    }
  }

  /** Removes what is left of writers whose processes ended. */
  async forgetWriters(): Promise<void> {
    await this.#pool.use((client) => client.query(FORGET_WRITERS));
  }

  async #repeated(
    name: OperationName,
    given: readonly unknown[],
    beginOf: (isAlone: boolean) => string,
  ): Promise<unknown> {
    let answer: unknown;
    const attempt = (isAlone: boolean): Promise<void> =>
      this.#pool.use((client) =>
        inTransaction(client, beginOf(isAlone), async (row) => {
          if (row === undefined) return;
          this.#measureClock(row);
          answer = await driveAwaiting(operationSteps(this.state, name, given), (statement) =>
            performStatement(client, statement),
          );
        }),
      );
    try {
      await repeatTransaction(attempt, { failingOf, lostAfterMs: this.#lostAfterMs });
      return answer;
    } catch (error) {
      throw postgresProblem(error, this.#place);
    }
  }

  #measureClock(row: Row): void {
    const aheadMs = (row['at'] as number) - this.#clock();
    if (Math.abs(aheadMs - this.#aheadMs) > VARIES_MS) this.#aheadMs = aheadMs;
  }
}

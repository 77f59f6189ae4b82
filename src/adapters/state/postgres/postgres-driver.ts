/*
 * Drives rules in transactions of PostgreSQL, each under SERIALIZABLE:
 *
 *   ask ─▶ BEGIN · rule · COMMIT ─▶ answer
 *            ├─ raced with another: once more at once, then alone (writers) or over a safe snapshot (readers)
 *            ├─ connection lost:    once more on another; after COMMIT was sent, only if it did not happen
 *            └─ refused:            ROLLBACK, and the refusal
 *
 * A writer shares the lock of `plinth_turn` with all others; alone it has the lock to itself, taken before its snapshot, so
 * that attempt cannot fail on a race: no more than three are needed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, QueryResult } from 'pg';
import { isWrite, type OperationName, operationSteps } from '../sql/operations.ts';
import type { Row, SqlStatement, SqlValue, StateSql, Steps } from '../sql/state-sql.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { failingOf, type PostgresPlace, postgresProblem } from './postgres-problem.ts';
import { performStatement } from './postgres-statement.ts';
import { POSTGRES_WORDS } from './postgres-words.ts';

/** How long a server may be gone, or full, before a call gives up: it is restarted in less. */
const LOST_AFTER_MS = 15_000;
const TOGETHER_MAX = 2;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 500;
/** What the measured difference of the clocks may vary by, since answers take time on their way. */
const VARIES_MS = 500;

const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS at';
const WRITE = (mode: string): string =>
  `BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE plinth_turn IN ${mode} MODE;
   SELECT pg_current_xact_id()::TEXT AS transaction, ${CLOCK}`;
const READ = (mode: string): string =>
  `BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY ${mode}; SELECT NULL AS transaction, ${CLOCK}`;
/** What a transaction begins with; alone, it cannot race. */
const beginOf = (name: OperationName, isAlone: boolean): string =>
  isWrite(name) ? WRITE(isAlone ? 'EXCLUSIVE' : 'ROW EXCLUSIVE') : READ(isAlone ? 'DEFERRABLE' : '');

export interface DriverOptions {
  readonly lostAfterMs?: number | undefined;
  /** This machine's. */
  readonly clock?: (() => number) | undefined;
}

/** A connection broke after COMMIT was sent: whether it happened is known by the transaction's number. */
class UnknownCommit extends Error {
  readonly transaction: string;
  readonly answer: unknown;

  constructor(transaction: string, { answer, cause }: { readonly answer: unknown; readonly cause: unknown }) {
    super('the connection was lost while a change was committed', { cause });
    this.transaction = transaction;
    this.answer = answer;
  }
}

function* step(kind: SqlStatement['kind'], sql: string, parameters: readonly SqlValue[]): Steps<never> {
  return (yield { kind, sql, parameters }) as never;
}

/** Runs a rule to its result, inside whatever transaction the connection has open. */
export async function driveAwaiting<Result>(client: ClientBase, steps: Steps<Result>): Promise<Result> {
  const iterator = steps[Symbol.iterator]();
  let next = iterator.next();
  while (next.done !== true) next = iterator.next(await performStatement(client, next.value));
  return next.value;
}

export class PostgresDriver {
  readonly state: StateSql;
  readonly #pool: PostgresPool;
  readonly #place: PostgresPlace;
  readonly #lostAfterMs: number;
  readonly #clock: () => number;
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
    this.state = {
      words: POSTGRES_WORDS,
      place: place.place,
      row: (sql, ...parameters) => step('row', sql, parameters),
      rows: (sql, ...parameters) => step('rows', sql, parameters),
      run: (sql, ...parameters) => step('run', sql, parameters),
    };
  }

  /** How much the server's clock is ahead of this machine's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** One operation, as one transaction that happens once. */
  async perform(name: OperationName, given: readonly unknown[]): Promise<unknown> {
    const until = performance.now() + this.#lostAfterMs;
    let races = 0;
    let pauseMs = PAUSE_MS;
    for (;;) {
      try {
        return await this.#attempt(name, given, races >= TOGETHER_MAX);
      } catch (error) {
        if (error instanceof UnknownCommit && (await this.#happened(error, until))) return error.answer;
        const failing = failingOf(error);
        const isRace = failing === 'raced' && races++ < TOGETHER_MAX;
        const isWaited = (failing === 'lost' || failing === 'busy') && performance.now() < until;
        if (!isRace && !isWaited) throw postgresProblem(error, this.#place);
        if (isRace) continue;
      }
      await sleep(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
    }
  }

  #attempt(name: OperationName, given: readonly unknown[], isAlone: boolean): Promise<unknown> {
    return this.#pool.use(async (client) => {
      let transaction: string | null = null;
      let answer: unknown;
      let isCommitSent = false;
      try {
        transaction = await this.#begin(client, beginOf(name, isAlone));
        answer = await driveAwaiting(client, operationSteps(this.state, name, given));
        isCommitSent = true;
        await client.query('COMMIT');
        return answer;
      } catch (error) {
        if (failingOf(error) !== 'lost') await client.query('ROLLBACK');
        else if (isCommitSent && transaction !== null)
          throw new UnknownCommit(transaction, { answer, cause: error });
        throw error;
      }
    });
  }

  /** Answers with the number of a transaction that writes. */
  async #begin(client: ClientBase, sql: string): Promise<string | null> {
    const results = (await client.query(sql)) as unknown as readonly QueryResult<Row>[];
    const row = results.at(-1)?.rows[0];
    const aheadMs = (row?.['at'] as number) - this.#clock();
    if (Math.abs(aheadMs - this.#aheadMs) > VARIES_MS) this.#aheadMs = aheadMs;
    return row?.['transaction'] as string | null;
  }

  async #happened({ transaction, cause }: UnknownCommit, until: number): Promise<boolean> {
    const sql = 'SELECT pg_xact_status($1::TEXT::xid8) AS status';
    for (;;) {
      const status = await this.#pool
        .use(async (client) => (await client.query<Row>(sql, [transaction])).rows[0]?.['status'])
        .catch((error: unknown) => {
          if (failingOf(error) === 'refused') throw postgresProblem(error, this.#place);
        });
      if (status === 'committed' || status === 'aborted') return status === 'committed';
      if (performance.now() >= until) throw postgresProblem(cause, this.#place);
      await sleep(PAUSE_MS);
    }
  }
}

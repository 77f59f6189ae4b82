/*
 * Drives rules in transactions of a database server, which other processes use and to which a connection can be lost:
 *
 *   ask ─▶ begin · rule · commit ─▶ answer
 *            ├─ raced with another: once more at once, then alone
 *            ├─ connection lost:    once more on another connection
 *            └─ refused:            the refusal
 *
 * The answer to a commit can be lost. So all attempts of one change have the same number, which the server keeps with the
 * change, by writer. Where it has the number already, an earlier attempt was committed, and the rule is not run again.
 */
import { randomUUID } from 'node:crypto';
import { awaitedState, driveAwaiting } from './awaited-state.ts';
import { isWrite, type OperationName, operationSteps } from './operations.ts';
import { type Repeating, repeatTransaction } from './repeat-transaction.ts';
import type { SqlCall, StateDialect, StateSql } from './state-sql.ts';

/** Makes changes one after another, and numbers them. */
export interface Writer {
  readonly id: string;
  readonly changes: number;
}

export interface TransactionStart {
  /** After races: an attempt that does not race, whatever others do. */
  readonly isAlone: boolean;
  /** Absent: it only reads. */
  readonly writer?: Writer;
}

export interface Transaction {
  /** The server's clock. */
  readonly now: number;
  perform(statement: SqlCall): Promise<unknown>;
}

/** What each kind of server does in its own way. */
export interface StateServer {
  readonly dialect: StateDialect;
  /** What messages call the state. */
  readonly place: string;
  /** Commits after the work; without the work when a change of that writer and number was committed before. */
  transact(beginning: TransactionStart, work: (transaction: Transaction) => Promise<void>): Promise<void>;
  failingOf: Repeating['failingOf'];
  /** With the words that users read. */
  problemOf(error: unknown): unknown;
}

export interface DriverOptions {
  readonly lostAfterMs?: number | undefined;
  /** This machine's. */
  readonly clock?: (() => number) | undefined;
}

/** A server is restarted in less. */
const LOST_AFTER_MS = 15_000;
/** What the measured difference of the clocks may vary by, since answers take time on their way. */
const VARIES_MS = 500;

export class ServerDriver {
  readonly state: StateSql;
  readonly #server: StateServer;
  readonly #lostAfterMs: number;
  readonly #clock: () => number;
  /** As many as changes were made at the same time. */
  readonly #idle: Writer[] = [];
  #aheadMs = 0;

  constructor(server: StateServer, { lostAfterMs = LOST_AFTER_MS, clock = Date.now }: DriverOptions) {
    this.#server = server;
    this.#lostAfterMs = lostAfterMs;
    this.#clock = clock;
    this.state = awaitedState(server.dialect, server.place);
  }

  /** How much the server's clock is ahead of this machine's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** One operation, as one transaction that happens once. */
  async perform(name: OperationName, given: readonly unknown[]): Promise<unknown> {
    if (!isWrite(name)) return this.#repeated(name, given);
    const { id, changes } = this.#idle.pop() ?? { id: randomUUID(), changes: 0 };
    const writer = { id, changes: changes + 1 };
    try {
      return await this.#repeated(name, given, writer);
    } finally {
      this.#idle.push(writer);
    }
  }

  async #repeated(name: OperationName, given: readonly unknown[], writer?: Writer): Promise<unknown> {
    let answer: unknown;
    const attempt = (isAlone: boolean): Promise<void> =>
      this.#server.transact({ isAlone, ...(writer && { writer }) }, async ({ now, perform }) => {
        this.#compareClocks(now);
        answer = await driveAwaiting(operationSteps(this.state, name, given), perform);
      });
    try {
      await repeatTransaction(attempt, {
        failingOf: this.#server.failingOf,
        lostAfterMs: this.#lostAfterMs,
      });
      return answer;
    } catch (error) {
      throw this.#server.problemOf(error);
    }
  }

  #compareClocks(now: number): void {
    const aheadMs = now - this.#clock();
    if (Math.abs(aheadMs - this.#aheadMs) > VARIES_MS) this.#aheadMs = aheadMs;
  }
}

import type { Clock } from '../../domain/clock.ts';
import type { StatementStore } from '../../domain/state-store.ts';
import { isTerminal, type Statement } from '../../domain/statement.ts';
import type { StatementUpdate, StatementUpdates } from './statement-updates.ts';

/** Changes by other processes are noticed this late. */
const LOOK_MS = 1_000;

export interface WaitHow {
  readonly waitMs?: number;
  /** A change since this version is enough. */
  readonly sinceVersion?: number;
}

/** A statement that is listened for, from before it is submitted: no change is missed. */
export interface Listening {
  /** The statement once it has ended or changed as it was asked; as it is when the time is over. `present`: what the store says of it. */
  until(present: Statement | undefined): Promise<StatementUpdate | undefined>;
  stop(): void;
}

/** Those who wait for statements. */
export class StatementWaiters {
  readonly #ports: { readonly statements: StatementStore; readonly clock: Clock };
  readonly #updates: StatementUpdates;
  readonly #waiting = new Set<AbortController>();
  #isClosing = false;

  constructor(
    ports: { readonly statements: StatementStore; readonly clock: Clock },
    updates: StatementUpdates,
  ) {
    this.#ports = ports;
    this.#updates = updates;
  }

  /** From now on no caller waits: each gets the present state of its statement. */
  close(): void {
    this.#isClosing = true;
  }

  /** Those who wait already, too. */
  wake(): void {
    for (const waiting of this.#waiting) waiting.abort('closing');
  }

  /** The statement once it has ended or, with `sinceVersion`, changed; as it is when the time is over. Undefined when there is none. */
  async wait(id: string, how: WaitHow): Promise<StatementUpdate | undefined> {
    const listening = this.listen(id, how);
    try {
      return await listening.until(await this.#ports.statements.statement(id));
    } finally {
      listening.stop();
    }
  }

  listen(id: string, { waitMs = 0, sinceVersion }: WaitHow): Listening {
    const { statements, clock } = this.#ports;
    const isUpdate = ({ status, version }: Statement): boolean =>
      isTerminal(status) || (sinceVersion !== undefined && version !== sinceVersion);
    const done = new AbortController();
    this.#waiting.add(done);
    let received: StatementUpdate | undefined;
    const receive = (update: StatementUpdate): void => {
      if (!isUpdate(update.statement)) return;
      received = update;
      done.abort('received');
    };
    const stopListening = this.#updates.listen(id, { receive, wantsAll: sinceVersion !== undefined });
    const deadline = clock.now() + waitMs;
    return {
      until: async (present) => {
        for (let statement = present; ; statement = await statements.statement(id)) {
          if (received !== undefined) return received;
          const left = deadline - clock.now();
          if (statement === undefined || isUpdate(statement) || left <= 0 || this.#isClosing)
            return statement === undefined ? undefined : { statement };
          await clock.sleep(Math.min(left, LOOK_MS), done.signal);
          if (received !== undefined) return received;
        }
      },
      stop: () => {
        stopListening();
        this.#waiting.delete(done);
      },
    };
  }
}

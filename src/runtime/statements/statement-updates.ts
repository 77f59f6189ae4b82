import type { ExecutionResult, Statement } from '../../domain/statement.ts';

/** A statement after a change in this process; with its result when that change was its success. */
export interface StatementUpdate {
  readonly statement: Statement;
  readonly result?: ExecutionResult;
}

interface Listener {
  readonly receive: (update: StatementUpdate) => void;
  /** Not only the end. */
  readonly wantsAll: boolean;
}

/** Notifies callers that wait for a statement that it changed, without a query of the database. */
export class StatementUpdates {
  readonly #listeners = new Map<string, Set<Listener>>();

  publish(update: StatementUpdate): void {
    for (const { receive } of this.#listeners.get(update.statement.id) ?? []) receive(update);
  }

  /** Whether a caller waits for more than the end: otherwise changes need not be read from the store. */
  isFollowed(id: string): boolean {
    for (const { wantsAll } of this.#listeners.get(id) ?? []) if (wantsAll) return true;
    return false;
  }

  /** Answers with how to stop listening. */
  listen(id: string, listener: Listener): () => void {
    const known = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, known);
    known.add(listener);
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.#listeners.get(id) === known) this.#listeners.delete(id);
    };
  }
}

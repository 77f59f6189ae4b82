import type { ExecutionResult, Statement } from '../../domain/statement.ts';

/** A statement after a change in this process; with its result when that change was its success. */
export interface News {
  readonly statement: Statement;
  readonly result?: ExecutionResult;
}

interface Listener {
  readonly hear: (news: News) => void;
  /** Not only the end. */
  readonly wantsAll: boolean;
}

/** Notifies callers that wait for a statement that it changed, without a query of the database. */
export class StatementNews {
  readonly #listeners = new Map<string, Set<Listener>>();

  tell(news: News): void {
    for (const { hear } of this.#listeners.get(news.statement.id) ?? []) hear(news);
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

import type { ExecutionResult, Statement } from '../../domain/statement.ts';

/** A statement after a change in this process; with its result when that change was its success. */
export interface News {
  readonly statement: Statement;
  readonly result?: ExecutionResult;
}

/** Tells whoever waits for a statement that it changed: no database is asked for that. */
export class StatementNews {
  readonly #listeners = new Map<string, Set<(news: News) => void>>();

  tell(news: News): void {
    for (const listener of this.#listeners.get(news.statement.id) ?? []) listener(news);
  }

  /** Answers with how to stop listening. */
  listen(id: string, listener: (news: News) => void): () => void {
    const known = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, known);
    known.add(listener);
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.#listeners.get(id) === known) this.#listeners.delete(id);
    };
  }
}

import type { Clock } from '../../domain/clock.ts';
import type { StatementStore } from '../../domain/state-store.ts';
import { isTerminal, type Statement } from '../../domain/statement.ts';
import type { News, StatementNews } from './statement-news.ts';

/** Changes by other processes are noticed this late. */
const LOOK_MS = 1_000;

export interface WaitHow {
  readonly waitMs?: number;
  /** A change since this version is enough. */
  readonly sinceVersion?: number;
  /** Done while the statement is already listened for, in the place of a first look into the store: that is how a submission is waited for. */
  readonly first?: () => Promise<Statement | undefined>;
}

/** Those who wait for statements. */
export class StatementWaiters {
  readonly #ports: { readonly statements: StatementStore; readonly clock: Clock };
  readonly #news: StatementNews;
  readonly #waiting = new Set<AbortController>();
  #isClosing = false;

  constructor(ports: { readonly statements: StatementStore; readonly clock: Clock }, news: StatementNews) {
    this.#ports = ports;
    this.#news = news;
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
  async wait(id: string, { waitMs = 0, sinceVersion, first }: WaitHow): Promise<News | undefined> {
    const { statements, clock } = this.#ports;
    const isNews = ({ status, version }: Statement): boolean =>
      isTerminal(status) || (sinceVersion !== undefined && version !== sinceVersion);
    const done = new AbortController();
    this.#waiting.add(done);
    let heard: News | undefined;
    const hear = (news: News): void => {
      if (!isNews(news.statement)) return;
      heard = news;
      done.abort('heard');
    };
    const stopListening = this.#news.listen(id, { hear, wantsAll: sinceVersion !== undefined });
    try {
      const deadline = clock.now() + waitMs;
      for (let isFirst = true; ; isFirst = false) {
        const statement = await (isFirst && first !== undefined ? first() : statements.statement(id));
        if (heard !== undefined) return heard;
        const left = deadline - clock.now();
        if (statement === undefined || isNews(statement) || left <= 0 || this.#isClosing)
          return statement === undefined ? undefined : { statement };
        await clock.sleep(Math.min(left, LOOK_MS), done.signal);
        if (heard !== undefined) return heard;
      }
    } finally {
      stopListening();
      this.#waiting.delete(done);
    }
  }
}

import { isTerminal, type Statement } from '../../domain/statement.ts';
import { DURATION_BOUNDS, type StatementCounts, type Times } from '../../domain/statement-figures.ts';

/** Counts each statement once, when it ends in this process. */
export class StatementTally {
  readonly #ended = { SUCCESS: 0, FAILED: 0, CANCELLED: 0 };
  readonly #byStrategy = { execute: 0, from_cache: 0, await_primary: 0 };
  readonly #queued = new Stopwatch();
  readonly #executed = new Stopwatch();

  count({ status, strategy, stats }: Statement): void {
    if (!isTerminal(status)) return;
    this.#ended[status]++;
    this.#byStrategy[strategy]++;
    if (stats.queuedMs !== undefined) this.#queued.add(stats.queuedMs / 1000);
    if (stats.execMs !== undefined) this.#executed.add(stats.execMs / 1000);
  }

  get counts(): StatementCounts {
    return {
      ended: { ...this.#ended },
      byStrategy: { ...this.#byStrategy },
      queued: this.#queued.times,
      executed: this.#executed.times,
    };
  }
}

class Stopwatch {
  readonly #buckets: number[] = DURATION_BOUNDS.map(() => 0);
  #count = 0;
  #seconds = 0;

  add(seconds: number): void {
    const at = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    if (at !== -1) this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
    this.#count++;
    this.#seconds += seconds;
  }

  get times(): Times {
    return { buckets: [...this.#buckets], count: this.#count, seconds: this.#seconds };
  }
}

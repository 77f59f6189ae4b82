import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

interface Bucket {
  left: number;
  at: number;
}

/** So many requests a second for each name, in bursts of as many. Names that were quiet for a minute are forgotten. */
export class RateLimit {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #swept: number;

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#swept = now();
  }

  /** Counts one request, or throws 429; answers with what the headers say. */
  take(name: string): Readonly<Record<string, string>> {
    const now = this.#now();
    if (now - this.#swept > 60_000) this.#sweep(now);
    const bucket = this.#buckets.get(name) ?? { left: this.#limit, at: now };
    bucket.left = Math.min(this.#limit, bucket.left + ((now - bucket.at) / 1000) * this.#limit);
    bucket.at = now;
    this.#buckets.set(name, bucket);
    const isOver = bucket.left < 1;
    if (!isOver) bucket.left -= 1;
    const headers = {
      'ratelimit-limit': String(this.#limit),
      'ratelimit-remaining': String(Math.max(0, Math.floor(bucket.left))),
      'ratelimit-reset': '1',
    };
    if (isOver)
      throw new Problem(429, diagnostic('http.too-many', { limit: this.#limit }), {
        headers: { ...headers, 'retry-after': '1' },
      });
    return headers;
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const [name, { at }] of this.#buckets) if (now - at > 60_000) this.#buckets.delete(name);
  }
}

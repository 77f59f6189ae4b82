/** How full a cache is, and how often it had what was asked for. */
export interface CacheFigures {
  readonly entries: number;
  readonly entriesMax: number;
  readonly hits: number;
  readonly misses: number;
}

/** Values by key, at most so many: one more, and the entry that was not asked for the longest goes. */
export class BoundedCache<Key, Value> {
  readonly #entriesMax: number;
  readonly #entries = new Map<Key, Value>();
  #hits = 0;
  #misses = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** `isCurrent`: an entry that is out of date is a miss; it stays until it is replaced or goes. */
  get(key: Key, isCurrent?: (value: Value) => boolean): Value | undefined {
    const found = this.#entries.get(key);
    if (found === undefined || isCurrent?.(found) === false) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    // A map keeps the order of insertion: the first is the one that was not asked for the longest.
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#entriesMax) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest as Key);
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  /** Forgets the entries that are chosen; without a choice, all. */
  forget(isGone: (value: Value, key: Key) => boolean = () => true): void {
    for (const [key, value] of this.#entries) if (isGone(value, key)) this.#entries.delete(key);
  }

  get figures(): CacheFigures {
    return {
      entries: this.#entries.size,
      entriesMax: this.#entriesMax,
      hits: this.#hits,
      misses: this.#misses,
    };
  }
}

/** What was asked for is asked once, also while the answer is on its way; a failure is not remembered. */
export function askedOnce<Key, Value>(
  cache: BoundedCache<Key, Promise<Value>>,
  key: Key,
  ask: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const asked = ask();
  cache.set(key, asked);
  asked.catch(() => cache.delete(key));
  return asked;
}

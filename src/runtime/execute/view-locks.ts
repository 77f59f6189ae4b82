/**
 * Views that stages of one run audit one after the other: the lease of a view keeps other runs out, not this one. Two
 * writes, each clean alone, can make a bad view.
 */
export class ViewLocks {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits until none of these is held, in the order of their names; answers with what releases them. */
  async take(keys: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    for (const key of [...new Set(keys)].sort()) {
      const before = this.#last.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#last.set(key, promise);
      releases.push(resolve);
      await before;
    }
    return () => {
      for (const release of releases) release();
    };
  }
}

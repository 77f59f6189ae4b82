import type { WireError, WireFence } from './keeper-wire.ts';

/**
 * The greatest token seen per table. A holder that was paused while its lease went to another comes back with an older token and is
 * refused, at its begin and at its commit. Raising waits for commits of older tokens that are on their way: whoever raised reads a
 * ledger that no older holder can still add to.
 */
export class KeeperFences {
  readonly #newest = new Map<string, number>();
  readonly #committing = new Set<{ readonly fences: readonly WireFence[]; readonly end: Promise<unknown> }>();

  /** Takes over what an earlier keeper wrote to the ledger. */
  load(tokens: ReadonlyMap<string, number>): void {
    for (const [table, token] of tokens) this.#see({ table, token });
  }

  async raise(fences: readonly WireFence[]): Promise<void> {
    for (const fence of fences) this.#see(fence);
    const older = [...this.#committing].filter((commit) =>
      commit.fences.some((theirs) =>
        fences.some((ours) => ours.table === theirs.table && theirs.token < ours.token),
      ),
    );
    await Promise.all(older.map(({ end }) => end));
  }

  /** Why these tokens may not write; undefined when they may. */
  refusal(fences: readonly WireFence[]): WireError | undefined {
    for (const { table, token } of fences) {
      const newest = this.#newest.get(table);
      if (newest !== undefined && newest > token)
        return { code: 'engine.fenced', parameters: { table, token, newest } };
    }
    return undefined;
  }

  /** Commits under these tokens; the check and the registration are one step, so no raise can come between. */
  async commit<Result>(fences: readonly WireFence[], work: () => Promise<Result>): Promise<Result> {
    const end = work();
    const entry = { fences, end: end.catch(() => undefined) };
    this.#committing.add(entry);
    try {
      return await end;
    } finally {
      this.#committing.delete(entry);
    }
  }

  #see({ table, token }: WireFence): void {
    const newest = this.#newest.get(table);
    if (newest === undefined || newest < token) this.#newest.set(table, token);
  }
}

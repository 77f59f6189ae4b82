import type { WireError, WireFence } from './keeper-wire.ts';

/** A transaction under some tokens; `evict` rolls it back and ends when it is gone, or was committed before. */
export interface OpenTransaction {
  readonly fences: readonly WireFence[];
  readonly evict: () => Promise<void>;
}

/**
 * The greatest token seen per table. A holder that was paused while its lease went to another comes back with an older token and is
 * refused, at its begin and at its commit. Raising waits for commits of older tokens that are on their way: the process that raised reads a
 * ledger that no older holder can still add to. Transactions of older tokens that are open are rolled back: their holder may be
 * paused for long, and what it has written but not committed would be in its successor's way.
 */
export class KeeperFences {
  readonly #newest = new Map<string, number>();
  readonly #committing = new Set<{ readonly fences: readonly WireFence[]; readonly end: Promise<unknown> }>();

  readonly #open = new Set<OpenTransaction>();

  /** Takes over what an earlier keeper wrote to the ledger. */
  load(tokens: ReadonlyMap<string, number>): void {
    for (const [table, token] of tokens) this.#see({ table, token });
  }

  async raise(fences: readonly WireFence[]): Promise<void> {
    for (const fence of fences) this.#see(fence);
    const isOlder = (other: { readonly fences: readonly WireFence[] }): boolean =>
      other.fences.some((theirs) =>
        fences.some((ours) => ours.table === theirs.table && theirs.token < ours.token),
      );
    const committing = [...this.#committing].filter(isOlder).map(({ end }) => end);
    const open = [...this.#open].filter(isOlder).map(({ evict }) => evict());
    await Promise.all([...committing, ...open]);
  }

  /** Keys of tables and the newest token of each, in turns. */
  tokens(): readonly string[] {
    return [...this.#newest].flatMap(([table, token]) => [table, String(token)]);
  }

  /** Remembers a transaction that has begun, until the answer is called. */
  opened(transaction: OpenTransaction): () => void {
    this.#open.add(transaction);
    return () => this.#open.delete(transaction);
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

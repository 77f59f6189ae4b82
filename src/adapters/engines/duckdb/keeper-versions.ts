/*
 * The data version of every table, in memory: all writes of the file are committed here, so what the ledger says need not be
 * asked of DuckDB. A commit is known before it begins and until it is over, which gives two answers their meaning:
 *
 *   of       waits for commits under way: never older than what a reader of rows can have seen, or what a writer got as committed
 *   watch    for rows that are read: the versions hold if no commit of these tables began until the reader's snapshot was taken
 */

/** What a transaction does to the ledger. Tables are named by their `tableKey`. */
export interface VersionChanges {
  /** One for each row, with its data version in decimal digits. */
  readonly recorded: readonly { readonly table: string; readonly dataVersion: string }[];
  /** Tables whose rows go, before any that are recorded. */
  readonly forgotten: readonly string[];
}

/** A table's rows in the ledger: how many, and the xor of their data versions. */
export interface TableVersion {
  readonly count: number;
  readonly xor: bigint;
}

/** Versions, and whether no commit of their tables has begun since they were read. */
export interface WatchedVersions {
  readonly versions: readonly string[];
  readonly holds: () => boolean;
}

interface Commit {
  readonly tables: ReadonlySet<string>;
  readonly end: Promise<unknown>;
}

export class KeeperVersions {
  readonly #known = new Map<string, TableVersion>();
  readonly #committing = new Set<Commit>();
  /** How many commits of a table have begun. */
  readonly #begun = new Map<string, number>();
  readonly #ledger: () => Promise<ReadonlyMap<string, TableVersion>>;
  readonly #loaded: Promise<unknown>;

  /** `loaded` ends when `load` has been called; `ledger` asks for all tables again. */
  constructor(loaded: Promise<unknown>, ledger: () => Promise<ReadonlyMap<string, TableVersion>>) {
    this.#loaded = loaded;
    this.#ledger = ledger;
  }

  /** Takes over what earlier keepers wrote. */
  load(found: ReadonlyMap<string, TableVersion>): void {
    for (const [table, version] of found) this.#known.set(table, version);
  }

  /** Commits what changes these tables. When that fails it is not known whether it happened: the ledger is asked. */
  async commit<Result>(changes: VersionChanges, work: () => Promise<Result>): Promise<Result> {
    const tables = new Set([...changes.recorded.map(({ table }) => table), ...changes.forgotten]);
    if (tables.size === 0) return work();
    await this.#loaded;
    for (const table of tables) this.#begun.set(table, (this.#begun.get(table) ?? 0) + 1);
    const done = work().then(
      (result) => {
        this.#apply(changes);
        return result;
      },
      async (error: unknown) => {
        await this.#ask(tables);
        throw error;
      },
    );
    const entry = { tables, end: done.catch(() => undefined) };
    this.#committing.add(entry);
    try {
      return await done;
    } finally {
      this.#committing.delete(entry);
    }
  }

  /** The versions of tables, in their order, once no commit of them is under way. */
  async of(tables: readonly string[]): Promise<readonly string[]> {
    await this.#loaded;
    for (let open = this.#commitsOf(tables); open.length > 0; open = this.#commitsOf(tables))
      await Promise.all(open);
    return tables.map((table) => textOf(this.#known.get(table)));
  }

  /** The versions as `of` gives them. */
  async watch(tables: readonly string[]): Promise<WatchedVersions> {
    const versions = await this.of(tables);
    const begun = tables.map((table) => this.#begun.get(table));
    return { versions, holds: () => tables.every((table, i) => this.#begun.get(table) === begun[i]) };
  }

  #commitsOf(tables: readonly string[]): readonly Promise<unknown>[] {
    return [...this.#committing]
      .filter((commit) => tables.some((table) => commit.tables.has(table)))
      .map(({ end }) => end);
  }

  #apply({ recorded, forgotten }: VersionChanges): void {
    for (const table of forgotten) this.#known.delete(table);
    for (const { table, dataVersion } of recorded) {
      const { count, xor } = this.#known.get(table) ?? { count: 0, xor: 0n };
      this.#known.set(table, { count: count + 1, xor: xor ^ BigInt(dataVersion) });
    }
  }

  async #ask(tables: Iterable<string>): Promise<void> {
    const found = await this.#ledger();
    for (const table of tables) {
      const version = found.get(table);
      if (version === undefined) this.#known.delete(table);
      else this.#known.set(table, version);
    }
  }
}

/** As the ledger's own SQL spells it; a table without rows has none. */
function textOf(version: TableVersion | undefined): string {
  return version === undefined ? '' : `${version.count}:${version.xor}`;
}

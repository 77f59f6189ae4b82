import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';

/*
 * A forward-only change keeps the table of the state before it and fills it by its own text from then on:
 *
 *   F1 ─ table T ─▶ F2 (forward-only) ─ table T ─▶ back to F1: T has rows of F2, so F1 is not what its fingerprint says
 *
 * Such a return is a change like any other: its category is decided again, and it is rebuilt in another table unless it
 * keeps this one on purpose. An environment's entry, not the snapshot, says which table that is.
 *
 *   prod   F1 ─ table T ─▶ F2 (forward-only) ─ table T
 *   dev    F1 ─ table T                                   T is taken: the next plan of dev rebuilds F1, though dev changed nothing
 */

/** Which tables have become something else than the snapshots that first had them. */
export class TakenTables {
  readonly #snapshots: ReadonlyMap<string, Snapshot>;
  readonly #environments: readonly Environment[];
  /** By `tableKey`; made when it is first asked for. */
  #shown:
    | ReadonlyMap<string, readonly { readonly name: string; readonly entry: EnvironmentEntry }[]>
    | undefined;
  /** States that were applied and took a table over, by that table. */
  readonly #takers = new Map<string, Snapshot[]>();

  constructor(snapshots: ReadonlyMap<string, Snapshot>, environments: readonly Environment[]) {
    this.#snapshots = snapshots;
    this.#environments = environments;
    for (const snapshot of snapshots.values()) {
      const { model, version, isTried } = snapshot;
      if (!tookOver(snapshot) || version === undefined || isTried === true) continue;
      const key = tableKey({ model, version });
      this.#takers.set(key, [...(this.#takers.get(key) ?? []), snapshot]);
    }
  }

  /** Whether going to a stored state, from what an environment shows now, finds rows of something else in its table. */
  isReturn(stored: Snapshot, environment: string, from: EnvironmentEntry | undefined): boolean {
    const { model, version, fingerprint } = stored;
    if (version === undefined) return false;
    const inProd = this.#entriesOf({ model, version }, 'prod')[0];
    if (environment !== 'prod' && inProd?.fingerprint === fingerprint) return false;
    if (
      from?.version === version &&
      from.fingerprint !== fingerprint &&
      chainOf(from.fingerprint, this.#snapshots).has(fingerprint)
    )
      return true;
    const own = chainOf(fingerprint, this.#snapshots);
    const takers = this.#takers.get(tableKey({ model, version })) ?? [];
    const others = takers.filter((taker) => !own.has(taker.fingerprint));
    if (others.length === 0) return false;
    // What prod wrote into a table stays there when prod leaves it.
    if (inProd === undefined && others.some(({ isDeployed }) => isDeployed === true)) return true;
    const shown = inProd === undefined ? this.#entriesOf({ model, version }) : [inProd];
    const last = lastTaker(fingerprint, this.#snapshots);
    return (
      shown.length === 0 || shown.some((entry) => lastTaker(entry.fingerprint, this.#snapshots) !== last)
    );
  }

  /** Whether the table that an environment shows a state from has become something else meanwhile. */
  isTaken(entry: EnvironmentEntry, environment: string): boolean {
    const snapshot = this.#snapshots.get(entry.fingerprint);
    if (snapshot === undefined || entry.version === undefined || !isWritten(snapshot.kind)) return false;
    return this.isReturn({ ...snapshot, version: entry.version }, environment, entry);
  }

  #entriesOf(table: TableId, environment?: string): readonly EnvironmentEntry[] {
    this.#shown ??= Map.groupBy(
      this.#environments.flatMap(({ name, entries }) => entries.map((entry) => ({ name, entry }))),
      ({ entry: { model, version } }) => tableKey({ model, version: version ?? '' }),
    );
    return (this.#shown.get(tableKey(table)) ?? [])
      .filter(({ name }) => environment === undefined || name === environment)
      .map(({ entry }) => entry);
  }
}

/** A state and those before it, the nearest first. */
export function chainOf(fingerprint: string, snapshots: ReadonlyMap<string, Snapshot>): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at: string | undefined = fingerprint; at !== undefined && !found.has(at); ) {
    found.add(at);
    at = snapshots.get(at)?.inheritedFrom;
  }
  return found;
}

/** The last one that took the table over, among a state and those before it. */
export function lastTaker(fingerprint: string, snapshots: ReadonlyMap<string, Snapshot>): string | undefined {
  for (const each of chainOf(fingerprint, snapshots)) if (tookOver(snapshots.get(each))) return each;
  return undefined;
}

/** Whether a state has filled a table that another one began, with rows of its own. */
export function tookOver(snapshot: Snapshot | undefined): boolean {
  return snapshot?.category === 'forward-only' || snapshot?.isForward === true;
}

/** A snapshot with the table that an entry shows it from; tables that only environments other than prod have are not its own. */
export function asShown(snapshot: Snapshot, entry: EnvironmentEntry | undefined): Snapshot {
  const version = entry?.version;
  if (version === undefined || version === snapshot.version || version.endsWith('__dev')) return snapshot;
  return isWritten(snapshot.kind) ? { ...snapshot, version } : snapshot;
}

import type { EnvironmentEntry } from '../../domain/environment.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../foundation/time/ranges.ts';
import { childrenOf } from './children-of.ts';
import { heldTables, type ShownEntries } from './held-tables.ts';
import { restatedBelow } from './intervals/restatement-ranges.ts';
import { leftBehind } from './left-behind.ts';

/*
 * A table that is restated may be shown by other environments, with tables below it that the plan does not know:
 *
 *   prod   a ──▶ b         restating a in prod fills a and b again,
 *   dev    a ──▶ b'        and b' is left for dev's next run
 */

/** A table that has to be filled again because of what it was made from. */
export interface RestatedTable {
  readonly table: TableId;
  readonly snapshot: Snapshot;
  /** As it was asked for above, not yet in the table's own units. */
  readonly requested: RangeSet;
}

interface Shown {
  /** Models by the key of their table. */
  readonly models: ReadonlyMap<string, string>;
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  readonly entries: ReadonlyMap<string, EnvironmentEntry>;
  readonly children: ReadonlyMap<string, readonly string[]>;
  readonly held: ReadonlyMap<string, string>;
}

/** Tables of all environments that are made of those in `asked` (by `tableKey`), through views, EMBEDDED models and tables that forbid it; without those themselves. */
export function restateElsewhere(
  asked: ReadonlyMap<string, RangeSet>,
  context: {
    /** The one that is planned, with the tables that it leaves to others. */
    readonly environment: string;
    readonly held: ReadonlyMap<string, string>;
    readonly environments: readonly ShownEntries[];
    readonly snapshots: ReadonlyMap<string, Snapshot>;
    /** By `tableKey`. */
    readonly filled: ReadonlyMap<string, RangeSet>;
  },
): readonly RestatedTable[] {
  if (asked.size === 0) return [];
  const { environment, environments, snapshots } = context;
  const all = environments.map((each) =>
    shownIn(
      each,
      snapshots,
      each.name === environment ? context.held : heldTables(each, environments, snapshots),
    ),
  );
  const reached = new Map<string, RangeSet>(asked);
  const found = new Map<string, Omit<RestatedTable, 'requested'>>();
  const queue = [...asked.keys()];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    for (const shown of all) {
      const model = shown.models.get(key);
      if (model === undefined) continue;
      const table = { ...shown.snapshots.get(model)!, filled: context.filled.get(key) ?? [] };
      const ranges = restatedBelow(table, reached.get(key) ?? []);
      for (const below of tablesBelow(model, shown)) {
        const belowKey = tableKey(below.table);
        const before = reached.get(belowKey) ?? [];
        if (subtractRanges(ranges, before).length === 0) continue;
        reached.set(belowKey, unionRanges(before, ranges));
        found.set(belowKey, below);
        queue.push(belowKey);
      }
    }
  }
  return [...found].map(([key, below]) => ({ ...below, requested: reached.get(key) ?? [] }));
}

function shownIn(
  environment: ShownEntries,
  snapshots: ReadonlyMap<string, Snapshot>,
  held: ReadonlyMap<string, string>,
): Shown {
  const own = environment.entries.flatMap((entry) => {
    const snapshot = snapshots.get(entry.fingerprint);
    return snapshot === undefined ? [] : [{ entry, snapshot }];
  });
  const behind = leftBehind(environment.entries, snapshots);
  return {
    models: new Map(
      own.flatMap(({ entry: { model, version } }) =>
        version === undefined ? [] : [[tableKey({ model, version }), model] as const],
      ),
    ),
    snapshots: new Map(own.map(({ snapshot }) => [snapshot.model, snapshot])),
    entries: new Map(own.map(({ entry }) => [entry.model, entry])),
    children: childrenOf(own.map(({ snapshot }) => snapshot).filter(({ model }) => !behind.has(model))),
    held,
  };
}

/** The nearest tables below; one that another environment fills from its own tables is not made of these. */
function tablesBelow(
  model: string,
  { snapshots, entries, children, held }: Shown,
): readonly Omit<RestatedTable, 'requested'>[] {
  const found: Omit<RestatedTable, 'requested'>[] = [];
  const seen = new Set<string>();
  const queue = [...(children.get(model) ?? [])];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const snapshot = snapshots.get(name)!;
    const version = entries.get(name)?.version;
    if (!isWritten(snapshot.kind) || version === undefined) {
      queue.push(...(children.get(name) ?? []));
      continue;
    }
    const table = { model: name, version };
    if (held.has(tableKey(table))) continue;
    if (snapshot.schedule.disableRestatement) queue.push(...(children.get(name) ?? []));
    else found.push({ table, snapshot });
  }
  return found;
}

/*
 * Which models are written in one transaction. A readable view with blocking audits must hold at every
 * instant, so all its tables that are due together are written together and the view is audited before they commit:
 *
 *        a ──┐                     a, b: one group, v audited at its end
 *            ├──▶ v (audited)      x lies between a and b: it joins, else b would wait for x and x for a
 *   a ▶ x ▶ b ─┘
 *
 * The same holds for a table whose blocking audits read others: whenever one of those is written, the audits are asked at
 * the end, and what is due of them all is one group, because a change may hold only as a whole.
 *
 * Groups that share a member are one. What remains tangled (two groups that wait for each other) is one as well: every
 * strongly connected part of the graph of groups becomes a group, which covers the models in between, too.
 *
 * A transaction writes one catalog. The tables of a view in several catalogs are a group each, written one after the
 * other: whichever commits, the view was audited with what the others have at that moment.
 */
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { splitModelName } from '../../domain/model-name.ts';
import type { AuditedView } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { stronglyConnected } from '../../foundation/strongly-connected.ts';
import { standaloneTable } from './standalone-audits.ts';

export interface GroupInput {
  /** Members by model name, upstream first, with the nearest members they read (through views and EMBEDDED ones). */
  readonly members: ReadonlyMap<string, GroupMember>;
  /** All environments as they are shown now. */
  readonly environments: readonly Environment[];
  /** Snapshots of all their entries, by fingerprint. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
}

export interface GroupMember {
  /** `tableKey` of what is written. */
  readonly key: string;
  readonly upstream: readonly string[];
}

/** Models that are written together, upstream first, and the views that are audited before they commit. */
export interface BackfillGroup {
  readonly members: readonly string[];
  readonly auditedViews: readonly AuditedView[];
  /** Places of groups that must be through before: they show in the same view but lie in another catalog. */
  readonly after: readonly number[];
}

/** Every member in exactly one group; groups come upstream first, and most have one member. */
export function backfillGroups({ members, environments, snapshots }: GroupInput): readonly BackfillGroup[] {
  const byKey = new Map([...members].map(([model, { key }]) => [key, model]));
  const watched = watchedViews(environments, snapshots, byKey);
  const sets = new DisjointSets(members.keys());
  for (const { models } of watched)
    for (const [first, ...more] of byCatalog(models)) for (const model of more) sets.join(first!, model);
  const edges = new Map<string, Set<string>>();
  for (const [model, { upstream }] of members) {
    const to = sets.find(model);
    const from = edges.get(to) ?? new Set();
    for (const parent of upstream) if (sets.find(parent) !== to) from.add(sets.find(parent));
    edges.set(to, from);
  }
  // Components come out upstream first, because edges lead to what is needed.
  const components = stronglyConnected(edges);
  const placeOf = new Map(components.flatMap((roots, place) => roots.map((root) => [root, place] as const)));
  const groups = components.map(() => ({
    members: [] as string[],
    auditedViews: [] as AuditedView[],
    after: [] as number[],
  }));
  for (const model of members.keys()) groups[placeOf.get(sets.find(model))!]!.members.push(model);
  for (const { view, models } of watched) {
    const places = [...new Set(models.map((model) => placeOf.get(sets.find(model))!))].sort((a, b) => a - b);
    for (const [i, place] of places.entries()) {
      groups[place]!.auditedViews.push(view);
      if (i > 0) groups[place]!.after.push(places[i - 1]!);
    }
  }
  return groups;
}

function byCatalog(models: readonly string[]): Iterable<readonly string[]> {
  return Map.groupBy(models, (model) => splitModelName(model).catalog).values();
}

interface WatchedView {
  readonly view: AuditedView;
  /** Members it shows rows of or reads, and itself where it is one; never empty. */
  readonly models: readonly string[];
}

/**
 * Shown views with blocking audits into whose rows a member writes, and shown tables whose blocking audits read what a member
 * writes; one environment stands for all where the answer is the same.
 */
export function watchedViews(
  environments: readonly Environment[],
  snapshots: ReadonlyMap<string, Snapshot>,
  byKey: ReadonlyMap<string, string>,
): readonly WatchedView[] {
  const watched = new Map<string, WatchedView>();
  for (const { name, entries, audits: standalone = [] } of environments) {
    const tables = new ShownTables(entries, snapshots);
    const all = [...entries, ...standalone.map((entry) => ({ ...entry, ...standaloneTable(entry) }))];
    for (const { model, fingerprint, version } of all) {
      const snapshot = snapshots.get(fingerprint);
      const { audits } = snapshot ?? {};
      if (version === undefined || audits === undefined || audits.blocking.length === 0) continue;
      const table = { model, version };
      const membersAmong = (keys: Iterable<string>): readonly string[] =>
        [...new Set(keys)].flatMap((key) => byKey.get(key) ?? []);
      const isView = snapshot?.kind === 'view';
      const shown = isView ? membersAmong(tables.below(model)) : [];
      const asked = audits.blocking.filter(
        (audit) => membersAmong(tables.read(audits.reads?.[audit] ?? [])).length > 0,
      );
      if (shown.length + asked.length === 0) continue;
      const read = asked.flatMap((audit) => [...tables.read(audits.reads?.[audit] ?? [])]);
      const models = [...new Set([...shown, ...membersAmong([...read, tableKey(table)])])];
      const id = `${tableKey(table)} ${fingerprint}${audits.readsOthers ? ` ${name}` : ''}`;
      const own = shown.length > 0 ? {} : { audits: [...new Set(asked)] };
      if (!watched.has(id))
        watched.set(id, { view: { environment: name, model, fingerprint, table, ...own }, models });
    }
  }
  return [...watched.values()];
}

/** The written tables whose rows a view of an environment shows: down through views and EMBEDDED models, to the first table. */
export class ShownTables {
  readonly #entries: ReadonlyMap<string, EnvironmentEntry>;
  readonly #snapshots: ReadonlyMap<string, Snapshot>;
  readonly #found = new Map<string, ReadonlySet<string>>();

  constructor(entries: readonly EnvironmentEntry[], snapshots: ReadonlyMap<string, Snapshot>) {
    this.#entries = new Map(entries.map((entry) => [entry.model, entry]));
    this.#snapshots = snapshots;
  }

  /** Keys of the tables that a model's query reaches. */
  below(model: string): ReadonlySet<string> {
    const known = this.#found.get(model);
    if (known !== undefined) return known;
    const tables = new Set<string>();
    // Also the answer inside a circle, which a load has refused anyway.
    this.#found.set(model, tables);
    for (const parent of this.#snapshotOf(model)?.parents ?? []) {
      const version = this.#entries.get(parent)?.version;
      const kind = this.#snapshotOf(parent)?.kind;
      if (kind === undefined) continue;
      if (isWritten(kind)) {
        if (version !== undefined) tables.add(tableKey({ model: parent, version }));
      } else for (const key of this.below(parent)) tables.add(key);
    }
    return tables;
  }

  /** Keys of the tables whose rows these models show: their own, or those that a view or EMBEDDED model reaches. */
  read(models: readonly string[]): ReadonlySet<string> {
    return new Set(
      models.flatMap((model) => {
        const kind = this.#snapshotOf(model)?.kind;
        const version = this.#entries.get(model)?.version;
        if (kind === undefined) return [];
        if (!isWritten(kind)) return [...this.below(model)];
        return version === undefined ? [] : [tableKey({ model, version })];
      }),
    );
  }

  #snapshotOf(model: string): Snapshot | undefined {
    const entry = this.#entries.get(model);
    return entry && this.#snapshots.get(entry.fingerprint);
  }
}

/** Sets that grow together, by path halving. */
class DisjointSets {
  readonly #parent: Map<string, string>;

  constructor(names: Iterable<string>) {
    this.#parent = new Map([...names].map((name) => [name, name]));
  }

  find(name: string): string {
    let at = name;
    for (;;) {
      const up = this.#parent.get(at)!;
      if (up === at) return at;
      const above = this.#parent.get(up)!;
      this.#parent.set(at, above);
      at = above;
    }
  }

  join(one: string, other: string): void {
    this.#parent.set(this.find(other), this.find(one));
  }
}

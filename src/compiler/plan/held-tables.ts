import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { tablesRead } from './tables-read.ts';

/*
 * Who writes a table that several environments show. An environment writes only its own:
 *
 *   prod   a ──▶ b           what prod shows is prod's;
 *   dev    a ──▶ b'          b' is dev's, a is not: dev neither fills nor restates it
 *   more         b'          what prod does not show belongs to the one that has shown it the longest, and to the next when that one goes
 *
 * `--shared` lets others write it, too, where they would write the same rows: by the same text, from the same tables. A change
 * that does not reach a model leaves its table shared while the tables above it are no longer the same:
 *
 *   prod   a ──────▶ b        dev may show b, but must not write it: its a' may have a few days only,
 *   dev    a' ─ ─ ─ ▶ b       and prod's readers would lose the rest
 */

export type ShownEntries = Pick<Environment, 'name' | 'entries'>;

/** Tables that an environment shows and must not write, by `tableKey`, with the name of the environment that does. */
export function heldTables(
  environment: ShownEntries,
  environments: readonly ShownEntries[],
  snapshots: ReadonlyMap<string, Snapshot>,
  /** `isShared`: also tables of others, where the rows would be the same. */
  { isShared = false }: { readonly isShared?: boolean } = {},
): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  if (environment.name === 'prod') return held;
  const others = environments
    .filter(({ name }) => name !== environment.name)
    .map(({ name, entries }) => ({ name, tables: new Map(entries.map((entry) => [keyOf(entry), entry])) }));
  const makers = new Map<string, (model: string) => string>();
  const madeIn = (name: string, model: string): string => {
    const shown = name === environment.name ? environment : environments.find((each) => each.name === name)!;
    const maker = makers.get(name) ?? makerOf(shown.entries, snapshots);
    makers.set(name, maker);
    return maker(model);
  };
  for (const entry of environment.entries) {
    const snapshot = snapshots.get(entry.fingerprint);
    if (entry.version === undefined || snapshot === undefined || !isWritten(snapshot.kind)) continue;
    const key = keyOf(entry);
    const rivals = others.flatMap(({ name, tables }) => {
      const shown = tables.get(key);
      return shown === undefined ? [] : [{ name, since: shown.since ?? 0 }];
    });
    const owner = [...rivals, { name: environment.name, since: entry.since ?? 0 }].sort(rank)[0]!.name;
    if (owner === environment.name) continue;
    if (!isShared || madeIn(environment.name, entry.model) !== madeIn(owner, entry.model))
      held.set(key, owner);
  }
  return held;
}

/** prod first, then who has shown it the longest, then by name. */
function rank(
  one: { readonly name: string; readonly since: number },
  other: { readonly name: string; readonly since: number },
): number {
  if (one.name === 'prod' || other.name === 'prod') return one.name === 'prod' ? -1 : 1;
  if (one.since !== other.since) return one.since - other.since;
  return one.name < other.name ? -1 : 1;
}

/** What the rows of a model are made of, as one text: its own text and the tables and views it reads. */
function makerOf(
  entries: readonly EnvironmentEntry[],
  snapshots: ReadonlyMap<string, Snapshot>,
): (model: string) => string {
  const byName = new Map(
    entries.flatMap(({ model, fingerprint }) => {
      const snapshot = snapshots.get(fingerprint);
      return snapshot === undefined ? [] : [[model, snapshot] as const];
    }),
  );
  const read = tablesRead(byName, new Map(entries.map((entry) => [entry.model, entry])));
  return (model) => [byName.get(model)?.dataHash, ...read(model)].join('\n');
}

function keyOf({ model, version }: EnvironmentEntry): string {
  return version === undefined ? model : tableKey({ model, version });
}

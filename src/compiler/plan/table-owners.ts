import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { tablesRead } from './tables-read.ts';

/*
 * Who writes a table that several environments show. A change that does not reach a model leaves its table shared,
 * while the tables above it are no longer the same:
 *
 *   prod   a ──────▶ b        dev may show b, but must not write it: its a' may have a few days only,
 *   dev    a' ─ ─ ─ ▶ b       and prod's readers would lose the rest
 *
 * Such a table is its owner's: prod's when prod shows it, else that of the first environment by name. Others write it
 * only where they would write the same rows: by the same text, from the same tables.
 */

export type ShownEntries = Pick<Environment, 'name' | 'entries'>;

/** Tables that an environment shows and must not write, by `tableKey`, with the name of the environment that does. */
export function heldTables(
  environment: ShownEntries,
  environments: readonly ShownEntries[],
  snapshots: ReadonlyMap<string, Snapshot>,
  /** Every table that another environment shows: for writes that nobody else should see. */
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  if (environment.name === 'prod') return held;
  const own = makerOf(environment.entries, snapshots);
  const others = environments
    .filter(({ name }) => name !== environment.name)
    .sort((one, other) => rank(one.name, other.name))
    .map(({ name, entries }) => ({
      name,
      tables: new Map(entries.map((entry) => [keyOf(entry), entry])),
      made: makerOf(entries, snapshots),
    }));
  for (const entry of environment.entries) {
    const snapshot = snapshots.get(entry.fingerprint);
    if (entry.version === undefined || snapshot === undefined || !isWritten(snapshot.kind)) continue;
    const key = keyOf(entry);
    const first = others.find(({ tables }) => tables.has(key));
    if (first === undefined) continue;
    const isOwner = rank(environment.name, first.name) < 0;
    const isSame = own(entry.model) === first.made(entry.model);
    if (isStrict || (!isOwner && !isSame)) held.set(key, first.name);
  }
  return held;
}

/** prod first, then by name. */
function rank(one: string, other: string): number {
  if (one === 'prod' || other === 'prod') return one === other ? 0 : one === 'prod' ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
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

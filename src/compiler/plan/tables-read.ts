import type { EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';

/** Keys of the tables and views a model reads, through EMBEDDED ones; an external table by its name. */
export function tablesRead(
  byName: ReadonlyMap<string, Snapshot>,
  entries: ReadonlyMap<string, EnvironmentEntry>,
): (model: string) => readonly string[] {
  const found = new Map<string, readonly string[]>();
  const read = (model: string): readonly string[] => {
    const known = found.get(model);
    if (known !== undefined) return known;
    const keys = (byName.get(model)?.parents ?? []).flatMap((parent) => {
      const version = entries.get(parent)?.version;
      if (version !== undefined) return [tableKey({ model: parent, version })];
      return byName.get(parent)?.kind === 'embedded' ? [embedded(parent), ...read(parent)] : [parent];
    });
    found.set(model, keys);
    return keys;
  };
  // An inlined query is part of the reader's text.
  const embedded = (model: string): string => byName.get(model)!.dataHash;
  return read;
}

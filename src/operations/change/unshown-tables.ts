import { type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import { physicalRelation, relationText, type TableId, tableKey } from '../../domain/relation.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** All that the ledger has but the tables of these entries, with the names under which they lie. */
export async function unshownTables(
  { engine }: OpenedWorldReader,
  shown: readonly EnvironmentEntry[],
): Promise<readonly { readonly table: TableId; readonly object: 'table' | 'view'; readonly name: string }[]> {
  const known = new Set(shown.flatMap((entry) => tableOf(entry) ?? []).map(tableKey));
  const there = new Map(
    (await engine.relations([])).map(({ relation, object }) => [relationText(relation), object]),
  );
  return (await engine.ledger())
    .filter(({ table }) => !known.has(tableKey(table)))
    .map(({ table }) => {
      const name = relationText(physicalRelation(table, engine.capabilities.identifierMax));
      return { table, name, object: there.get(name) ?? 'table' };
    });
}

import { physicalRelation, relationText, type TableId } from '../../domain/relation.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Names of the tables among them that the warehouse has: a snapshot may have been applied without a table for development. */
export async function tablesThere(
  { engine }: OpenedWorldReader,
  tables: readonly TableId[],
): Promise<readonly string[]> {
  const there = new Set((await engine.relations([])).map(({ relation }) => relationText(relation)));
  return tables
    .map((table) => relationText(physicalRelation(table, engine.capabilities.identifierMax)))
    .filter((name) => there.has(name));
}

import type { AnswerColumn } from '../../domain/engine.ts';
import { type Environment, tableOf } from '../../domain/environment.ts';
import { physicalRelation, relationText, tableKey } from '../../domain/relation.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Columns as the warehouse has them, of every table an environment names that is there. */
export async function tableColumns(
  { engine }: OpenedWorldReader,
  { entries }: Environment,
): Promise<ReadonlyMap<string, readonly AnswerColumn[]>> {
  const tables = entries.flatMap((entry) => tableOf(entry) ?? []);
  const relationOf = new Map(
    tables.map((id) => [tableKey(id), physicalRelation(id, engine.capabilities.identifierMax)]),
  );
  const found = await engine.columnsOf([...relationOf.values()]);
  return new Map(
    [...relationOf].flatMap(([key, relation]) => {
      const columns = found.get(relationText(relation));
      return columns === undefined ? [] : [[key, columns] as const];
    }),
  );
}

import type { DqAssertion, DqPack } from '../../domain/dq-pack.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';

/** The model of a pack, and those that its rules compare it with. */
export function modelsOfPack({ model, rules }: DqPack): readonly string[] {
  return [model.value, ...rules.flatMap(({ assertion }) => comparedModels(assertion))];
}

function comparedModels(assertion: DqAssertion): readonly string[] {
  switch (assertion.kind) {
    case 'reference':
    case 'row-count-same':
      return [assertion.model.value];
    case 'for-each-column':
      return comparedModels(assertion.rule);
    case 'group-by':
      return assertion.rules.flatMap(comparedModels);
    default:
      return [];
  }
}

/** Tables that all rows under these packs are made of, in a fixed order; undefined when some may change without a write of Plinth. */
export function packSources(
  packs: readonly DqPack[],
  sourcesOf: (model: string) => readonly TableId[] | undefined,
): readonly TableId[] | undefined {
  const found = new Map<string, TableId>();
  for (const model of new Set(packs.flatMap(modelsOfPack))) {
    const sources = sourcesOf(model);
    if (sources === undefined) return undefined;
    for (const table of sources) found.set(tableKey(table), table);
  }
  return [...found.keys()].sort().map((key) => found.get(key) as TableId);
}

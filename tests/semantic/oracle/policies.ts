/* What a caller sees of a world: rows that are filtered out do not exist, masked members are something else everywhere. */
import { holdsOf } from './filters.ts';
import type { World, WorldModel, WorldPolicy } from './world.ts';

/** The world of a caller, in which no policies are left; models without access have no rows and are named in `denied`. */
export function seenBy(
  world: World,
  groups: readonly string[],
): { readonly world: World; readonly denied: readonly string[] } {
  const denied: string[] = [];
  const models = world.models.map((model): WorldModel => {
    const { policies = [], ...open } = model;
    if (policies.length === 0) return open;
    const own = policies.filter(({ group }) => group === '*' || groups.includes(group));
    if (own.length === 0) denied.push(model.name);
    return {
      ...open,
      rows: model.rows.filter((row) => own.some((policy) => passes(model, row, policy))),
      dimensions: model.dimensions.map((dimension) =>
        own.length > 0 && own.every(({ mask }) => mask.includes(dimension.name))
          ? { ...dimension, isMasked: true }
          : dimension,
      ),
    };
  });
  return { world: { ...world, models }, denied };
}

function passes(model: WorldModel, row: WorldModel['rows'][number], { filters }: WorldPolicy): boolean {
  return filters.every(({ member, value }) => {
    const column = model.columns.find(({ name }) => name === member);
    if (column === undefined) throw new Error(`a policy names ${member}`);
    const leaf = { kind: 'member', member, operator: 'equals', values: [value] } as const;
    return holdsOf(leaf, row[member] ?? null, column.type, { zone: 'UTC', now: 0 });
  });
}

/* What a caller sees of a world: rows that are filtered out do not exist, masked members are something else everywhere. */
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
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
        own.some(({ mask }) => mask.includes(dimension.name))
          ? { ...dimension, isMaskedIn: (row) => !isClear(model, row, own, dimension.name) }
          : dimension,
      ),
    };
  });
  return { world: { ...world, models }, denied };
}

/** One single policy must both let the row pass and leave the member as it is. */
function isClear(
  model: WorldModel,
  row: WorldModel['rows'][number] | undefined,
  own: readonly WorldPolicy[],
  name: string,
): boolean {
  const clearing = own.filter(({ mask }) => !mask.includes(name));
  // Where a policy without filters leaves it clear, it is so too where there is no row.
  if (clearing.some(({ filters }) => filters.length === 0)) return true;
  return row !== undefined && clearing.some((policy) => passes(model, row, policy));
}

/** Whether a question names a member that is masked in some rows and clear in others. */
export function hasMaskedRows(seen: World, query: SemanticQuery): boolean {
  return wordsOf(query).some((word) => {
    const [first, second] = word.split('.');
    const model = seen.models.find(({ name }) => name === first);
    const { isMaskedIn } = model?.dimensions.find(({ name }) => name === second) ?? {};
    return isMaskedIn !== undefined && new Set(model?.rows.map(isMaskedIn)).size === 2;
  });
}

/** Whether a question names one of the models, in whatever place. */
export function namesOne(world: World, query: SemanticQuery, names: readonly string[]): boolean {
  const roles = world.models.flatMap(({ joins }) => joins);
  return wordsOf(query).some((word) => {
    const [first = ''] = word.split('.');
    if (world.models.some(({ name }) => name === first)) return names.includes(first);
    return roles.some(({ name, model }) => name === first && names.includes(model));
  });
}

function wordsOf(query: SemanticQuery): readonly string[] {
  return [
    ...query.measures,
    ...query.dimensions,
    ...(query.segments ?? []),
    ...(query.filters ?? []).flatMap(membersIn),
    ...(query.timeDimensions ?? []).map(({ dimension }) => dimension),
    ...(query.order ?? []).map(({ member }) => member),
    ...(query.joinHints ?? []).flat(),
  ];
}

const membersIn = (filter: QueryFilter): readonly string[] =>
  filter.kind === 'member' ? [filter.member] : filter.filters.flatMap(membersIn);

function passes(model: WorldModel, row: WorldModel['rows'][number], { filters }: WorldPolicy): boolean {
  return filters.every(({ member, value }) => {
    const column = model.columns.find(({ name }) => name === member);
    if (column === undefined) throw new Error(`a policy names ${member}`);
    const leaf = { kind: 'member', member, operator: 'equals', values: [value] } as const;
    return holdsOf(leaf, row[member] ?? null, column.type, { zone: 'UTC', now: 0 });
  });
}

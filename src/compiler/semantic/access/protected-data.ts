/*
 * Which columns of which models a caller may not read as tables: a policy protects data, not a name.
 *
 *   policies over X itself          only they decide: unrestricted ─▶ X is open, else X is closed
 *   S denied or with a row filter   its model M, what feeds M and what derives from M are closed, and everywhere else each
 *                                   column that carries a column that flows into M
 *   S with masks                    M is closed, and each column that carries what a masked member is made of
 *
 * One decision for every door, made from applied snapshots; of two environments each has its say. It is worked out once for
 * all callers whose groups the policies do not distinguish.
 */
import type { Caller } from '../../../domain/semantic-query.ts';
import type { IndexedModel } from '../indexed-model.ts';
import { MemberReader } from '../member-reader.ts';
import { type Access, accessOf, isRestricted } from '../policies.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import type { ColumnFlow, ColumnsByModel } from './column-flow.ts';

/** Lower-case names of the columns of a model that must not be read; `all`: the model is closed. */
export type HiddenColumns = 'none' | 'all' | ReadonlySet<string>;

/** What the decision is made from. */
export interface Protection {
  readonly flow: ColumnFlow;
  /** The semantics of each environment whose policies hold; undefined: they cannot be read, so they close everything. */
  readonly indexes: readonly (SemanticIndex | undefined)[];
  /** Names of the generated models that keep rollups: policies know nothing of them. */
  readonly rollups: ReadonlySet<string>;
}

/** Whether a caller may read a model as a table, and which of its columns not. */
export function hiddenColumns(protection: Protection, caller: Caller, model: string): HiddenColumns {
  if (caller.isUnrestricted) return 'none';
  if (protection.rollups.has(model)) return 'all';
  if (caller.models?.has(model) === true) return 'none';
  let hidden: HiddenColumns = 'none';
  for (const index of protection.indexes)
    hidden = both(hidden, hiddenBy(protection, index, { caller, model }));
  return hidden;
}

/** What the policies of one environment hide. */
export function hiddenBy(
  { flow }: Pick<Protection, 'flow'>,
  index: SemanticIndex | undefined,
  { caller, model }: { readonly caller: Caller; readonly model: string },
): HiddenColumns {
  if (index === undefined) return 'all';
  const { own, reached } = reachOf(flow, index, caller);
  return own.get(model) ?? reached.get(model) ?? 'none';
}

/** Whether no policy restricts a caller anywhere, so that nothing is hidden from them but rollups. */
export function isOpenTo({ indexes }: Protection, caller: Caller): boolean {
  return indexes.every(
    (index) =>
      caller.isUnrestricted ||
      (index !== undefined &&
        [...index.models.values()].every((model) => !isRestricted(accessOf(model, caller)))),
  );
}

function both(one: HiddenColumns, other: HiddenColumns): HiddenColumns {
  if (one === 'all' || other === 'none') return one;
  if (other === 'all' || one === 'none') return other;
  return new Set([...one, ...other]);
}

/** How far the policies of an environment reach for callers of the same groups. */
interface Reach {
  /** By model: what policies over the model itself say. */
  readonly own: ReadonlyMap<string, 'none' | 'all'>;
  readonly reached: ColumnsByModel;
}

/** Callers see things in at most so many ways before the first ones are forgotten. */
const WAYS_MAX = 200;

interface Known {
  readonly groups: ReadonlySet<string>;
  readonly ways: Map<string, Reach>;
}

const known = new WeakMap<ColumnFlow, WeakMap<SemanticIndex, Known>>();

function reachOf(flow: ColumnFlow, index: SemanticIndex, caller: Caller): Reach {
  const indexes = known.get(flow) ?? new WeakMap<SemanticIndex, Known>();
  known.set(flow, indexes);
  const { groups, ways } = indexes.get(index) ?? { groups: groupsOf(index), ways: new Map<string, Reach>() };
  indexes.set(index, { groups, ways });
  const key = JSON.stringify([...new Set(caller.groups)].filter((group) => groups.has(group)).sort());
  let reach = ways.get(key);
  if (reach === undefined) {
    reach = readReach(flow, index, caller);
    ways.set(key, reach);
    const [oldest] = ways.keys();
    if (ways.size > WAYS_MAX && oldest !== undefined) ways.delete(oldest);
  }
  return reach;
}

const groupsOf = ({ models }: SemanticIndex): ReadonlySet<string> =>
  new Set(
    [...models.values()].flatMap(({ policySets }) => policySets.flat().map(({ group }) => group.value)),
  );

function readReach(flow: ColumnFlow, index: SemanticIndex, caller: Caller): Reach {
  const own = new Map<string, 'none' | 'all'>();
  const closed = new Set<string>();
  const masked = new Map<string, 'all' | Set<string>>();
  const masking = new Set<string>();
  const reader = new MemberReader(index, new Map());
  for (const model of index.models.values()) {
    if (model.policySets.length === 0) continue;
    const access = accessOf(model, caller);
    if (!isRestricted(access)) {
      own.set(model.model, own.get(model.model) ?? 'none');
      continue;
    }
    own.set(model.model, 'all');
    if (access.isDenied || access.rows !== undefined) closed.add(model.model);
    else {
      masking.add(model.model);
      maskedColumns(masked, model, { index, reader, access });
    }
  }
  const reached = new Map<string, 'all' | Set<string>>();
  const add = (columns: ColumnsByModel): void => {
    for (const [name, each] of columns) {
      const before = reached.get(name);
      if (each === 'all' || before === 'all') reached.set(name, 'all');
      else reached.set(name, new Set([...(before ?? []), ...each]));
    }
  };
  const whole = (names: Iterable<string>): ColumnsByModel => new Map([...names].map((name) => [name, 'all']));
  if (closed.size > 0) {
    add(flow.carriers(flow.origins(whole(closed), 'row')));
    add(whole([...closed, ...flow.above(...closed), ...flow.below(...closed)]));
  }
  if (masked.size > 0) add(flow.carriers(flow.origins(masked, 'value')));
  add(whole(masking));
  return { own, reached };
}

/** The columns that masked members are made of, of whatever model. */
function maskedColumns(
  into: Map<string, 'all' | Set<string>>,
  model: IndexedModel,
  {
    index,
    reader,
    access,
  }: { readonly index: SemanticIndex; readonly reader: MemberReader; readonly access: Access },
): void {
  const add = (name: string, column: string): void => {
    const before = into.get(name);
    if (before === 'all') return;
    if (before === undefined) into.set(name, new Set([column.toLowerCase()]));
    else before.add(column.toLowerCase());
  };
  for (const name of access.masks.keys()) {
    if (model.columns.has(name)) add(model.model, name);
    const { slots, problem } = reader.dimension(model, name);
    if (problem !== undefined) into.set(model.model, 'all');
    for (const { path, column } of slots.values())
      add(index.models.get(path.at(-1)?.to ?? '')?.model ?? model.model, column);
  }
}

const NAMED_MAX = 3;

/** Semantic models that a caller may ask where a model is closed: those over it, and those whose policies reach it. */
export function semanticModelsInstead(
  { flow }: Pick<Protection, 'flow'>,
  index: SemanticIndex | undefined,
  { caller, model }: { readonly caller: Caller; readonly model: string },
): readonly string[] {
  if (index === undefined) return [];
  const above = flow.above(model);
  const below = flow.below(model);
  const isNear = (other: string): boolean =>
    other === model ||
    above.has(other) ||
    below.has(other) ||
    [...flow.above(other)].some((each) => above.has(each));
  const found = [...index.models.values()].filter((each) => {
    const access = accessOf(each, caller);
    if (access.isDenied) return false;
    return each.model === model || (isRestricted(access) && isNear(each.model));
  });
  const nearest = found.filter((each) => each.model === model);
  return (nearest.length > 0 ? nearest : found)
    .map(({ name }) => name)
    .sort()
    .slice(0, NAMED_MAX);
}

/*
 * The names of one SELECT bound to members, and its conditions told apart:
 *
 *   WHERE weekend AND SUM(x) > 2 AND day >= '2025-01-01' ─▶ conditions [weekend] · after [SUM(x) > 2] · filters [day]
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { QueryFilter } from '../../../domain/semantic-query.ts';
import { conjunctsOf } from '../../../foundation/sql/conjuncts-of.ts';
import type { Expression, OrderItem, Query, Select } from '../../../foundation/sql/tree.ts';
import { type SqlNode, walk } from '../../../foundation/sql/walk.ts';
import type { Visibility } from '../access/visibility.ts';
import type { CompileOptions } from '../compiled-query.ts';
import type { ResolvedMember } from '../member-lookup.ts';
import type { MemberReader } from '../member-reader.ts';
import type { NamedModel, PathChoice } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { column } from '../tree-nodes.ts';
import { BlockNames, isGroupName, isRowName } from './block-names.ts';
import { dateFilter } from './date-filter.ts';
import { GroupKeys, type SortOf } from './group-keys.ts';
import { type Problems, positionOf } from './problems.ts';
import { readSources, type SemanticTable } from './read-sources.ts';
import { isNaturalCall, type ListItem, readList } from './select-list.ts';
import { type Alias, isGroupValueName, TreeBinder } from './tree-binder.ts';
import { factsOf } from './tree-facts.ts';
import { reachingModel } from './written-aggregate.ts';

/** What blocks of one statement share. */
export interface BlockPlace {
  readonly index: SemanticIndex;
  readonly reader: MemberReader;
  readonly visibility: Visibility;
  readonly options: CompileOptions;
  readonly problems: Problems;
  readonly notes: Set<string>;
  readonly reads: Set<string>;
  readonly semantics: Set<string>;
  readonly members: Set<string>;
  readonly explanation: string[];
  /** Puts a sub-query before the block and gives its name. */
  readonly hoist: (query: Query) => string;
}

/** Trees still name members; what groups and measures they need is known. */
export interface BoundBlock {
  readonly sources: readonly SemanticTable[];
  readonly models: readonly NamedModel[];
  readonly chosen: NonNullable<PathChoice['chosen']>;
  readonly names: BlockNames;
  readonly binder: TreeBinder;
  readonly keys: GroupKeys;
  readonly list: readonly ListItem[];
  /** One for each of `list`. */
  readonly bound: readonly Expression[];
  /** Of the rows, before they are grouped. */
  readonly conditions: readonly ResolvedMember[];
  readonly filters: readonly QueryFilter[];
  /** Of the groups. */
  readonly after: readonly Expression[];
  readonly outer: Select;
  readonly order: readonly Ordered[] | 'ALL';
}

/** Undefined when a problem was reported. */
export function bindBlock(
  written: Select,
  orderBy: Query['orderBy'],
  place: BlockPlace,
): BoundBlock | undefined {
  const { index, reader, problems, notes } = place;
  const before = problems.count;
  const { list: sources, chosen } = readSources(written, place);
  if (problems.count > before || sources.length === 0) return undefined;
  const names = new BlockNames(sources, place);
  const models = sources.flatMap((source) => (source.kind === 'model' ? [source.named] : []));
  const binder = new TreeBinder({
    names,
    problems,
    notes,
    hoist: place.hoist,
    countedTable:
      models.length === sources.length
        ? reachingModel(index, models, { hints: [], chosen })?.word
        : undefined,
    isNatural: (word, call) => isNaturalCall(index, word, call),
  });
  const list = readList(written, { names, reader, problems, notes });
  const bound = list.map(({ expression }) => binder.bind(expression));
  const aliases = aliasesOf(list, bound);
  const keys = new GroupKeys({ names, problems, sortOf });
  const where = conjunctsOf(written.where).map((each) =>
    binder.bind(each, { aliases, noAggregates: 'WHERE' }),
  );
  keys.read(written.groupBy, bound, (expression) =>
    binder.bind(expression, { aliases, noAggregates: 'GROUP BY' }),
  );
  const parted = partedConditions(where, names, keys);
  const having = written.having === undefined ? [] : [binder.bind(written.having, { aliases })];
  const after = [...parted.after, ...having];
  refuseWindows([...where, ...after], problems);
  const outer = binder.bind(outerOf(written));
  const order = orderOf(orderBy, list, (tree) => binder.bind(tree, { aliases }));
  if (problems.count > before) return undefined;
  return { sources, models, chosen, names, binder, keys, list, bound, ...parted, after, outer, order };
}

const sortOf: SortOf = (node) =>
  isRowName(node)
    ? 'rows'
    : isGroupName(node) || isGroupValueName(node) || isWindow(node)
      ? 'groups'
      : undefined;

function aliasesOf(list: readonly ListItem[], bound: readonly Expression[]): ReadonlyMap<string, Alias> {
  const aliases = new Map<string, Alias>();
  bound.forEach((tree, i) => {
    const item = list[i] as ListItem;
    const size = factsOf(tree, sortOf).get(tree)?.size ?? 1;
    if (item.isNamed) aliases.set(item.name.toLowerCase(), { tree, size });
  });
  return aliases;
}

function partedConditions(
  where: readonly Expression[],
  names: BlockNames,
  keys: GroupKeys,
): Pick<BoundBlock, 'conditions' | 'filters' | 'after'> {
  const conditions: ResolvedMember[] = [];
  const filters: QueryFilter[] = [];
  const after: Expression[] = [];
  for (const condition of where) {
    const dates = dateFilter(condition, names);
    if (holds(condition, (node) => sortOf(node) === 'groups')) after.push(condition);
    else if (dates !== undefined) filters.push(dates);
    else conditions.push(keys.memberOf(condition, 'condition'));
  }
  return { conditions, filters, after };
}

function refuseWindows(conditions: readonly Expression[], problems: Problems): void {
  const windowed = conditions.find((condition) => holds(condition, isWindow));
  if (windowed !== undefined)
    problems.add(() =>
      diagnostic(
        'semantic.sql-unsupported',
        { what: 'windows in WHERE or HAVING' },
        { at: positionOf(windowed.span), hint: 'use QUALIFY' },
      ),
    );
}

/** Whether some node of a tree is such. */
function holds(tree: Expression, isSuch: (node: SqlNode) => boolean): boolean {
  let isFound = false;
  walk(tree, (node) => {
    isFound ||= isSuch(node);
    return !isFound;
  });
  return isFound;
}

function isWindow(node: { readonly kind: string }): boolean {
  return node.kind === 'call' && 'over' in node && node.over !== undefined;
}

/** The SELECT without what the core answers: DISTINCT, QUALIFY and windows are left. */
function outerOf({ where: _, groupBy: __, having: ___, ...rest }: Select): Select {
  return { ...rest, projections: [], from: [] };
}

export interface Ordered {
  readonly item: OrderItem;
  /** A column of the SELECT list, by number or name. */
  readonly isOutput: boolean;
}

function orderOf(
  orderBy: Query['orderBy'],
  list: readonly ListItem[],
  bind: (tree: Expression) => Expression,
): readonly Ordered[] | 'ALL' {
  if (orderBy === 'ALL') return orderBy;
  const outputs = new Map(list.map((item) => [item.name.toLowerCase(), item]));
  return orderBy.map((item) => {
    const { expression } = item;
    if (expression.kind === 'literal') return { item, isOutput: true };
    const output =
      expression.kind === 'column' && expression.qualifiers.length === 0
        ? outputs.get(expression.name.name.toLowerCase())
        : undefined;
    return output === undefined
      ? { item: { ...item, expression: bind(expression) }, isOutput: false }
      : { item: { ...item, expression: column(undefined, output.name) }, isOutput: true };
  });
}

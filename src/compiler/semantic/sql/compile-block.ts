/*
 * One SELECT over semantic tables:
 *
 *   SELECT status, SUM(revenue) / COUNT(*) AS aov, rank() OVER (…) FROM orders WHERE weekend GROUP BY 1 HAVING …
 *     ── bind, fold ──▶ keys [status] · measures [revenue, count] · conditions [weekend] · having
 *     ── core ────────▶ SELECT status, SUM(amount) AS revenue, COUNT(*) AS count FROM … WHERE … GROUP BY 1 HAVING …
 *     ── around ──────▶ SELECT status, revenue / count AS aov, rank() OVER (…) FROM (that) AS orders
 */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { QueryFilter } from '../../../domain/semantic-query.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression, OrderItem, Query, Select } from '../../../foundation/sql/tree.ts';
import { rewrite, type SqlNode, walk } from '../../../foundation/sql/walk.ts';
import type { Visibility } from '../access/visibility.ts';
import { resolveQuestion } from '../compile-query.ts';
import type { CompileOptions } from '../compiled-query.ts';
import { explainQuery } from '../explain-query.ts';
import type { WrittenAggregate } from '../extra-terms.ts';
import { lowerQuery } from '../lower-query.ts';
import type { ResolvedMember } from '../member-lookup.ts';
import type { MemberReader } from '../member-reader.ts';
import type { WayChoice } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { column } from '../tree-nodes.ts';
import { BlockNames, isGroupName, isRowName } from './block-names.ts';
import { blockTree } from './block-tree.ts';
import type { CompiledBlock } from './compiled-block.ts';
import { dateFilter } from './date-filter.ts';
import { GroupKeys } from './group-keys.ts';
import { type Problems, positionOf } from './problems.ts';
import { readSources } from './read-sources.ts';
import { isNaturalCall, type ListItem, readList } from './select-list.ts';
import { type Alias, isMadeName, TreeBinder } from './tree-binder.ts';
import { conjunctsOf, factsOf } from './tree-facts.ts';
import { reachingModel, writtenAggregate } from './written-aggregate.ts';

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

const MEASURES_MAX = 500;

/** Undefined when a problem was reported. */
export function compileBlock(
  written: Select,
  orderBy: Query['orderBy'],
  place: BlockPlace,
): CompiledBlock | undefined {
  const { index, reader, problems, notes } = place;
  const before = problems.count;
  const { list: sources, chosen } = readSources(written, place);
  if (problems.count > before || sources.length === 0) return undefined;
  const names = new BlockNames(sources, place);
  const models = sources.flatMap((source) => (source.kind === 'model' ? [source.named] : []));
  const choice: WayChoice = { hints: [], chosen };
  const counted = models.length === sources.length ? reachingModel(index, models, choice)?.word : undefined;
  const binder = new TreeBinder({
    names,
    problems,
    notes,
    hoist: place.hoist,
    countedTable: counted,
    isNatural: (word, call) => isNaturalCall(index, word, call),
  });
  const list = readList(written, { names, reader, problems, notes });
  const bound = list.map(({ expression }) => binder.bind(expression));
  const sortOf = (node: { readonly kind: string }) =>
    isRowName(node) ? 'rows' : isGroupName(node) || isMadeName(node) || isWindow(node) ? 'groups' : undefined;
  const aliases = new Map<string, Alias>();
  bound.forEach((tree, i) => {
    const item = list[i] as ListItem;
    const size = factsOf(tree, sortOf).get(tree)?.size ?? 1;
    if (item.isNamed) aliases.set(item.name.toLowerCase(), { tree, size });
  });
  const keys = new GroupKeys({ names, problems, sortOf });
  const where = conjunctsOf(written.where).map((each) =>
    binder.bind(each, { aliases, noAggregates: 'WHERE' }),
  );
  const groupItem = (expression: Expression): Expression =>
    binder.bind(expression, { aliases, noAggregates: 'GROUP BY' });
  keys.read(written.groupBy, bound, groupItem);
  const conditions: ResolvedMember[] = [];
  const filters: QueryFilter[] = [];
  const after: Expression[] = [];
  for (const condition of where) {
    const dates = dateFilter(condition, names);
    if (holds(condition, (node) => sortOf(node) === 'groups')) after.push(condition);
    else if (dates !== undefined) filters.push(dates);
    else conditions.push(keys.memberOf(condition, 'condition'));
  }
  if (written.having !== undefined) after.push(binder.bind(written.having, { aliases }));
  const windowed = [...where, ...after].find((condition) => holds(condition, isWindow));
  if (windowed !== undefined)
    problems.add(() =>
      diagnostic(
        'semantic.sql-unsupported',
        { what: 'windows in WHERE or HAVING' },
        { at: positionOf(windowed.span), hint: 'use QUALIFY' },
      ),
    );
  const outer = binder.bind(outerOf(written));
  const order = orderOf(orderBy, list, (tree) => binder.bind(tree, { aliases }));
  if (problems.count > before) return undefined;

  // Everything that is shown, in terms of keys and measures.
  const settle = <Tree extends Expression | Select>(tree: Tree): Tree =>
    rewrite(keys.match(tree), (node) => (isGroupName(node) ? binder.bare(node) : node));
  const shown = bound.map(settle);
  const having = after.map(settle);
  const frame = settle(outer);
  const ordered =
    order === 'ALL'
      ? order
      : order.map((item) =>
          item.isOutput ? item.item : { ...item.item, expression: settle(item.item.expression) },
        );
  for (const tree of [
    ...shown,
    ...having,
    frame,
    ...(ordered === 'ALL' ? [] : ordered.map(({ expression }) => expression)),
  ])
    keys.checkGrouped(tree);
  if (binder.made.size > MEASURES_MAX)
    problems.add(() =>
      diagnostic(
        'semantic.sql-unsupported',
        { what: `more than ${MEASURES_MAX} measures and aggregates` },
        { at: positionOf(written.span) },
      ),
    );
  if (problems.count > before) return undefined;
  const aggregates: (WrittenAggregate & { readonly placeholder: string })[] = [];
  const measures: { readonly word: string; readonly placeholder: string }[] = [];
  for (const [placeholder, made] of binder.made) {
    if (made.kind === 'measure') {
      measures.push({ word: made.word, placeholder });
      continue;
    }
    const aggregate = writtenAggregate(made.call, { index, reader, names, choice });
    if ('code' in aggregate) problems.add(() => aggregate);
    else aggregates.push({ ...aggregate, id: placeholder, placeholder });
  }
  if (problems.count > before) return undefined;
  const resolved = resolveQuestion(
    index,
    { measures: measures.map(({ word }) => word), dimensions: [], filters },
    {
      ...place.options,
      isUnlimited: true,
      extra: {
        keys: keys.list.map(({ member: asked }) => asked),
        conditions,
        aggregates,
        tables: models,
        chosen,
      },
    },
  );
  if (!resolved.ok) {
    for (const problem of resolved.diagnostics) problems.add(() => placed(problem, written, names));
    return undefined;
  }
  const { logical, tables } = resolved;
  const placeholders = [
    ...keys.list.map(({ placeholder }) => placeholder),
    ...measures.map(({ placeholder }) => placeholder),
    ...aggregates.map(({ placeholder }) => placeholder),
  ];
  for (const note of resolved.notes) notes.add(note);
  const made = blockTree({
    written: frame,
    alias: sources[0]?.alias ?? 'answer',
    list: list.map(({ name }, i) => ({ name, expression: shown[i] as Expression })),
    having,
    orderBy: ordered,
    logical,
    placeholders,
    lower: (question, aliasNames) => lowerQuery(question, tables, aliasNames),
  });
  for (const model of resolved.reads) place.reads.add(model);
  for (const name of resolved.semantics) place.semantics.add(name);
  for (const name of resolved.members) place.members.add(name);
  place.explanation.push(...explainQuery({ ...logical, order: [] }));
  return made;
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

interface Ordered {
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

/** What the core says, at the first member it speaks of, or at the SELECT. */
function placed(problem: Diagnostic, { span, from }: Select, names: BlockNames): Diagnostic {
  if (problem.at !== undefined) return problem;
  const named = names.placeIn(problem.message);
  const last = from.at(-1)?.span ?? span;
  return { ...problem, at: positionOf(named ?? { start: from[0]?.span.start ?? span.start, end: last.end }) };
}

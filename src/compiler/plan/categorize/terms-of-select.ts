/**
 * The relation of one SELECT. Each clause makes rows of the rows before it:
 *
 *   FROM ─▶ WHERE ─▶ GROUP BY ─▶ HAVING ─▶ windows, QUALIFY ─▶ unnest() ─▶ DISTINCT          (ORDER BY and LIMIT: query-relation)
 *
 * What the select list computes stays out of the rows unless a clause looks at it. That is why adding a column is
 * usually no change to the others, and why it is one under DISTINCT, GROUP BY ALL or a position that moved.
 */
import { outputName } from '../../../foundation/sql/resolve/output-name.ts';
import type { Expression, GroupItem, OrderItem, Select } from '../../../foundation/sql/tree.ts';
import type { orderOf } from './call-value.ts';
import { conditionsOf } from './expression-value.ts';
import { fromRows, sealed } from './from-rows.ts';
import { checkEquality } from './loose-equality.ts';
import { folded } from './query-change.ts';
import { hasAggregate, type Selected, selectList } from './select-list.ts';
import type {
  AliasUse,
  ClauseTerms,
  ColumnTerm,
  CommonTables,
  TableTerms,
  TermScope,
  TermSession,
} from './table-terms.ts';
import { newTermScope } from './table-terms.ts';
import type { Term, TermPart } from './terms.ts';
import { Unsure } from './unsure.ts';

/** A select's relation, and how the ORDER BY of its query is read in it. */
export interface SelectTerms extends TableTerms {
  readonly ordered: (items: readonly OrderItem[]) => ReturnType<typeof orderOf>;
}

/** `order` is that of the query around, which DISTINCT ON chooses by and which may hold an aggregate. */
export function termsOfSelect(
  session: TermSession,
  select: Select,
  place: {
    readonly parent: TermScope | undefined;
    readonly tables: CommonTables | undefined;
    readonly order: readonly OrderItem[] | 'ALL';
  },
): SelectTerms {
  const { terms } = session;
  if (select.asKind !== undefined) throw new Unsure(`SELECT AS ${select.asKind} is not compared`);
  if (select.sample !== undefined) throw new Unsure('USING SAMPLE takes other rows each time');
  const scope = newTermScope(place.parent, place.tables);
  const from = fromRows(session, scope, select.from);
  const list = selectList(session, scope, select);
  const order = place.order === 'ALL' ? [] : place.order;

  const plain: ClauseTerms = { scope };
  const where = within(session, list, plain, 'after-columns', () =>
    conditionsOf(session, plain, select.where),
  );
  const filtered = terms.filter(sealed(session, { ...from, conditions: [] }), [...from.conditions, ...where]);

  const isGrouped =
    select.groupBy !== undefined ||
    select.having !== undefined ||
    [...list.map((item) => item.expression), select.qualify, ...order.map((item) => item.expression)].some((each) => hasAggregate(session, each)); // biome-ignore format: one question
  scope.groupText = groupText(select);
  const grouping = isGrouped ? groupOf(session, select, { scope, list, filtered }) : undefined;
  const groupClause: ClauseTerms =
    grouping === undefined ? plain : { scope, aggregateOver: filtered, groupKeys: new Set(grouping.keys) };
  const grouped = grouping === undefined ? filtered : grouping.rows;
  const having = within(session, list, groupClause, 'rival', () =>
    conditionsOf(session, groupClause, select.having),
  );
  const kept = terms.filter(grouped, having);

  const windows = new Map(select.windows.map((window) => [folded(window.name.name), window.spec]));
  const after: ClauseTerms = { ...groupClause, windowOver: kept, windows };
  const expanded: Term[] = [];
  const full: ClauseTerms = { ...after, expanded };
  const columns = list.map((item, at): ColumnTerm => {
    const value = within(session, list.slice(0, at), full, 'earlier', () => item.compute(full));
    // A grouping set makes some keys NULL after they were computed: nothing can be computed from them again.
    return {
      name: item.name,
      value:
        grouping !== undefined && terms.op(grouped) === 'group sets'
          ? terms.make('of sets', grouped, value)
          : value,
    };
  });
  const qualify = within(session, list, after, 'rival', () => conditionsOf(session, after, select.qualify));
  if (expanded.length > 0 && (isGrouped || select.qualify !== undefined))
    throw new Unsure('unnest() in a select list beside GROUP BY or QUALIFY is not followed');
  const qualified = terms.filter(kept, qualify);
  const made = expanded.length === 0 ? qualified : terms.make('expanded', qualified, ...new Set(expanded));

  const ordered: SelectTerms['ordered'] = (items) =>
    orderedBy(session, { list, columns, clause: after }, items);
  const arriving = scope.arrivals.length === 0 ? {} : { arrival: terms.make('arrivals', ...scope.arrivals) };
  const own = { rows: made, columns, ordered, order: place.order, list, clause: full, ...arriving };
  return { ...distinct(session, select, own), ...arriving, ordered };
}

/** Runs a part of the proof while names of the select list are visible in the way of its clause. */
function within<Result>(
  session: TermSession,
  list: readonly Selected[],
  clause: ClauseTerms,
  use: AliasUse,
  work: () => Result,
): Result {
  const { scope } = clause;
  const { alias, aliasUse } = scope;
  scope.aliasUse = session.dialect === 'clickhouse' ? 'rival' : use;
  scope.alias = (name) => {
    const at = list.findIndex((item) => item.hasAlias && item.name === name);
    if (at < 0) return undefined;
    return aliased(session, clause, list[at] as Selected, list.slice(0, at));
  };
  const result = work();
  scope.alias = alias;
  scope.aliasUse = aliasUse;
  return result;
}

interface AliasValues {
  readonly known: Map<Selected, Term>;
  steps: number;
}

const aliasValues = new WeakMap<ClauseTerms, AliasValues>();
const ALIAS_STEPS_MAX = 5_000;

/** An alias is its expression written again: computed once, unless the engine may choose differently each time it is written. */
function aliased(
  session: TermSession,
  clause: ClauseTerms,
  item: Selected,
  before: readonly Selected[],
): Term {
  const values = aliasValues.get(clause) ?? { known: new Map<Selected, Term>(), steps: 0 };
  aliasValues.set(clause, values);
  const known = values.known.get(item);
  if (known !== undefined) return known;
  if (++values.steps > ALIAS_STEPS_MAX) throw new Unsure('too many selected values are made of each other');
  const value = within(session, before, clause, 'earlier', () => item.compute(clause));
  if (!session.terms.some(value, (term) => session.terms.op(term) === 'chosen'))
    values.known.set(item, value);
  return value;
}

/** The names that GROUP BY says, which HAVING then means by them. */
function groupText({ groupBy }: Select): string {
  if (groupBy === undefined) return '';
  if (groupBy.isAll) return 'ALL';
  const text = (item: GroupItem): string => {
    if (item.kind !== 'expression') return item.items.map(text).join();
    const { expression } = item;
    return folded(expression.kind === 'column' ? expression.name.name : outputName(expression));
  };
  return groupBy.items.map(text).sort().join();
}

interface Grouping {
  readonly rows: Term;
  readonly keys: readonly Term[];
}

function groupOf(
  session: TermSession,
  select: Select,
  {
    scope,
    list,
    filtered,
  }: { readonly scope: TermScope; readonly list: readonly Selected[]; readonly filtered: Term },
): Grouping {
  const { terms, dialect } = session;
  checkEquality(session, []);
  const items = select.groupBy?.items ?? [];
  if (select.groupBy?.isAll === true) return groupAll(session, { scope, list, filtered });
  const clause: ClauseTerms = { scope };
  const key = (expression: Expression): Term => {
    const value = keyValue(expression);
    checkEquality(session, [value]);
    return value;
  };
  const keyValue = (expression: Expression): Term => {
    const position = positionOf(expression);
    // DuckDB prefers columns to aliases here; elsewhere it may be the other way round.
    const use = dialect === 'duckdb' ? 'after-columns' : 'rival';
    if (position === undefined)
      return within(session, list, clause, use, () => session.value(session, clause, expression));
    const item = itemAt(list, position);
    return within(session, list.slice(0, position - 1), clause, 'earlier', () => item.compute(clause));
  };
  if (items.every((item) => item.kind === 'expression')) {
    const keys = items.map((item) => key((item as Extract<GroupItem, { kind: 'expression' }>).expression));
    return { rows: terms.make('group', filtered, terms.make('set', ...keys)), keys };
  }
  const sets = (item: GroupItem): TermPart[] =>
    item.kind === 'expression' ? [key(item.expression)] : [item.kind, '(', ...item.items.flatMap(sets), ')'];
  return { rows: terms.make('group sets', filtered, ...items.flatMap(sets)), keys: [] };
}

/** GROUP BY ALL: every column of the select list that folds nothing is a key. */
function groupAll(
  session: TermSession,
  {
    scope,
    list,
    filtered,
  }: { readonly scope: TermScope; readonly list: readonly Selected[]; readonly filtered: Term },
): Grouping {
  const { terms } = session;
  const clause: ClauseTerms = { scope, aggregateOver: filtered };
  const keys = list
    .map((item, at) => within(session, list.slice(0, at), clause, 'earlier', () => item.compute(clause)))
    .filter(
      (value) => !terms.some(value, (at) => terms.op(at) === 'aggregate' && terms.parts(at)[0] === filtered),
    );
  checkEquality(session, keys);
  // DuckDB makes no key of what looks at no column of FROM: over no rows there is one group then.
  const nothing = new Set<Term>();
  const varying = keys.filter((value) => !terms.isDetermined(value, nothing));
  const isOfRow = (value: Term): boolean =>
    !terms.some(value, (at) => ['outer', 'chosen', 'subquery'].includes(terms.op(at)));
  if (!varying.every(isOfRow) || (varying.length === 0 && keys.length > 0))
    throw new Unsure('GROUP BY ALL is over values that may be no keys');
  return { rows: terms.make('group', filtered, terms.make('set', ...keys)), keys };
}

/** `GROUP BY 2`: a number by itself is a place in the select list. */
export function positionOf(expression: Expression): number | undefined {
  if (expression.kind !== 'literal' || expression.type !== 'number' || !/^\d+$/.test(expression.text))
    return undefined;
  return Number(expression.text);
}

/** What stands at a position, which stars of unknown length before it hide. */
export function itemAt<Item extends { readonly name: string | undefined }>(
  list: readonly Item[],
  position: number,
): Item {
  const item = list[position - 1];
  if (item === undefined) throw new Unsure(`there is no column ${position} in the select list`);
  if (list.slice(0, position).some((each) => each.name === undefined))
    throw new Unsure(`it is not known which column is number ${position}`);
  return item;
}

interface Ordering {
  readonly list: readonly Selected[];
  readonly columns: readonly ColumnTerm[];
  readonly clause: ClauseTerms;
}

/** ORDER BY names columns of the select list by position or name, before those of FROM. */
function orderedBy(
  session: TermSession,
  { list, columns, clause }: Ordering,
  items: readonly OrderItem[],
): ReturnType<typeof orderOf> {
  const found = items.map((item): Term => {
    const position = positionOf(item.expression);
    if (position !== undefined) return itemAt(columns, position).value;
    const { expression } = item;
    const own =
      expression.kind === 'column' && expression.qualifiers.length === 0
        ? columns.filter((column) => column.name === folded(expression.name.name))
        : [];
    const [selected] = own;
    if (own.length !== 1 || selected === undefined)
      return within(session, list, clause, 'rival', () => session.value(session, clause, expression));
    // DuckDB always means the selected column; elsewhere, where FROM has another of that name, either may be meant.
    const rival =
      session.dialect === 'duckdb' ? undefined : attempt(() => session.value(session, clause, expression));
    return rival === undefined || rival === selected.value
      ? selected.value
      : session.terms.make(
          'chosen by GROUP BY',
          session.terms.make('either', selected.value, rival),
          clause.scope.groupText,
        );
  });
  const parts = items.flatMap((item, at) => [
    found[at] as Term,
    item.direction === 'DESC' ? 'DESC' : '',
    item.nulls ?? '',
  ]);
  return { values: found, parts };
}

/** Undefined where the name is nothing, or more than one thing, outside the select list. */
function attempt(find: () => Term): Term | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

interface Distinguished extends TableTerms {
  readonly ordered: SelectTerms['ordered'];
  readonly order: readonly OrderItem[] | 'ALL';
  readonly list: readonly Selected[];
  readonly clause: ClauseTerms;
}

/** DISTINCT compares all columns, so all of them make the rows. DISTINCT ON keeps the first row by the order: only what that order settles is sure. */
function distinct(session: TermSession, select: Select, made: Distinguished): TableTerms {
  const { terms } = session;
  const { rows, columns, order } = made;
  if (select.distinct === 'none') return { rows, columns };
  if (select.distinct === 'all') {
    checkEquality(
      session,
      columns.map((column) => column.value),
    );
    return {
      rows: terms.make('distinct', rows, terms.make('set', ...columns.map((column) => column.value))),
      columns,
    };
  }
  if (order === 'ALL') throw new Unsure('DISTINCT ON with ORDER BY ALL is not compared');
  const on = made.ordered(select.distinct.map((expression) => ({ expression }))).values;
  const by = made.ordered(order);
  checkEquality(session, [...on, ...by.values]);
  const settled = new Set([...on, ...by.values]);
  const key = terms.uniqueKeys(rows);
  const isTotal = key?.every((value) => terms.isDetermined(value, settled)) === true;
  return {
    rows: terms.make('distinct on', rows, terms.make('set', ...on), ...by.parts),
    columns: chosenColumns(
      session,
      made,
      (value) => isTotal || terms.isDetermined(value, settled),
      'DISTINCT ON chooses among rows that its ORDER BY leaves equal',
    ),
  };
}

/** Columns of rows that were chosen by an order: what the order does not settle is the engine's choice. */
export function chosenColumns(
  session: TermSession,
  { columns, arrival }: Omit<TableTerms, 'rows'>,
  isSettled: (value: Term) => boolean,
  reason: string,
): readonly ColumnTerm[] {
  let choice: Term | undefined;
  return columns.map((column) => {
    if (isSettled(column.value)) return column;
    choice ??= session.chosen(reason, ...(arrival === undefined ? [] : [arrival]));
    return { name: column.name, value: session.terms.make('chosen by', choice, column.value) };
  });
}

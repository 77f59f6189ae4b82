/** The relation of a query: WITH, set operations, and what ORDER BY and LIMIT leave. */
import type { CommonTable, Query, QueryBody, SetOperation, With } from '../../../foundation/sql/tree.ts';
import { walk } from '../../../foundation/sql/walk.ts';
import { everyColumn } from './lookup.ts';
import { checkEquality, isLooselyEqual } from './loose-equality.ts';
import { folded } from './query-change.ts';
import type { ColumnTerm, CommonTables, TableTerms, TermScope, TermSession } from './table-terms.ts';
import { newTermScope } from './table-terms.ts';
import type { Term, TermPart } from './terms.ts';
import { chosenColumns, itemAt, positionOf, type SelectTerms, termsOfSelect } from './terms-of-select.ts';
import { distinctNames, pivoted, renamedColumns, termsOfValues } from './terms-of-source.ts';
import { Unsure } from './unsure.ts';

const QUERY_DEPTH = 4;
/** Longer lists are evaluated in their order instead of from the last one down, which would be as deep as the list is long. */
const LAZY_MAX = 60;

interface Place {
  readonly parent: TermScope | undefined;
  readonly tables: CommonTables | undefined;
}

/** `parent` is the scope that a correlated query may refer to. */
export function termsOfQuery(
  session: TermSession,
  query: Query,
  parent: TermScope | undefined,
  outer: CommonTables | undefined,
): TableTerms {
  session.depth += QUERY_DEPTH;
  const tables = query.with === undefined ? outer : commonTables(session, query.with, outer);
  const body = bodyRelation(session, query.body, { parent, tables }, query);
  const relation = limited(session, query, body, { parent, tables });
  session.depth -= QUERY_DEPTH;
  return relation;
}

/** A common table is what its query is: its name, its place in the list and whether it is used do not matter. */
function commonTables(session: TermSession, list: With, outer: CommonTables | undefined): CommonTables {
  const known = new Map<string, () => TableTerms>();
  const find = (visible: ReadonlyMap<string, () => TableTerms>) => (name: string) =>
    visible.get(name) ?? outer?.find(name);
  const isLong = list.tables.length > LAZY_MAX;
  for (const table of list.tables) {
    const before = new Map(known);
    const tables: CommonTables = {
      find: list.recursive ? withoutLater(list, before, find(before)) : find(before),
    };
    let done: TableTerms | undefined;
    let failure: unknown;
    const evaluate = (): TableTerms => {
      if (failure !== undefined) throw failure;
      done ??= list.recursive
        ? recursiveTable(session, table, tables)
        : named(session, table, session.termsOf(session, table.query, undefined, tables));
      return done;
    };
    if (isLong) {
      const { depth } = session;
      try {
        evaluate();
      } catch (error) {
        if (!(error instanceof Unsure)) throw error;
        failure = error;
        session.depth = depth;
      }
    }
    known.set(folded(table.name.name), evaluate);
  }
  return { find: find(known) };
}

/** In WITH RECURSIVE a table may name one that comes after it: that would be taken for a table outside. */
function withoutLater(
  list: With,
  before: ReadonlyMap<string, () => TableTerms>,
  find: CommonTables['find'],
): CommonTables['find'] {
  return (name) => {
    if (!before.has(name) && list.tables.some((table) => folded(table.name.name) === name))
      throw new Unsure(`${name} is used before it is defined`);
    return find(name);
  };
}

function named(session: TermSession, table: CommonTable, relation: TableTerms): TableTerms {
  const distinct = distinctNames(relation);
  return {
    ...distinct,
    columns: renamedColumns(
      session,
      distinct,
      table.columns.map((name) => name.name),
    ),
  };
}

/** Each step sees all columns of the steps before it, so all columns make the rows of a recursive table. */
function recursiveTable(session: TermSession, table: CommonTable, tables: CommonTables): TableTerms {
  const { terms } = session;
  const { body } = table.query;
  const name = folded(table.name.name);
  if (!mentions(table.query, name))
    return named(session, table, session.termsOf(session, table.query, undefined, tables));
  const isPlain = table.query.with === undefined && table.query.limit === undefined && table.query.offset === undefined && table.query.orderBy !== 'ALL' && table.query.orderBy.length === 0; // biome-ignore format: one question
  if (
    body.kind !== 'set-operation' ||
    body.operator !== 'UNION' ||
    body.byName ||
    table.usingKey !== undefined ||
    !isPlain
  )
    throw new Unsure(`the recursive table ${name} is not a plain UNION`);
  const anchor = bodyRelation(session, body.left, { parent: undefined, tables }, undefined);
  const itself = named(session, table, {
    rows: terms.make('steps so far', String(session.recursions)),
    columns: anchor.columns.map((column, at) => ({
      name: column.name,
      value: terms.make('so far', String(at)),
    })),
  });
  session.recursions++;
  const inside: CommonTables = { find: (asked) => (asked === name ? () => itself : tables.find(asked)) };
  const step = bodyRelation(session, body.right, { parent: undefined, tables: inside }, undefined);
  session.recursions--;
  if (!body.isAll) checkEquality(session, [...values(anchor), ...values(step)]);
  const rows = terms.make(
    'recursive', body.isAll ? 'all' : '', anchor.rows, ...values(anchor), 'step', step.rows, ...values(step),
  ); // biome-ignore format: one term
  const columns = anchor.columns.map((column, at) => ({
    name: column.name,
    value: terms.make('output', rows, String(at)),
  }));
  return named(session, table, { rows, columns });
}

const values = (relation: TableTerms): Term[] => relation.columns.map((column) => column.value);

/** Whether a common table may read itself. */
function mentions(query: Query, name: string): boolean {
  let found = false;
  walk(query, (node) => {
    if (node.kind === 'table' && node.parts.length === 1 && folded(node.parts[0]?.name ?? '') === name)
      found = true;
    return !found;
  });
  return found;
}

function bodyRelation(
  session: TermSession,
  body: QueryBody,
  place: Place,
  query: Query | undefined,
): TableTerms | SelectTerms {
  switch (body.kind) {
    case 'select':
      return termsOfSelect(session, body, { ...place, order: query?.orderBy ?? [] });
    case 'set-operation':
      return combined(session, body, place);
    case 'values':
      return termsOfValues(session, body, place.parent, place.tables);
    case 'nested':
      return session.termsOf(session, body.query, place.parent, place.tables);
    case 'pivot-statement':
      return pivoted(session, body.pivot, place.parent, place.tables);
  }
}

/** A chain of set operations is deep on its left: it is walked down first. */
function combined(session: TermSession, body: SetOperation, place: Place): TableTerms {
  const chain: SetOperation[] = [];
  let first: QueryBody = body;
  while (first.kind === 'set-operation') {
    chain.push(first);
    first = first.left;
  }
  let relation = bodyRelation(session, first, place, undefined);
  for (const operation of chain.reverse())
    relation = combine(
      session,
      operation,
      relation,
      bodyRelation(session, operation.right, place, undefined),
    );
  return relation;
}

/**
 * UNION ALL only puts rows one after the other: each column is the pair of its two halves. All others compare rows, so all
 * columns make the rows.
 */
function combine(
  session: TermSession,
  operation: SetOperation,
  left: TableTerms,
  right: TableTerms,
): TableTerms {
  const { terms } = session;
  const pairs = operation.byName ? byName(session, left, right) : byPosition(left, right);
  const isAppended = operation.operator === 'UNION' && operation.isAll;
  const arrivals = [left, right].flatMap(({ arrival }) => (arrival === undefined ? [] : [arrival]));
  const arriving = arrivals.length === 0 ? {} : { arrival: terms.make('arrivals', ...arrivals) };
  if (isAppended)
    return {
      ...arriving,
      rows: terms.make('appended', left.rows, right.rows),
      columns: pairs.map(({ name, a, b }) => ({ name, value: terms.make('half', a, b) })),
    };
  checkEquality(
    session,
    pairs.flatMap(({ a, b }) => [a, b]),
  );
  const parts: TermPart[] = pairs.flatMap(({ name, a, b }) => [operation.byName ? (name ?? '*') : '', a, b]);
  const rows = terms.make(
    'compared',
    operation.operator,
    operation.isAll ? 'all' : '',
    left.rows,
    right.rows,
    ...parts,
  );
  return {
    ...arriving,
    rows,
    columns: pairs.map(({ name, a, b }, at) => ({
      name,
      value: terms.make('output', rows, String(at), a, b),
    })),
  };
}

interface Pair {
  readonly name: string | undefined;
  readonly a: Term;
  readonly b: Term;
}

function byPosition(left: TableTerms, right: TableTerms): readonly Pair[] {
  const isOpen = [...left.columns, ...right.columns].some((column) => column.name === undefined);
  if (isOpen && (left.columns.length !== 1 || right.columns.length !== 1))
    throw new Unsure('a set operation is over columns that are not known');
  if (left.columns.length !== right.columns.length)
    throw new Unsure('the sides of a set operation have different numbers of columns');
  return left.columns.map((column, at) => ({
    name: column.name,
    a: column.value,
    b: (right.columns[at] as ColumnTerm).value,
  }));
}

function byName(session: TermSession, left: TableTerms, right: TableTerms): readonly Pair[] {
  const absent = session.terms.make('literal', 'null', 'absent');
  const names = [...new Set([...left.columns, ...right.columns].map((column) => column.name))];
  if (names.includes(undefined))
    throw new Unsure('a set operation BY NAME is over columns that are not known');
  if (
    names.length !==
    left.columns.length +
      right.columns.filter((column) => !left.columns.some((each) => each.name === column.name)).length
  )
    throw new Unsure('a side of a set operation BY NAME has a column twice');
  const of = (relation: TableTerms, name: string | undefined): Term =>
    relation.columns.find((column) => column.name === name)?.value ?? absent;
  return names.map((name) => ({ name, a: of(left, name), b: of(right, name) }));
}

/**
 * Order alone changes no rows. A limit keeps the first rows by the order: how many, and what the order settles about them,
 * is sure, whatever rows stand equal at the edge.
 */
function limited(
  session: TermSession,
  query: Query,
  body: TableTerms | SelectTerms,
  place: Place,
): TableTerms {
  const relation = ordered(session, query, body);
  if (query.limit === undefined && query.offset === undefined) return relation;
  const { terms } = session;
  const bound = (expression: Query['limit']): TermPart =>
    expression === undefined
      ? ''
      : session.value(session, { scope: newTermScope(place.parent, place.tables) }, expression);
  const order = orderParts(query, body);
  const flags = `${query.limitIsPercent ? '%' : ''}${query.limitHasTies ? 'ties' : ''}`;
  const rows = terms.make(
    'limit',
    relation.rows,
    bound(query.limit),
    bound(query.offset),
    flags,
    ...order.parts,
  );
  const settled = new Set(isLooselyEqual(session, order.values) ? [] : order.values);
  const key = terms.uniqueKeys(relation.rows);
  const isTotal = key?.every((value) => terms.isDetermined(value, settled)) === true;
  const reason = order.values.length === 0 ? 'LIMIT without ORDER BY takes any rows' : 'LIMIT chooses among rows that its ORDER BY leaves equal'; // biome-ignore format: one choice
  return {
    ...relation,
    rows,
    columns: chosenColumns(
      session,
      relation,
      (value) => isTotal || terms.isDetermined(value, settled),
      reason,
    ),
  };
}

/** What ORDER BY does to rows without a limit: they come in its order, those it leaves equal as they came before. */
function ordered(session: TermSession, query: Query, body: TableTerms | SelectTerms): TableTerms {
  const { terms } = session;
  const { rows, columns, arrival } = body;
  const before = arrival === undefined ? [] : [arrival];
  if (query.orderBy !== 'ALL' && query.orderBy.length === 0)
    return { rows, columns, ...(arrival !== undefined && { arrival }) };
  const { depth } = session;
  let parts: readonly TermPart[];
  try {
    parts = orderParts(query, body).parts;
  } catch (error) {
    if (!(error instanceof Unsure)) throw error;
    session.depth = depth;
    // What cannot be computed is the same where it is written the same over the same columns.
    const text = JSON.stringify(query.orderBy, (key, value: unknown) => (key === 'span' ? undefined : value));
    parts = [text, ...everyColumn(columns)];
  }
  return { rows, columns, arrival: terms.make('arrival', ...parts, 'then', ...before) };
}

function orderParts(
  query: Query,
  body: TableTerms | SelectTerms,
): { readonly values: readonly Term[]; readonly parts: readonly TermPart[] } {
  if (query.orderBy === 'ALL') {
    const { direction, nulls } = query.orderAll ?? {};
    return {
      values: values(body),
      parts: [`all ${direction === 'DESC' ? 'DESC' : ''} ${nulls ?? ''}`, ...values(body)],
    };
  }
  if ('ordered' in body) return body.ordered(query.orderBy);
  const found = query.orderBy.map(({ expression }): Term => {
    const position = positionOf(expression);
    if (position !== undefined) return itemAt(body.columns, position).value;
    const column =
      expression.kind === 'column' && expression.qualifiers.length === 0
        ? body.columns.find((each) => each.name === folded(expression.name.name))
        : undefined;
    if (column === undefined) throw new Unsure('the ORDER BY of a set operation is more than its columns');
    return column.value;
  });
  const parts = query.orderBy.flatMap((item, at) => [
    found[at] as Term,
    item.direction === 'DESC' ? 'DESC' : '',
    item.nulls ?? '',
  ]);
  return { values: found, parts };
}

/**
 * The rows of a FROM.
 *
 *   FROM t                         table(t), and its columns as they are
 *   FROM t JOIN u ON c WHERE d     filter(cross(t, u), {c, d}), columns as at(0, …) and at(1, …)
 *   FROM t LEFT JOIN u ON c        left(t, u, {c})
 *
 * Inner joins only: all conditions, those of derived tables too, are one set, because it does not matter where rows are dropped.
 * Any other join keeps its place. The number in `at` is the place of the table in FROM, so names of tables do not matter.
 */
import type { Identifier, Join, TableExpression } from '../../../foundation/sql/tree.ts';
import { conditionsOf } from './expression-value.ts';
import { named, pick } from './lookup.ts';
import { folded } from './query-change.ts';
import type { ColumnTerm, TermScope, TermSession, TermSource } from './table-terms.ts';
import type { Term, TermPart } from './terms.ts';
import { termsOfSource } from './terms-of-source.ts';
import { Unsure } from './unsure.ts';

/** Rows of a FROM and the conditions on them that may still join those of WHERE. */
export interface FromRows {
  readonly members: readonly Term[];
  readonly conditions: readonly Term[];
}

/** Adds the tables of FROM to the scope and returns their rows. */
export function fromRows(session: TermSession, scope: TermScope, from: readonly TableExpression[]): FromRows {
  const shape = shapeOf(from);
  if (shape.tables === 0) return { members: [session.terms.make('one row')], conditions: [] };
  let found: FromRows | undefined;
  for (const table of from) {
    const rows = tableRows(session, scope, table, shape);
    found = found === undefined ? rows : together(found, rows);
  }
  return found as FromRows;
}

/** One rows term of a FROM, before any filter of the select. */
export function sealed(session: TermSession, { members, conditions }: FromRows): Term {
  const { terms } = session;
  const rows = members.length === 1 ? (members[0] as Term) : terms.make('cross', ...members);
  return terms.filter(rows, conditions);
}

interface Shape {
  readonly tables: number;
  /** No join can leave a column of any table NULL. */
  readonly isInner: boolean;
}

function shapeOf(from: readonly TableExpression[]): Shape {
  let tables = 0;
  let isInner = true;
  const waiting = [...from];
  for (let table = waiting.pop(); table !== undefined; table = waiting.pop()) {
    if (table.kind !== 'join') tables++;
    else {
      if (table.type !== 'inner' && table.type !== 'cross') isInner = false;
      waiting.push(table.left, table.right);
    }
  }
  return { tables, isInner };
}

const together = (a: FromRows, b: FromRows): FromRows => ({
  members: [...a.members, ...b.members],
  conditions: [...a.conditions, ...b.conditions],
});

/** A chain of joins is deep on its left: it is walked down first and joined on the way back. */
function tableRows(session: TermSession, scope: TermScope, table: TableExpression, shape: Shape): FromRows {
  const chain: Join[] = [];
  let first = table;
  while (first.kind === 'join') {
    chain.push(first);
    first = first.left;
  }
  let firstSource = scope.sources.length;
  let rows = leafRows(session, scope, first, shape);
  for (const join of chain.reverse()) {
    const middle = scope.sources.length;
    const right = tableRows(session, scope, join.right, shape);
    rows = joined(session, scope, { join, left: rows, right, firstSource, middle, shape });
    firstSource = Math.min(firstSource, middle);
  }
  return rows;
}

function leafRows(
  session: TermSession,
  scope: TermScope,
  table: Exclude<TableExpression, Join>,
  shape: Shape,
): FromRows {
  const { terms } = session;
  const place = scope.sources.length;
  // What stands first sees nothing beside it; a later one may refer to those before it, in DuckDB without saying LATERAL.
  const isAlone = place === 0 || (session.dialect !== 'duckdb' && !('lateral' in table && table.lateral));
  const outer = isAlone ? scope.parent : { ...scope, sources: [...scope.sources], alias: undefined };
  const found = termsOfSource(session, table, outer, scope.tables);
  const wrap =
    shape.tables === 1 ? (value: Term): Term => value : placing(session, String(place), shape.isInner);
  const columns = found.relation.columns.map((column) => ({ name: column.name, value: wrap(column.value) }));
  for (const [at, column] of columns.entries()) {
    const type = session.types.get((found.relation.columns[at] as ColumnTerm).value);
    if (type !== undefined) session.types.set(column.value, type);
  }
  scope.sources.push({ alias: found.alias, path: found.path, columns, hidden: new Set() });
  if (found.relation.arrival !== undefined) scope.arrivals.push(found.relation.arrival);
  const { input, conditions } = terms.filtered(found.relation.rows);
  if (conditions.length > HOISTED_MAX) return { members: [found.relation.rows], conditions: [] };
  return { members: [input], conditions: conditions.map(wrap) };
}

/** Joins of joins of joins would double what is taken out of them at each step: past this they stay whole. */
const HOISTED_MAX = 500;
const SPREAD_MAX = 5_000;

/**
 * A value of the table at a place. Where no join can make it NULL, a function of a row's values may as well be computed
 * after the join.
 */
function placing(session: TermSession, place: string, isInner: boolean): (value: Term) => Term {
  const { terms } = session;
  const known = new Map<Term, Term>();
  let steps = 0;
  const wrap = (value: Term): Term => {
    let placed = known.get(value);
    if (placed === undefined) {
      const op = terms.op(value);
      if (isInner && (op === 'literal' || op === 'variable')) placed = value;
      else if (isInner && terms.isScalar(value) && ++steps < SPREAD_MAX)
        placed = terms.make(
          op,
          ...terms.parts(value).map((part): TermPart => (typeof part === 'number' ? wrap(part) : part)),
        );
      else placed = terms.make('at', place, value);
      known.set(value, placed);
    }
    return placed;
  };
  return wrap;
}

interface JoinParts {
  readonly join: Join;
  readonly left: FromRows;
  readonly right: FromRows;
  readonly firstSource: number;
  readonly middle: number;
  readonly shape: Shape;
}

function joined(session: TermSession, scope: TermScope, parts: JoinParts): FromRows {
  const { join, left, right } = parts;
  const { terms } = session;
  if (join.asof || join.type === 'positional')
    throw new Unsure(`${join.asof ? 'an ASOF' : 'a POSITIONAL'} JOIN depends on more than the rows it joins`);
  const conditions =
    join.natural || join.using !== undefined
      ? usingConditions(session, scope, parts)
      : conditionsOf(session, { scope }, join.on);
  if (join.type === 'semi' || join.type === 'anti') scope.sources.length = parts.middle;
  if (join.type === 'inner' || join.type === 'cross') {
    const both = together(left, right);
    return { members: both.members, conditions: [...both.conditions, ...conditions] };
  }
  const rows = terms.make(
    join.type,
    sealed(session, left),
    sealed(session, right),
    terms.make('set', ...conditions),
  );
  return { members: [rows], conditions: [] };
}

/** USING and NATURAL: an equality for each shared name, and one column of two. */
function usingConditions(session: TermSession, scope: TermScope, parts: JoinParts): readonly Term[] {
  const { join, firstSource, middle } = parts;
  const left = scope.sources.slice(firstSource, middle);
  const right = scope.sources.slice(middle);
  const names =
    join.using === undefined
      ? sharedNames(left, right)
      : join.using.map((name: Identifier) => folded(name.name));
  return names.map((name) => {
    const from = scope.mergedFrom.get(name);
    if (from !== undefined && (from < firstSource || from >= middle))
      throw new Unsure(`${name} is made of two columns in more than one place of FROM`);
    const a = scope.merged.get(name) ?? onlyColumn(session, left, name);
    const b = onlyColumn(session, right, name);
    const { terms } = session;
    if (join.type !== 'semi' && join.type !== 'anti') {
      const value = join.type === 'right' ? b : join.type === 'full' ? terms.make('scalar', 'call', 'coalesce', '', a, '', b) : a; // biome-ignore format: one thought
      scope.merged.set(name, value);
      scope.mergedFrom.set(name, firstSource);
      for (const source of right) source.hidden.add(name);
    }
    return terms.make('=', a, b);
  });
}

function sharedNames(left: readonly TermSource[], right: readonly TermSource[]): readonly string[] {
  const names = (sources: readonly TermSource[]): string[] =>
    sources.flatMap((source) =>
      source.columns.map((column) => {
        if (column.name === undefined) throw new Unsure('a NATURAL JOIN is on columns that are not known');
        return column.name;
      }),
    );
  const others = new Set(names(right));
  return [...new Set(names(left))].filter((name) => others.has(name)).sort();
}

function onlyColumn(session: TermSession, sources: readonly TermSource[], name: string): Term {
  const visible = sources.filter((source) => !source.hidden.has(name));
  const known = visible.flatMap((source) => named(session, source.columns, name));
  if (known.length > 1) throw new Unsure(`USING (${name}) finds ${name} in more than one table`);
  if (known[0] !== undefined) return known[0];
  const open = visible.flatMap((source) => source.columns.filter((column) => column.name === undefined));
  if (open.length !== 1) throw new Unsure(`it is not known where ${name} in USING comes from`);
  return pick(session, (open[0] as ColumnTerm).value, name);
}

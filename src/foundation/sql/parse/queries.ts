/**
 * query   = [WITH …] term (UNION | EXCEPT | INTERSECT term)* [ORDER BY …] [LIMIT …] [OFFSET …]
 * term    = SELECT … | FROM … [SELECT …] | VALUES … | TABLE t | PIVOT … | ( query )
 * INTERSECT binds tighter; chains are built in a loop and lean to the left, however long.
 */
import type { CommonTable, Identifier, Query, QueryBody, With } from '../tree.ts';
import {
  accept,
  acceptTwo,
  advance,
  type Cursor,
  type Draft,
  enter,
  expect,
  fail,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
  takeNameList,
  unsupported,
} from './cursor.ts';
import { isAnyWord, isPivotKey } from './keywords.ts';
import { parsePivotStatement } from './pivot-statement.ts';
import { POWER } from './precedence.ts';
import { parseSelect } from './selects.ts';
import { parseTableName } from './table-names.ts';
import { parseValues } from './values.ts';
import { parseNullsOrder, parseOrderItems } from './windows.ts';

/** A query up to whatever cannot belong to it; the caller checks what follows. */
export function parseQueryHere(c: Cursor): Query {
  enter(c);
  const start = startOf(c);
  const tables = c.key === 'WITH' ? parseWith(c) : undefined;
  const bodyStart = startOf(c);
  c.top = undefined;
  const term = parseTerm(c);
  const query = parseRest(c, term, bodyStart, { start, ...(tables !== undefined && { with: tables }) });
  c.depth--;
  return query;
}

/** Goes on after a query in parentheses that began at `start`: set operations, ORDER BY and LIMIT make it the first part of a larger one. */
export function finishQuery(c: Cursor, inner: Query, start: number): Query {
  switch (c.key) {
    case 'UNION':
    case 'EXCEPT':
    case 'INTERSECT':
    case 'MINUS':
    case 'ORDER':
    case 'LIMIT':
    case 'OFFSET':
    case 'FETCH':
      c.top = undefined;
      return parseRest(c, bodyOf(inner), start, { start });
    default:
      return inner;
  }
}

/** A query in parentheses as a body: itself when nothing but its body matters. */
function bodyOf(query: Query): QueryBody {
  const isPlain =
    query.with === undefined &&
    query.orderBy.length === 0 &&
    query.limit === undefined &&
    query.offset === undefined;
  return isPlain ? query.body : { kind: 'nested', query, span: query.span };
}

function parseRest(
  c: Cursor,
  first: QueryBody,
  bodyStart: number,
  head: { readonly start: number; readonly with?: With },
): Query {
  const body = parseSetOperations(c, limitedByTop(c, first), bodyStart, 1);
  const query: Draft<Query> = {
    kind: 'query',
    body,
    orderBy: [],
    span: { start: head.start, end: head.start },
  };
  if (head.with !== undefined) query.with = head.with;
  if (body === first && c.top !== undefined) {
    query.limit = c.top.limit;
    if (c.top.isPercent) query.limitIsPercent = true;
    if (c.top.hasTies) query.limitHasTies = true;
  } else if (body === first && body.kind === 'nested' && head.with === undefined && !followsBody(c.key)) {
    return body.query;
  }
  c.top = undefined;
  if (acceptTwo(c, 'ORDER', 'BY')) parseOrderBy(c, query);
  parseLimits(c, query);
  if (c.key === 'FOR' && (peek(c, 1) === 'UPDATE' || peek(c, 1) === 'SHARE')) unsupported(c, 'FOR UPDATE');
  query.span = spanFrom(c, head.start);
  return query;
}

function followsBody(key: string): boolean {
  return key === 'ORDER' || key === 'LIMIT' || key === 'OFFSET' || key === 'FETCH';
}

/** TOP limits its own select, so inside a set operation that select becomes a query of its own. */
function limitedByTop(c: Cursor, body: QueryBody): QueryBody {
  const top = c.top;
  if (top === undefined || setPrecedence(c.key) === 0) return body;
  c.top = undefined;
  const query: Draft<Query> = { kind: 'query', body, orderBy: [], limit: top.limit, span: body.span };
  if (top.isPercent) query.limitIsPercent = true;
  return { kind: 'nested', query, span: body.span };
}

function setPrecedence(key: string): number {
  if (key === 'UNION' || key === 'EXCEPT' || key === 'MINUS') return 1;
  return key === 'INTERSECT' ? 2 : 0;
}

function parseSetOperations(c: Cursor, first: QueryBody, start: number, precedence: number): QueryBody {
  let left = first;
  for (;;) {
    const own = setPrecedence(c.key);
    if (own === 0 || own < precedence) return left;
    const operator = c.key === 'MINUS' ? 'EXCEPT' : (c.key as 'UNION' | 'EXCEPT' | 'INTERSECT');
    advance(c);
    const isAll = accept(c, 'ALL');
    if (!isAll) accept(c, 'DISTINCT');
    const byName = acceptTwo(c, 'BY', 'NAME');
    const rightStart = startOf(c);
    c.top = undefined;
    const term = parseTerm(c);
    const top = c.top as Cursor['top'];
    const limited: QueryBody =
      top === undefined
        ? term
        : {
            kind: 'nested',
            query: {
              kind: 'query',
              body: term,
              orderBy: [],
              limit: top.limit,
              ...(top.isPercent && { limitIsPercent: true }),
              span: term.span,
            },
            span: term.span,
          };
    c.top = undefined;
    const right = own === 1 ? parseSetOperations(c, limited, rightStart, 2) : limited;
    left = { kind: 'set-operation', operator, isAll, byName, left, right, span: spanFrom(c, start) };
  }
}

function parseTerm(c: Cursor): QueryBody {
  switch (c.key) {
    case 'SELECT':
    case 'FROM':
      return parseSelect(c);
    case 'VALUES':
      return parseValues(c);
    case '(': {
      advance(c);
      const query = parseQueryHere(c);
      expect(c, ')');
      c.top = undefined;
      return bodyOf(query);
    }
    case 'WITH':
      return nested(parseQueryHere(c));
    case 'TABLE':
      return parseTable(c);
    default:
      if (isPivotKey(c.key)) return parsePivotStatement(c);
      return fail(c, 'SELECT');
  }
}

function nested(query: Query): QueryBody {
  return { kind: 'nested', query, span: query.span };
}

/** `TABLE t`: every column of it. */
function parseTable(c: Cursor): QueryBody {
  const start = startOf(c);
  advance(c);
  const at = startOf(c);
  const table = parseTableName(c);
  const span = { start: at, end: at };
  return {
    kind: 'select',
    distinct: 'none',
    projections: [
      { expression: { kind: 'star', qualifiers: [], exclude: [], replace: [], rename: [], span }, span },
    ],
    from: [{ kind: 'table', ...table, span: spanFrom(c, at) }],
    windows: [],
    span: spanFrom(c, start),
  };
}

function parseWith(c: Cursor): With {
  expect(c, 'WITH');
  const recursive =
    c.key === 'RECURSIVE' && peek(c, 1) !== 'AS' && peek(c, 1) !== '(' && accept(c, 'RECURSIVE');
  const tables: CommonTable[] = [];
  do {
    if (tables.length > 0 && (c.key === 'SELECT' || c.key === 'FROM' || c.key === '(')) break;
    tables.push(parseCommonTable(c));
  } while (accept(c, ','));
  return { recursive, tables };
}

function parseCommonTable(c: Cursor): CommonTable {
  const start = startOf(c);
  const name = takeAnyName(c, 'the name of a common table');
  const columns = c.key === '(' ? takeNameList(c, 'a column name') : [];
  let usingKey: readonly Identifier[] | undefined;
  if (acceptTwo(c, 'USING', 'KEY')) usingKey = takeNameList(c, 'a column name');
  expect(c, 'AS');
  let materialized: boolean | undefined;
  if (accept(c, 'MATERIALIZED')) materialized = true;
  else if (c.key === 'NOT' && peek(c, 1) === 'MATERIALIZED') {
    skip(c, 2);
    materialized = false;
  }
  expect(c, '(');
  const query = parseQueryHere(c);
  expect(c, ')');
  return {
    name,
    columns,
    ...(materialized !== undefined && { materialized }),
    ...(usingKey !== undefined && { usingKey }),
    query,
    span: spanFrom(c, start),
  };
}

function parseOrderBy(c: Cursor, query: Draft<Query>): void {
  const next = peek(c, 1);
  const isAll = (c.key === 'ALL' || c.key === '*') && next !== '(' && next !== '.';
  if (!isAll) {
    query.orderBy = parseOrderItems(c);
    return;
  }
  advance(c);
  query.orderBy = 'ALL';
  const direction = accept(c, 'DESC') ? 'DESC' : accept(c, 'ASC') ? 'ASC' : undefined;
  const nulls = parseNullsOrder(c);
  if (direction !== undefined || nulls !== undefined)
    query.orderAll = { ...(direction !== undefined && { direction }), ...(nulls !== undefined && { nulls }) };
}

/** LIMIT, OFFSET and FETCH in any order. */
function parseLimits(c: Cursor, query: Draft<Query>): void {
  for (;;) {
    if (accept(c, 'LIMIT')) parseLimit(c, query);
    else if (accept(c, 'OFFSET')) {
      query.offset = c.grammar.expression(c);
      if (!accept(c, 'ROWS')) accept(c, 'ROW');
    } else if (accept(c, 'FETCH')) {
      if (!accept(c, 'FIRST') && !accept(c, 'NEXT')) fail(c, 'FIRST or NEXT');
      const at = startOf(c);
      if (c.key === 'ROW' || c.key === 'ROWS')
        query.limit = { kind: 'literal', type: 'number', text: '1', span: { start: at, end: at } };
      else query.limit = c.grammar.operand(c, POWER);
      if (accept(c, 'PERCENT') || accept(c, '%')) query.limitIsPercent = true;
      if (!accept(c, 'ROWS') && !accept(c, 'ROW')) fail(c, 'ROWS ONLY');
      if (acceptTwo(c, 'WITH', 'TIES')) query.limitHasTies = true;
      else expect(c, 'ONLY');
    } else return;
  }
}

function parseLimit(c: Cursor, query: Draft<Query>): void {
  if (accept(c, 'ALL')) return;
  const start = startOf(c);
  const value = c.grammar.operand(c, POWER);
  if (c.key === 'PERCENT' || (c.key === '%' && endsQuery(peek(c, 1)))) {
    advance(c);
    query.limit = value;
    query.limitIsPercent = true;
    return;
  }
  const limit = c.grammar.continued(c, value, start);
  if (c.dialect !== 'duckdb' && accept(c, ',')) {
    query.offset = limit;
    query.limit = c.grammar.expression(c);
  } else query.limit = limit;
  if (c.key === 'BY') unsupported(c, 'LIMIT … BY');
}

function endsQuery(key: string): boolean {
  return (
    key === 'end' ||
    key === ')' ||
    key === ';' ||
    key === 'OFFSET' ||
    !(isAnyWord(key) || key === 'number' || key === '(')
  );
}

import type {
  Call,
  Identifier,
  Join,
  Query,
  TableAlias,
  TableExpression,
  TableFunction,
  TableReference,
} from '../tree.ts';
import { parseCallAfterName } from './calls.ts';
import {
  accept,
  advance,
  beginsQueryHere,
  type Cursor,
  type Draft,
  enter,
  expect,
  is,
  lastEnd,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
  unsupported,
} from './cursor.ts';
import { beginsJoin, parseCondition, parseJoinHead } from './join-heads.ts';
import { isAnyWord, isTableAlias } from './keywords.ts';
import { parsePivotSuffix } from './pivots.ts';
import { parseSuffix, parseTableAlias } from './table-aliases.ts';
import { parseTableName } from './table-names.ts';

/** A table with everything joined to it. */
export function parseTableExpression(c: Cursor): TableExpression {
  const start = startOf(c);
  return parseJoins(c, parseTablePrimary(c), start);
}

/** One table, function or query in parentheses, with its alias and what pivots it. */
export function parseTablePrimary(c: Cursor): TableExpression {
  enter(c);
  const start = startOf(c);
  let table = parseTableAtom(c, start);
  while ((c.key === 'PIVOT' || c.key === 'UNPIVOT') && peek(c, 1) !== 'AS') {
    const pivoted = parsePivotSuffix(c, table, start);
    const alias = parseTableAlias(c);
    table = alias === undefined ? pivoted : { ...pivoted, alias, span: spanFrom(c, start) };
  }
  c.depth--;
  return table;
}

function parseTableAtom(c: Cursor, start: number): TableExpression {
  // DuckDB's prefix alias: FROM a: b
  if (peek(c, 1) === ':' && c.dialect === 'duckdb' && isTableAlias(c.key)) {
    const name = takeAnyName(c, 'an alias');
    advance(c);
    enter(c);
    const table = parseTableAtom(c, startOf(c));
    c.depth--;
    return withAlias(table, { name, columns: [] }, start, lastEnd(c));
  }
  switch (c.key) {
    case '(':
      return parseParenthesizedTable(c, start, false);
    case 'LATERAL':
      advance(c);
      if (is(c, '(')) return parseParenthesizedTable(c, start, true);
      return parseFunctionOrName(c, start, true);
    case 'VALUES':
      if (peek(c, 1) === '(') {
        const values = c.grammar.values(c);
        const alias = parseTableAlias(c);
        return { ...values, ...(alias !== undefined && { alias }), span: spanFrom(c, start) };
      }
      return parseFunctionOrName(c, start, false);
    case 'at':
      if (c.dialect !== 'tsql') unsupported(c, 'a stage as a table');
      return parseFunctionOrName(c, start, false);
    default:
      return parseFunctionOrName(c, start, false);
  }
}

function withAlias(table: TableExpression, alias: TableAlias, start: number, end: number): TableExpression {
  const span = { start, end };
  if (table.kind === 'join') return { kind: 'aliased', table, alias, span };
  return { ...table, alias, span };
}

function parseFunctionOrName(c: Cursor, start: number, lateral: boolean): TableExpression {
  const isFunctionName = isAnyWord(c.key) && peek(c, 1) === '(';
  if (isFunctionName && !(c.key === 'AT')) {
    const nameStart = startOf(c);
    const name = takeAnyName(c, 'a table name');
    return finishFunction(c, parseCallAfterName(c, name, [], nameStart), start, lateral);
  }
  accept(c, 'ONLY');
  const table = parseTableName(c);
  if (c.key === '(' && !table.isFile) {
    const name = table.parts.at(-1) as Identifier;
    return finishFunction(
      c,
      parseCallAfterName(c, name, table.parts.slice(0, -1), table.nameSpan.start),
      start,
      lateral,
    );
  }
  const before = parseSuffix(c);
  const alias = parseTableAlias(c);
  const after = parseSuffix(c);
  const node: Draft<TableReference> = {
    kind: 'table',
    parts: table.parts,
    isFile: table.isFile,
    nameSpan: table.nameSpan,
    span: spanFrom(c, start),
  };
  if (alias !== undefined) node.alias = alias;
  const suffix = before === undefined ? after : after === undefined ? before : `${before} ${after}`;
  if (suffix !== undefined) node.suffix = suffix;
  return node;
}

/** WITH ORDINALITY, BigQuery's WITH OFFSET (whose name becomes the second column), alias, sample. */
function finishFunction(c: Cursor, call: Call, start: number, lateral: boolean): TableFunction {
  let withOrdinality = c.key === 'WITH' && peek(c, 1) === 'ORDINALITY';
  if (withOrdinality) skip(c, 2);
  let alias = parseTableAlias(c);
  if (c.key === 'WITH' && peek(c, 1) === 'OFFSET') {
    skip(c, 2);
    withOrdinality = true;
    const at = lastEnd(c);
    const offset: Identifier =
      accept(c, 'AS') || isTableAlias(c.key)
        ? takeAnyName(c, 'an alias')
        : { name: 'offset', quoted: false, span: { start: at, end: at } };
    if (alias !== undefined && alias.columns.length === 0)
      alias = { name: alias.name, columns: [alias.name, offset] };
  }
  const suffix = parseSuffix(c);
  return {
    kind: 'table-function',
    call,
    lateral,
    withOrdinality,
    ...(alias !== undefined && { alias }),
    ...(suffix !== undefined && { suffix }),
    span: spanFrom(c, start),
  };
}

/** `(query) alias`, `(a JOIN b) alias`: read once from the inside out, like parentheses in expressions. */
function parseParenthesizedTable(c: Cursor, start: number, lateral: boolean): TableExpression {
  const inside = parseInside(c);
  if (inside.kind === 'query') return finishDerived(c, inside, start, lateral);
  const alias = parseTableAlias(c);
  if (alias === undefined) return inside;
  return { kind: 'aliased', table: inside, alias, span: spanFrom(c, start) };
}

function finishDerived(c: Cursor, query: Query, start: number, lateral: boolean): TableExpression {
  const before = parseSuffix(c);
  const alias = parseTableAlias(c);
  const suffix = before ?? parseSuffix(c);
  return {
    kind: 'derived',
    query,
    lateral,
    ...(alias !== undefined && { alias }),
    ...(suffix !== undefined && { suffix }),
    span: spanFrom(c, start),
  };
}

function parseInside(c: Cursor): TableExpression | Query {
  expect(c, '(');
  const start = startOf(c);
  let inside: TableExpression | Query;
  if (beginsQueryHere(c)) inside = c.grammar.query(c);
  else if (c.key === '(') {
    enter(c);
    inside = parseInside(c);
    c.depth--;
    if (inside.kind === 'query') {
      inside = c.grammar.finished(c, inside, start);
      if (!is(c, ')')) inside = parseJoins(c, finishDerived(c, inside, start, false), start);
    } else {
      const alias = parseTableAlias(c);
      if (alias !== undefined) inside = { kind: 'aliased', table: inside, alias, span: spanFrom(c, start) };
      inside = parseJoins(c, inside, start);
    }
  } else inside = parseTableExpression(c);
  while (inside.kind !== 'query' && c.key === ',') {
    advance(c);
    const right = parseTableExpression(c);
    inside = {
      kind: 'join',
      type: 'cross',
      natural: false,
      asof: false,
      left: inside,
      right,
      span: spanFrom(c, start),
    };
  }
  expect(c, ')');
  return inside;
}

function parseJoins(c: Cursor, first: TableExpression, start: number): TableExpression {
  let left = first;
  for (;;) {
    const head = parseJoinHead(c);
    if (head === undefined) return left;
    const rightStart = startOf(c);
    let right = parseTablePrimary(c);
    if (head.isApply) right = asLateral(right);
    const needsCondition =
      !head.natural && !head.isApply && head.type !== 'cross' && head.type !== 'positional';
    // a JOIN b JOIN c ON … ON …: the inner pair comes first.
    if (needsCondition && c.key !== 'ON' && c.key !== 'USING' && beginsJoin(c)) {
      enter(c);
      right = parseJoins(c, right, rightStart);
      c.depth--;
    }
    const join: Draft<Join> = {
      kind: 'join',
      type: head.type,
      natural: head.natural,
      asof: head.asof,
      left,
      right,
      span: { start, end: start },
    };
    parseCondition(c, join, needsCondition);
    join.span = spanFrom(c, start);
    left = join;
  }
}

function asLateral(table: TableExpression): TableExpression {
  return table.kind === 'derived' || table.kind === 'table-function' ? { ...table, lateral: true } : table;
}

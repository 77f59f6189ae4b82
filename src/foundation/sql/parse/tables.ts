/**
 * FROM: tables, functions and queries, joined from left to right.
 *
 *   table = name | function(…) | (query) | (table) | VALUES …   then: suffix, alias, PIVOT or UNPIVOT
 */
import { stringText } from '../tokenize.ts';
import type { Call, Identifier, Join, Query, TableAlias, TableExpression, TableFunction } from '../tree.ts';
import { parseCallAfterName } from './calls.ts';
import {
  accept,
  acceptTwo,
  advance,
  type Cursor,
  type Draft,
  enter,
  expect,
  fail,
  is,
  lastEnd,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
  takeNameList,
  takeToken,
  unsupported,
} from './cursor.ts';
import { beginsQuery, isAnyWord, isTableAlias } from './keywords.ts';
import { parsePivotSuffix } from './pivots.ts';
import { parseTableName, skipParenthesis, skipSample } from './table-names.ts';

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
    return withAlias(parseTableAtom(c, startOf(c)), { name, columns: [] }, start, lastEnd(c));
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
      return unsupported(c, 'a stage as a table');
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
    const name = takeAnyName(c, 'a table name');
    return finishFunction(c, parseCallAfterName(c, name, [], start), start, lateral);
  }
  accept(c, 'ONLY');
  const table = parseTableName(c);
  if (c.key === '(' && !table.isFile) {
    const name = table.parts.at(-1) as Identifier;
    return finishFunction(c, parseCallAfterName(c, name, table.parts.slice(0, -1), start), start, lateral);
  }
  const before = parseSuffix(c);
  const alias = parseTableAlias(c);
  const after = parseSuffix(c);
  const suffix = before === undefined ? after : after === undefined ? before : `${before} ${after}`;
  return {
    kind: 'table',
    parts: table.parts,
    isFile: table.isFile,
    ...(alias !== undefined && { alias }),
    nameSpan: table.nameSpan,
    ...(suffix !== undefined && { suffix }),
    span: spanFrom(c, start),
  };
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
    accept(c, 'AS');
    const offset: Identifier = isTableAlias(c.key)
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
  enter(c);
  expect(c, '(');
  const start = startOf(c);
  let inside: TableExpression | Query;
  if (beginsQuery(c.key) && !(peek(c, 1) === '.' || peek(c, 1) === ')')) inside = c.grammar.query(c);
  else if (c.key === '(') {
    inside = parseInside(c);
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
  c.depth--;
  return inside;
}

/** `AS t`, `t`, `t(a, b)`. */
export function parseTableAlias(c: Cursor): TableAlias | undefined {
  let name: Identifier;
  if (c.key === 'AS') {
    if (peek(c, 1) === 'OF') return undefined;
    advance(c);
    if (is(c, 'string')) {
      const token = takeToken(c);
      name = {
        name: stringText(token, c.dialect),
        quoted: true,
        span: { start: token.start, end: token.end },
      };
    } else name = takeAnyName(c, 'an alias');
  } else if (isTableAlias(c.key) && !beginsClause(c)) name = takeAnyName(c, 'an alias');
  else return undefined;
  const hasColumns = c.key === '(' && (isAnyWord(peek(c, 1)) || peek(c, 1) === 'string');
  if (!hasColumns) return { name, columns: [] };
  if (peek(c, 2) !== ',' && peek(c, 2) !== ')') unsupported(c, 'a column definition list');
  return { name, columns: takeNameList(c, 'a column name') };
}

/** Words that are a clause in one dialect or before one other word, and a good alias otherwise. */
function beginsClause(c: Cursor): boolean {
  const next = peek(c, 1);
  switch (c.key) {
    case 'AT':
    case 'BEFORE':
    case 'CHANGES':
      return next === '(';
    case 'VERSION':
    case 'TIMESTAMP':
      return next === 'AS' && peek(c, 2) === 'OF';
    case 'SORT':
    case 'CLUSTER':
    case 'DISTRIBUTE':
      return next === 'BY';
    case 'FINAL':
    case 'PREWHERE':
    case 'SETTINGS':
    case 'FORMAT':
    case 'GLOBAL':
    case 'ARRAY':
    case 'SAMPLE':
      return c.dialect === 'clickhouse';
    default:
      return false;
  }
}

/** TABLESAMPLE, time travel and table hints: the text, because no pass looks inside. */
function parseSuffix(c: Cursor): string | undefined {
  const start = startOf(c);
  const next = peek(c, 1);
  if (
    c.key === 'TABLESAMPLE' ||
    (c.key === 'SAMPLE' && (next === '(' || next === 'number') && c.dialect === 'snowflake')
  ) {
    advance(c);
    skipSample(c);
  } else if ((c.key === 'AT' || c.key === 'BEFORE' || c.key === 'CHANGES') && next === '(') {
    advance(c);
    skipParenthesis(c);
  } else if (c.key === 'FOR' && (next === 'SYSTEM_TIME' || next === 'TIMESTAMP' || next === 'VERSION')) {
    skip(c, 2);
    parsePointInTime(c);
  } else if ((c.key === 'VERSION' || c.key === 'TIMESTAMP') && next === 'AS' && peek(c, 2) === 'OF') {
    advance(c);
    parsePointInTime(c);
  } else if (c.key === 'FINAL' && c.dialect === 'clickhouse') advance(c);
  else if (c.key === 'WITH' && next === '(' && c.dialect === 'tsql') {
    advance(c);
    skipParenthesis(c);
  } else return undefined;
  return c.text.slice(start, lastEnd(c));
}

function parsePointInTime(c: Cursor): void {
  if (accept(c, 'BETWEEN') || acceptTwo(c, 'FROM', 'TO')) unsupported(c, 'a range of versions');
  expect(c, 'AS');
  expect(c, 'OF');
  c.grammar.expression(c);
}

type JoinHead = { type: Join['type']; natural: boolean; asof: boolean; isApply: boolean };

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

/** Engines that read a join without a condition as a cross join. */
const MAY_LACK_CONDITION = new Set([
  'mysql',
  'snowflake',
  'spark',
  'databricks',
  'sqlite',
  'clickhouse',
  'generic',
  'bigquery',
]);

function parseCondition(c: Cursor, join: Draft<Join>, isNeeded: boolean): void {
  if (accept(c, 'ON')) join.on = c.grammar.expression(c);
  else if (c.key === 'USING' && peek(c, 1) === '(') {
    advance(c);
    join.using = takeNameList(c, 'a column name');
  } else if (isNeeded && !MAY_LACK_CONDITION.has(c.dialect)) fail(c, 'ON or USING');
}

function asLateral(table: TableExpression): TableExpression {
  return table.kind === 'derived' || table.kind === 'table-function' ? { ...table, lateral: true } : table;
}

function beginsJoin(c: Cursor): boolean {
  const { at, key } = c;
  const head = parseJoinHead(c);
  c.at = at;
  c.key = key;
  return head !== undefined;
}

const JOIN_TYPES: Readonly<Record<string, Join['type']>> = {
  INNER: 'inner',
  LEFT: 'left',
  RIGHT: 'right',
  FULL: 'full',
  CROSS: 'cross',
  SEMI: 'semi',
  ANTI: 'anti',
  POSITIONAL: 'positional',
};

/** NATURAL, ASOF, a type, OUTER and JOIN; undefined, without moving, when no join begins here. */
function parseJoinHead(c: Cursor): JoinHead | undefined {
  if (accept(c, 'JOIN') || accept(c, 'STRAIGHT_JOIN'))
    return { type: 'inner', natural: false, asof: false, isApply: false };
  const { at, key } = c;
  const natural = accept(c, 'NATURAL');
  const asof = accept(c, 'ASOF');
  let type: Join['type'] = JOIN_TYPES[c.key] ?? 'inner';
  if (c.key in JOIN_TYPES) advance(c);
  else if (c.key === 'OUTER' && peek(c, 1) === 'APPLY') type = 'left';
  if (c.key === 'OUTER') advance(c);
  else if (c.key === 'SEMI' || c.key === 'ANTI') {
    type = c.key === 'SEMI' ? 'semi' : 'anti';
    advance(c);
  }
  if (c.at > at && accept(c, 'JOIN')) return { type, natural, asof, isApply: false };
  if (c.at > at && accept(c, 'APPLY')) return { type, natural, asof, isApply: true };
  c.at = at;
  c.key = key;
  return undefined;
}

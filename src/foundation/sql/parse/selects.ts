import { identifierText, stringText } from '../tokenize.ts';
import type {
  Expression,
  GroupBy,
  GroupItem,
  Identifier,
  Projection,
  Select,
  TableExpression,
} from '../tree.ts';
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
  peek,
  skip,
  spanFrom,
  startOf,
  takeName,
  takeToken,
  unsupported,
} from './cursor.ts';
import { isAnyWord, isColumnAlias, isName } from './keywords.ts';
import { parseLateralViews } from './lateral-views.ts';
import { POWER } from './precedence.ts';
import { skipSample } from './table-names.ts';
import { parseTableExpression } from './tables.ts';
import { parseList, parseWindowSpec } from './windows.ts';

/** One SELECT, beginning with SELECT or, in DuckDB's manner, with FROM. */
export function parseSelect(c: Cursor): Select {
  const start = startOf(c);
  const select: Draft<Select> = {
    kind: 'select',
    distinct: 'none',
    projections: [],
    from: [],
    windows: [],
    span: { start, end: start },
  };
  if (accept(c, 'FROM')) {
    select.from = parseFrom(c);
    if (c.key === 'SELECT') parseProjections(c, select);
    else select.projections = [impliedStar(start)];
  } else {
    parseProjections(c, select);
    if (c.key === 'INTO') unsupported(c, 'SELECT INTO');
    if (accept(c, 'FROM')) select.from = parseFrom(c);
  }
  parseClauses(c, select);
  select.span = spanFrom(c, start);
  return select;
}

function impliedStar(at: number): Projection {
  const span = { start: at, end: at };
  return { expression: { kind: 'star', qualifiers: [], exclude: [], replace: [], rename: [], span }, span };
}

function parseFrom(c: Cursor): TableExpression[] {
  const tables: TableExpression[] = [];
  do {
    if (tables.length > 0 && endsList(c.key)) break;
    tables.push(parseTableExpression(c));
  } while (accept(c, ','));
  return c.key === 'LATERAL' ? parseLateralViews(c, tables) : tables;
}

function parseProjections(c: Cursor, select: Draft<Select>): void {
  expect(c, 'SELECT');
  if (accept(c, 'DISTINCT')) {
    if (c.key === 'ON' && peek(c, 1) === '(') {
      skip(c, 2);
      select.distinct = parseList(c);
      expect(c, ')');
    } else select.distinct = 'all';
  } else if (c.key === 'ALL' && peek(c, 1) !== '.' && !endsList(peek(c, 1))) advance(c);
  if (c.key === 'TOP') parseTop(c);
  if (c.key === 'AS' && (peek(c, 1) === 'STRUCT' || peek(c, 1) === 'VALUE')) {
    select.asKind = peek(c, 1) as 'STRUCT' | 'VALUE';
    skip(c, 2);
  }
  const projections: Projection[] = [];
  do {
    if (projections.length > 0 && endsList(c.key)) break;
    projections.push(parseProjection(c));
  } while (accept(c, ','));
  select.projections = projections;
}

/** After a comma: the comma was a trailing one. */
function endsList(key: string): boolean {
  switch (key) {
    case 'FROM':
    case 'end':
    case ')':
    case ';':
    case 'WHERE':
    case 'GROUP':
    case 'ORDER':
    case 'HAVING':
    case 'LIMIT':
    case 'UNION':
    case 'QUALIFY':
    case 'WINDOW':
    case 'INTERSECT':
      return true;
    default:
      return false;
  }
}

/** `TOP 10`, `TOP (n) PERCENT`: a limit of the query, left in the cursor. */
function parseTop(c: Cursor): void {
  if (peek(c, 1) !== 'number' && !(c.dialect === 'tsql' && peek(c, 1) === '(')) return;
  advance(c);
  const limit = c.grammar.operand(c, POWER);
  const isPercent = accept(c, 'PERCENT');
  const hasTies = acceptTwo(c, 'WITH', 'TIES');
  c.top = { limit, isPercent, hasTies };
}

function parseProjection(c: Cursor): Projection {
  const start = startOf(c);
  if (peek(c, 1) === ':' && c.dialect === 'duckdb' && (isName(c.key) || c.key === 'string')) {
    const alias = takeAlias(c);
    advance(c);
    const expression = c.grammar.expression(c);
    return { expression, alias, span: spanFrom(c, start) };
  }
  const top = c.top;
  const expression = c.grammar.expression(c);
  c.top = top;
  const alias = expression.kind === 'star' && c.key === 'EXCLUDE' ? undefined : parseAlias(c);
  const span = spanFrom(c, start);
  return alias === undefined ? { expression, span } : { expression, alias, span };
}

/** `AS name`, `AS 'name'`, or a name alone when it is not reserved. */
export function parseAlias(c: Cursor): Identifier | undefined {
  if (c.key === 'AS') {
    advance(c);
    if (is(c, '(')) unsupported(c, 'a list of aliases');
    if (!isAnyWord(c.key) && !is(c, 'string')) fail(c, 'an alias');
    return takeAlias(c);
  }
  if (isColumnAlias(c.key)) return takeAlias(c);
  if (c.key === 'string' && c.dialect !== 'duckdb' && c.dialect !== 'postgres') return takeAlias(c);
  return undefined;
}

function takeAlias(c: Cursor): Identifier {
  const token = takeToken(c);
  const span = { start: token.start, end: token.end };
  if (token.kind === 'string') return { name: stringText(token, c.dialect), quoted: true, span };
  return { name: identifierText(token), quoted: token.kind === 'name', span };
}

/** WHERE and everything after it that belongs to one select. */
function parseClauses(c: Cursor, select: Draft<Select>): void {
  const top = c.top;
  if (c.key === 'PREWHERE') unsupported(c, 'PREWHERE');
  if (accept(c, 'WHERE')) select.where = c.grammar.expression(c);
  if (c.key === 'GROUP' && peek(c, 1) === 'BY') {
    skip(c, 2);
    select.groupBy = parseGroupBy(c);
  }
  for (;;) {
    if (accept(c, 'HAVING')) select.having = c.grammar.expression(c);
    else if (accept(c, 'QUALIFY')) select.qualify = c.grammar.expression(c);
    else if (accept(c, 'WINDOW')) select.windows = parseWindows(c);
    else if (acceptTwo(c, 'USING', 'SAMPLE')) select.sample = skipSample(c);
    else break;
  }
  c.top = top;
}

function parseWindows(c: Cursor): Select['windows'] {
  const windows: Select['windows'][number][] = [];
  do {
    const name = takeName(c, 'a window name');
    expect(c, 'AS');
    windows.push({ name, spec: parseWindowSpec(c) });
  } while (accept(c, ','));
  return windows;
}

function parseGroupBy(c: Cursor): GroupBy {
  if ((c.key === 'ALL' || c.key === '*') && (endsList(peek(c, 1)) || peek(c, 1) === 'USING')) {
    advance(c);
    return { isAll: true, items: [] };
  }
  if (c.key === 'ALL' || c.key === 'DISTINCT') unsupported(c, `GROUP BY ${c.key}`);
  const items: GroupItem[] = [];
  do {
    if (items.length > 0 && endsList(c.key)) break;
    items.push(parseGroupItem(c, false));
  } while (accept(c, ','));
  if (c.key === 'WITH' && (peek(c, 1) === 'ROLLUP' || peek(c, 1) === 'CUBE')) {
    const kind = peek(c, 1) === 'CUBE' ? 'cube' : 'rollup';
    skip(c, 2);
    return { isAll: false, items: [{ kind, items }] };
  }
  return { isAll: false, items };
}

/** Inside ROLLUP, CUBE and GROUPING SETS a parenthesis is a set of columns; at the top it is an expression. */
function parseGroupItem(c: Cursor, isInside: boolean): GroupItem {
  if ((c.key === 'ROLLUP' || c.key === 'CUBE') && peek(c, 1) === '(') {
    const kind = c.key === 'CUBE' ? 'cube' : 'rollup';
    advance(c);
    return { kind, items: parseGroupItems(c) };
  }
  if (c.key === 'GROUPING' && peek(c, 1) === 'SETS') {
    skip(c, 2);
    return { kind: 'grouping-sets', items: parseGroupItems(c) };
  }
  if (c.key === '(' && peek(c, 1) === ')') {
    skip(c, 2);
    return { kind: 'set', items: [] };
  }
  const isParenthesis = c.key === '(';
  const expression: Expression = c.grammar.expression(c);
  if (isInside && isParenthesis && expression.kind === 'tuple')
    return { kind: 'set', items: expression.items.map((item) => ({ kind: 'expression', expression: item })) };
  return { kind: 'expression', expression };
}

function parseGroupItems(c: Cursor): GroupItem[] {
  expect(c, '(');
  const items: GroupItem[] = [];
  while (c.key !== ')') {
    enter(c);
    items.push(parseGroupItem(c, true));
    c.depth--;
    if (!accept(c, ',')) break;
  }
  expect(c, ')');
  return items;
}

import { identifierText, stringText } from '../tokenize.ts';
import type { Expression, Identifier, Query } from '../tree.ts';
import {
  accept,
  advance,
  type Cursor,
  enter,
  expect,
  fail,
  is,
  peek,
  spanFrom,
  startOf,
  takeAnyName,
  takeToken,
} from './cursor.ts';
import { beginsQuery, isAnyWord } from './keywords.ts';
import { finishQuery } from './queries.ts';
import { parseType } from './types.ts';

/** What a pair of parentheses held when it was a query; not yet a node. */
interface ParenthesizedQuery {
  readonly kind: 'parenthesized-query';
  readonly query: Query;
}

/** `(…)` where an expression is expected: an expression, a tuple, or a scalar subquery. */
export function parseParenthesis(c: Cursor): Expression {
  const start = startOf(c);
  const inside = parseInside(c);
  if (inside.kind !== 'parenthesized-query') return inside;
  return { kind: 'subquery', query: inside.query, span: spanFrom(c, start) };
}

/**
 * Reads `( … )` once, without going back: `((SELECT 1) UNION SELECT 2)` stays a query from the inside out, and
 * `((SELECT 1) + 2)` becomes an expression as soon as something follows that only an expression has.
 */
function parseInside(c: Cursor): Expression | ParenthesizedQuery {
  enter(c);
  const start = startOf(c);
  expect(c, '(');
  let first: Expression;
  const firstStart = startOf(c);
  if (beginsQuery(c.key) && !isNameHere(c)) {
    const query = c.grammar.query(c);
    expect(c, ')');
    c.depth--;
    return { kind: 'parenthesized-query', query };
  }
  if (c.key === ')') {
    advance(c);
    c.depth--;
    return { kind: 'tuple', items: [], span: spanFrom(c, start) };
  }
  if (c.key === '(') {
    const inside = parseInside(c);
    if (inside.kind === 'parenthesized-query') {
      const query = finishQuery(c, inside.query, firstStart);
      if (is(c, ')')) {
        advance(c);
        c.depth--;
        return { kind: 'parenthesized-query', query };
      }
      first = { kind: 'subquery', query, span: spanFrom(c, firstStart) };
    } else first = inside;
    first = c.grammar.continued(c, first, firstStart);
  } else first = c.grammar.expression(c);
  if (c.key === ')') {
    advance(c);
    c.depth--;
    return first;
  }
  const items: Expression[] = [first];
  while (accept(c, ',')) {
    if (c.key === ')') break;
    items.push(c.grammar.expression(c));
  }
  expect(c, ')');
  c.depth--;
  return { kind: 'tuple', items, span: spanFrom(c, start) };
}

/** VALUES, TABLE and PIVOT are names too: `(values)`, `(table.x)`. */
function isNameHere(c: Cursor): boolean {
  if (c.key === 'SELECT' || c.key === 'WITH' || c.key === 'FROM') return false;
  const next = peek(c, 1);
  if (c.key === 'VALUES') return next !== '(';
  return !isAnyWord(next) && next !== 'string' && next !== '(';
}

/** `[a, b]` and `[x FOR y IN z IF w]`; `start` is where ARRAY began, if it did. */
export function parseBrackets(c: Cursor, start: number): Expression {
  expect(c, '[');
  const items: Expression[] = [];
  while (c.key !== ']') {
    items.push(c.grammar.expression(c));
    if (items.length === 1 && c.key === 'FOR') return parseComprehension(c, items[0] as Expression, start);
    if (!accept(c, ',')) break;
  }
  expect(c, ']');
  return { kind: 'list', items, span: spanFrom(c, start) };
}

function parseComprehension(c: Cursor, result: Expression, start: number): Expression {
  advance(c);
  const variable = takeAnyName(c, 'a variable');
  if (c.key === ',') fail(c, 'IN');
  expect(c, 'IN');
  const source = c.grammar.expression(c);
  const condition = accept(c, 'IF') ? c.grammar.expression(c) : undefined;
  expect(c, ']');
  const span = spanFrom(c, start);
  return {
    kind: 'comprehension',
    result,
    variable,
    source,
    ...(condition !== undefined && { condition }),
    span,
  };
}

/** `{a: 1, 'b': 2}`. */
export function parseBraces(c: Cursor, start: number): Expression {
  expect(c, '{');
  const fields: { name: Identifier; value: Expression }[] = [];
  while (c.key !== '}') {
    const name = takeFieldName(c);
    expect(c, ':');
    fields.push({ name, value: c.grammar.expression(c) });
    if (!accept(c, ',')) break;
  }
  expect(c, '}');
  return { kind: 'struct', fields, span: spanFrom(c, start) };
}

function takeFieldName(c: Cursor): Identifier {
  if (c.key !== 'string' && !isAnyWord(c.key)) fail(c, 'the name of a field');
  const token = takeToken(c);
  const name = token.kind === 'string' ? stringText(token, c.dialect) : identifierText(token);
  return { name, quoted: token.kind !== 'word', span: { start: token.start, end: token.end } };
}

/** BigQuery's and Spark's `STRUCT(1 AS a, b)`, with a type: `STRUCT<a INT64>(1)`. */
export function parseStruct(c: Cursor): Expression {
  const start = startOf(c);
  const type = peek(c, 1) === '<' ? parseType(c) : undefined;
  if (type === undefined) advance(c);
  const open = startOf(c);
  expect(c, '(');
  const fields: { name?: Identifier; value: Expression }[] = [];
  while (c.key !== ')') {
    const value = c.grammar.expression(c);
    const name = accept(c, 'AS') || isAnyWord(c.key) ? takeAnyName(c, 'the name of a field') : undefined;
    fields.push(name === undefined ? { value } : { name, value });
    if (!accept(c, ',')) break;
  }
  expect(c, ')');
  const operand: Expression = {
    kind: 'struct',
    fields,
    span: spanFrom(c, type === undefined ? start : open),
  };
  if (type === undefined) return operand;
  return { kind: 'cast', form: 'cast', isTry: false, operand, type, span: spanFrom(c, start) };
}

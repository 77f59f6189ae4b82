import { identifierText, stringText } from '../tokenize.ts';
import type { Expression, Identifier, Query } from '../tree.ts';
import {
  accept,
  advance,
  beginsQueryHere,
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
import { isAnyWord } from './keywords.ts';
import { finishQuery } from './queries.ts';
import { parseType } from './types.ts';

/** What a pair of parentheses held. */
type Content =
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'items'; readonly items: readonly Expression[]; readonly hasComma: boolean };

/** `(…)` where an expression is expected: an expression, a tuple, or a scalar subquery. */
export function parseParenthesis(c: Cursor): Expression {
  const start = startOf(c);
  return asExpression(c, parseContent(c), start);
}

function asExpression(c: Cursor, content: Content, start: number): Expression {
  if (content.kind === 'query') return { kind: 'subquery', query: content.query, span: spanFrom(c, start) };
  const only = content.hasComma ? undefined : content.items[0];
  return only ?? { kind: 'tuple', items: content.items, span: spanFrom(c, start) };
}

/**
 * Reads `( … )` once, without going back: `((SELECT 1) UNION SELECT 2)` stays a query from the inside out, and
 * `((SELECT 1) + 2)` becomes an expression as soon as something follows that only an expression has.
 */
export function parseContent(c: Cursor): Content {
  expect(c, '(');
  const content = parseUpToClose(c);
  expect(c, ')');
  return content;
}

function parseUpToClose(c: Cursor): Content {
  if (c.key === ')') return { kind: 'items', items: [], hasComma: false };
  if (beginsQueryHere(c)) return { kind: 'query', query: c.grammar.query(c) };
  const start = startOf(c);
  let first: Expression;
  if (c.key === '(') {
    enter(c);
    let inner = parseContent(c);
    c.depth--;
    if (inner.kind === 'query') {
      inner = { kind: 'query', query: finishQuery(c, inner.query, start) };
      if (is(c, ')')) return inner;
    }
    first = c.grammar.continued(c, asExpression(c, inner, start), start);
  } else first = c.grammar.expression(c);
  if (c.key !== ',') return { kind: 'items', items: [first], hasComma: false };
  const items = [first];
  while (accept(c, ',')) {
    if (is(c, ')')) break;
    items.push(c.grammar.expression(c));
  }
  return { kind: 'items', items, hasComma: true };
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
  const index = accept(c, ',') ? takeAnyName(c, 'a variable') : undefined;
  expect(c, 'IN');
  const source = c.grammar.expression(c);
  const condition = accept(c, 'IF') ? c.grammar.expression(c) : undefined;
  expect(c, ']');
  const span = spanFrom(c, start);
  return {
    kind: 'comprehension',
    result,
    variable,
    ...(index !== undefined && { index }),
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

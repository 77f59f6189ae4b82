import { stringText } from '../tokenize.ts';
import type { Expression, Identifier, Literal } from '../tree.ts';
import { parseCallAfterName, parseSpecialCall } from './calls.ts';
import { parseBraces, parseBrackets, parseParenthesis, parseStruct } from './constructors.ts';
import {
  accept,
  advance,
  type Cursor,
  expect,
  fail,
  identifierOf,
  is,
  lastEnd,
  peek,
  spanFrom,
  startOf,
  takeAnyName,
  takeToken,
} from './cursor.ts';
import { parseInterval } from './intervals.ts';
import { beginsQuery, isAnyWord, isName } from './keywords.ts';
import { parsePostfix } from './postfix.ts';
import { parseStar } from './star.ts';
import { parseSimpleType, parseType } from './types.ts';

/** Operands with everything that clings to them: `a.b`, `f(x)`, `x[1]`, `x::int`, `(s).field`. */
export function parsePrimary(c: Cursor): Expression {
  const start = startOf(c);
  return parsePostfix(c, parseAtom(c), start);
}

const KEYWORD_CALLS = new Set([
  'CURRENT_CATALOG',
  'CURRENT_DATE',
  'CURRENT_ROLE',
  'CURRENT_SCHEMA',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
  'CURRENT_USER',
  'LOCALTIME',
  'LOCALTIMESTAMP',
  'SESSION_USER',
]);

function parseAtom(c: Cursor): Expression {
  const key = c.key;
  switch (key) {
    case 'word':
    case 'name':
      return parseNamed(c);
    case 'number':
      return literal(c, 'number');
    case 'string':
      return parseString(c);
    case 'NULL':
      return literal(c, 'null');
    case 'TRUE':
    case 'FALSE':
      return literal(c, 'boolean');
    case 'parameter': {
      const token = takeToken(c);
      return { kind: 'parameter', text: token.text, span: { start: token.start, end: token.end } };
    }
    case '(':
      return parseParenthesis(c);
    case '[':
      return parseBrackets(c, startOf(c));
    case '{':
      return parseBraces(c, startOf(c));
    case '*':
      return peek(c, 1) === 'COLUMNS' && peek(c, 2) === '(' ? parseUnpacked(c) : parseStar(c, [], startOf(c));
    case 'CASE':
      return parseCase(c);
    case 'CAST':
    case 'TRY_CAST':
    case 'SAFE_CAST':
      return peek(c, 1) === '(' ? parseCast(c) : parseNamed(c);
    case 'EXISTS':
      return parseExists(c);
    case 'INTERVAL':
      return parseInterval(c, parseAtom) ?? parseNamed(c);
    case 'ARRAY':
      return parseArray(c);
    case 'MAP':
      if (peek(c, 1) !== '{') return parseNamed(c);
      advance(c);
      return parseMap(c);
    case 'ROW':
      return peek(c, 1) === '(' && peek(c, 2) !== ')' ? parseRow(c) : parseNamed(c);
    case 'STRUCT':
      return peek(c, 1) === '(' || peek(c, 1) === '<' ? parseStruct(c) : parseNamed(c);
    case 'EXTRACT':
    case 'POSITION':
    case 'SUBSTRING':
    case 'SUBSTR':
    case 'TRIM':
    case 'OVERLAY':
      return peek(c, 1) === '(' ? parseSpecialCall(c) : parseNamed(c);
    case ':':
    case '#':
      return parseSignedParameter(c);
    default:
      if (isName(key) || (isAnyWord(key) && peek(c, 1) === '.') || (key === 'END' && isListEnd(peek(c, 1))))
        return parseNamed(c);
      // Reserved words that are functions too: ANY(…), ALL(…), LIKE(…), LEFT(…).
      if (isAnyWord(key) && peek(c, 1) === '(' && !beginsQuery(key) && !STRUCTURAL.has(key))
        return parseNamed(c);
      return fail(c, 'an expression');
  }
}

function isListEnd(key: string): boolean {
  return key === ',' || key === 'FROM' || key === 'end' || key === ')';
}

const STRUCTURAL = new Set(['AND', 'AS', 'BETWEEN', 'DISTINCT', 'ELSE', 'END', 'EXCEPT', 'FETCH', 'GROUP', 'HAVING', 'IN', 'INTERSECT', 'INTO', 'IS', 'JOIN', 'LATERAL', 'LIMIT', 'NATURAL', 'NOT', 'ON', 'OR', 'ORDER', 'QUALIFY', 'THEN', 'UNION', 'USING', 'WHEN', 'WHERE', 'WINDOW']); // biome-ignore format: a list

function literal(c: Cursor, type: Literal['type']): Literal {
  const token = takeToken(c);
  const text = type === 'null' || type === 'boolean' ? token.text.toUpperCase() : token.text;
  return { kind: 'literal', type, text, span: { start: token.start, end: token.end } };
}

/** A string; strings next to each other are one, as the standard has it. */
function parseString(c: Cursor): Literal {
  const start = startOf(c);
  const token = takeToken(c);
  const first = token.text.charCodeAt(0) | 32;
  const isQuoteNext = token.text[1] === "'" || token.text[1] === '"';
  const type =
    isQuoteNext && first === 120
      ? 'bytes'
      : isQuoteNext && first === 98
        ? c.dialect === 'bigquery'
          ? 'bytes'
          : 'bit'
        : 'string';
  let text = stringText(token, c.dialect);
  while (c.key === 'string' && continuesString(c)) text += stringText(takeToken(c), c.dialect);
  return { kind: 'literal', type, text, span: spanFrom(c, start) };
}

/** In the standard, two strings are one only across a line break; on one line a comma was forgotten. */
function continuesString(c: Cursor): boolean {
  switch (c.dialect) {
    case 'duckdb':
    case 'postgres':
    case 'redshift':
    case 'trino':
    case 'snowflake':
      return c.text.slice(lastEnd(c), startOf(c)).includes('\n');
    default:
      return true;
  }
}

/** `:name`, `:1`, and DuckDB's `#1`. */
function parseSignedParameter(c: Cursor): Expression {
  const start = startOf(c);
  const sign = c.key;
  advance(c);
  if (sign === ':' && startOf(c) !== start + 1) fail(c, 'an expression');
  if (c.key !== 'number' && (sign === '#' || !isAnyWord(c.key)))
    fail(c, sign === '#' ? 'a number' : 'a parameter name');
  advance(c);
  return { kind: 'parameter', text: c.text.slice(start, lastEnd(c)), span: spanFrom(c, start) };
}

/** DuckDB's `*COLUMNS(…)`: the columns as separate arguments. */
function parseUnpacked(c: Cursor): Expression {
  const start = startOf(c);
  advance(c);
  const operand = parseNamed(c);
  return { kind: 'unary', operator: '*', operand, span: spanFrom(c, start) };
}

/** A column, a star with qualifiers, a call, a typed literal: all begin with a name. */
function parseNamed(c: Cursor): Expression {
  const start = startOf(c);
  const key = c.key;
  const first = takeToken(c);
  const name = identifierOf(first);
  if (c.key === '(') return parseCallAfterName(c, name, [], start);
  if (c.key !== '.') {
    if (key !== 'word' && KEYWORD_CALLS.has(key)) return keywordCall(name, start, lastEnd(c));
    if (isTypedLiteral(c, key)) return typedLiteral(c, start);
    if (key === 'LAMBDA' && isName(c.key)) return parseLambdaWord(c, start);
    return { kind: 'column', name, qualifiers: [], span: { start, end: first.end } };
  }
  const qualifiers: Identifier[] = [name];
  for (;;) {
    advance(c);
    if (is(c, '*')) return parseStar(c, qualifiers, start);
    const part = is(c, 'parameter') ? identifierOf(takeToken(c)) : takeAnyName(c, 'a column name');
    if (is(c, '(')) return parseCallAfterName(c, part, qualifiers, start);
    if (c.key !== '.' || (peek(c, 1) !== '*' && peek(c, 1) !== 'parameter' && !isAnyWord(peek(c, 1))))
      return { kind: 'column', name: part, qualifiers, span: spanFrom(c, start) };
    qualifiers.push(part);
  }
}

function keywordCall(name: Identifier, start: number, end: number): Expression {
  return {
    kind: 'call',
    name,
    qualifiers: [],
    syntax: 'keyword',
    arguments: [],
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: { start, end },
  };
}

const TYPE_WORDS = new Set(['DATE', 'TIME', 'TIMESTAMP', 'DATETIME', 'JSON']);
const LONG_TYPE_WORDS = new Set([
  'TIMESTAMPTZ',
  'TIMESTAMP_NTZ',
  'TIMESTAMP_LTZ',
  'TIMESTAMP_TZ',
  'NUMERIC',
  'BIGNUMERIC',
  'DECIMAL',
  'UUID',
  'RANGE',
]);

/** After a first word: does a string follow that it gives its type to? */
function isTypedLiteral(c: Cursor, key: string): boolean {
  if (c.key === 'string') {
    if (TYPE_WORDS.has(key)) return true;
    if (key === 'name') return false;
    if (c.dialect === 'duckdb' || c.dialect === 'postgres' || c.dialect === 'redshift') return true;
    return LONG_TYPE_WORDS.has((c.tokens[c.at - 1]?.text ?? '').toUpperCase());
  }
  if ((key !== 'TIMESTAMP' && key !== 'TIME') || (c.key !== 'WITH' && c.key !== 'WITHOUT')) return false;
  return peek(c, 1) === 'TIME' && peek(c, 2) === 'ZONE' && peek(c, 3) === 'string';
}

function typedLiteral(c: Cursor, start: number): Expression {
  c.at--;
  c.key = c.keys[c.at] as string;
  const type = parseType(c);
  if (c.key !== 'string') fail(c, 'a string');
  const operand = parseString(c);
  return { kind: 'cast', form: 'literal', isTry: false, operand, type, span: spanFrom(c, start) };
}

/** DuckDB's `lambda x, y: body`; the word is already taken. */
function parseLambdaWord(c: Cursor, start: number): Expression {
  const parameters: Identifier[] = [];
  do parameters.push(takeAnyName(c, 'a parameter of the lambda'));
  while (accept(c, ','));
  expect(c, ':');
  const body = c.grammar.expression(c);
  return { kind: 'lambda', parameters, body, span: spanFrom(c, start) };
}

function parseCase(c: Cursor): Expression {
  const start = startOf(c);
  advance(c);
  const operand = c.key === 'WHEN' ? undefined : c.grammar.expression(c);
  const whens: { when: Expression; then: Expression }[] = [];
  if (c.key !== 'WHEN') fail(c, 'WHEN');
  while (accept(c, 'WHEN')) {
    const when = c.grammar.expression(c);
    expect(c, 'THEN');
    // biome-ignore lint/suspicious/noThenProperty: the tree's word for it, and trees are never awaited
    whens.push({ when, then: c.grammar.expression(c) });
  }
  const otherwise = accept(c, 'ELSE') ? c.grammar.expression(c) : undefined;
  if (!is(c, 'END')) fail(c, otherwise === undefined ? 'WHEN, ELSE or END' : 'END');
  advance(c);
  const span = spanFrom(c, start);
  return {
    kind: 'case',
    ...(operand !== undefined && { operand }),
    whens,
    ...(otherwise !== undefined && { otherwise }),
    span,
  };
}

function parseCast(c: Cursor): Expression {
  const start = startOf(c);
  const isTry = c.key !== 'CAST';
  advance(c);
  advance(c);
  const operand = c.grammar.expression(c);
  expect(c, 'AS');
  const type = parseType(c);
  const format = accept(c, 'FORMAT') ? c.grammar.expression(c) : undefined;
  expect(c, ')');
  const span = spanFrom(c, start);
  return { kind: 'cast', form: 'cast', isTry, operand, type, ...(format !== undefined && { format }), span };
}

/** `EXISTS (query)`; Spark's `exists(array, lambda)` is a plain call. */
function parseExists(c: Cursor): Expression {
  const start = startOf(c);
  let distance = 1;
  while (peek(c, distance) === '(') distance++;
  if (distance === 1) fail(c, 'an expression');
  if (!beginsQuery(peek(c, distance))) return parseNamed(c);
  advance(c);
  advance(c);
  const query = c.grammar.query(c);
  expect(c, ')');
  return { kind: 'exists', query, span: spanFrom(c, start) };
}

/** `ARRAY[…]`, `ARRAY(query)`, BigQuery's `ARRAY<type>[…]`, or something else named so. */
function parseArray(c: Cursor): Expression {
  const start = startOf(c);
  const next = peek(c, 1);
  if (next === '[') {
    advance(c);
    return parseBrackets(c, start);
  }
  if (next === '(' && beginsQuery(peek(c, 2))) {
    advance(c);
    advance(c);
    const query = c.grammar.query(c);
    expect(c, ')');
    return { kind: 'subquery', query, quantifier: 'ARRAY', span: spanFrom(c, start) };
  }
  if (next !== '<') return parseNamed(c);
  const type = parseSimpleType(c, start);
  const operand = parseBrackets(c, startOf(c));
  return { kind: 'cast', form: 'cast', isTry: false, operand, type, span: spanFrom(c, start) };
}

/** `{k: v}` after MAP. */
function parseMap(c: Cursor): Expression {
  const start = (c.tokens[c.at - 1] as { start: number }).start;
  advance(c);
  const entries: { key: Expression; value: Expression }[] = [];
  while (c.key !== '}') {
    const key = c.grammar.expression(c);
    expect(c, ':');
    entries.push({ key, value: c.grammar.expression(c) });
    if (!accept(c, ',')) break;
  }
  expect(c, '}');
  return { kind: 'map', entries, span: spanFrom(c, start) };
}

function parseRow(c: Cursor): Expression {
  const start = startOf(c);
  advance(c);
  advance(c);
  const items: Expression[] = [];
  while (c.key !== ')') {
    items.push(c.grammar.expression(c));
    if (!accept(c, ',')) break;
  }
  expect(c, ')');
  return { kind: 'tuple', items, span: spanFrom(c, start) };
}

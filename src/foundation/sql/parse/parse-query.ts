/**
 * The parser's doors. Tokens are read once, from left to right, by plain functions over a cursor; the result is the
 * tree of `tree.ts` with the exact span of every node, or the first error as a value.
 */
import type { Dialect } from '../dialect.ts';
import type { SqlError, SqlResult } from '../sql-error.ts';
import type { Tokens } from '../token.ts';
import { tokenize } from '../tokenize.ts';
import type { Expression, Query, TypeName } from '../tree.ts';
import { accept, type Cursor, cursorOver, DEPTH_MAX, fail, type Grammar, ParseFailure } from './cursor.ts';
import { continueExpression, parseExpression as parseExpressionHere, parseOperand } from './expressions.ts';
import { finishQuery, parseQueryHere } from './queries.ts';
import { parseType } from './types.ts';
import { parseValues } from './values.ts';

const GRAMMAR: Grammar = {
  expression: parseExpressionHere,
  operand: parseOperand,
  query: parseQueryHere,
  finished: finishQuery,
  values: parseValues,
  continued: continueExpression,
};

/** Exactly one query, with nothing but semicolons and comments after it. */
export function parseQuery(text: string, dialect: Dialect = 'duckdb', tokens?: Tokens): SqlResult<Query> {
  return parseWhole(text, dialect, tokens ?? tokenize(text, dialect), parseQueryHere, 'query');
}

/** One query in which joins may stand without a condition: tables that know how they are joined. */
export function parseModelledQuery(text: string, dialect: Dialect = 'duckdb'): SqlResult<Query> {
  const parse = (c: Cursor): Query => {
    c.joinsMayLackCondition = true;
    return parseQueryHere(c);
  };
  return parseWhole(text, dialect, tokenize(text, dialect), parse, 'query');
}

/** Exactly one query in the tokens `[from, to)` of a larger text; spans are offsets into that text. */
export function parseQueryRange(
  text: string,
  dialect: Dialect,
  range: { readonly tokens: Tokens; readonly from: number; readonly to: number },
): SqlResult<Query> {
  return parseWhole(text, dialect, range.tokens, parseQueryHere, 'query', range);
}

/** Exactly one expression. */
export function parseExpression(
  text: string,
  dialect: Dialect = 'duckdb',
  tokens?: Tokens,
): SqlResult<Expression> {
  return parseWhole(text, dialect, tokens ?? tokenize(text, dialect), parseExpressionHere, 'expression');
}

/** Exactly one type, such as `DECIMAL(10, 2)` or `STRUCT(a INT)[]`. */
export function parseTypeName(text: string, dialect: Dialect = 'duckdb'): SqlResult<TypeName> {
  return parseWhole(text, dialect, tokenize(text, dialect), parseType, 'type');
}

function parseWhole<Value>(
  text: string,
  dialect: Dialect,
  tokens: Tokens,
  parse: (c: Cursor) => Value,
  what: 'query' | 'expression' | 'type',
  range?: { readonly from: number; readonly to: number },
): SqlResult<Value> {
  const lexical = tokens.error;
  if (lexical !== undefined && (range === undefined || range.to >= tokens.tokens.length - 1)) {
    const span = { start: lexical.start, end: lexical.end };
    return { ok: false, error: { kind: 'lexical', message: lexical.message, span } };
  }
  const end = tokens.tokens.length - 1;
  const c = cursorOver(text, dialect, GRAMMAR, {
    tokens: tokens.tokens,
    from: range?.from ?? 0,
    to: range?.to ?? end,
  });
  try {
    const value = parse(c);
    if (what === 'query') while (accept(c, ';'));
    if (c.key !== 'end') fail(c, `the end of the ${what}`);
    return { ok: true, value };
  } catch (failure) {
    if (failure instanceof ParseFailure) return { ok: false, error: failure.error };
    if (failure instanceof RangeError) return { ok: false, error: tooDeep(c) };
    throw failure;
  }
}

/** The caller left so little stack that even DEPTH_MAX levels did not fit. */
function tooDeep(c: Cursor): SqlError {
  const token = c.tokens[Math.min(c.at, c.tokens.length - 1)];
  const message = `the query is nested too deeply here (more than ${Math.min(c.depth, DEPTH_MAX)} levels)`;
  return { kind: 'too-deep', message, span: { start: token?.start ?? 0, end: token?.end ?? 0 } };
}

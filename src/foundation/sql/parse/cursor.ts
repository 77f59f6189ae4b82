/**
 * The parser's only state: where it is. Grammar files are plain functions over a cursor; the few that everything
 * calls back into (expressions, queries) are reached through `grammar`, which keeps imports free of cycles.
 */
import type { Dialect } from '../dialect.ts';
import type { SqlError } from '../sql-error.ts';
import type { Token } from '../token.ts';
import { identifierText } from '../tokenize.ts';
import type { Expression, Identifier, Query, Span, Values } from '../tree.ts';
import { beginsQuery, isAnyWord, isName, keyOf } from './keywords.ts';

/** Functions of the grammar that lower files call back into. */
export interface Grammar {
  readonly expression: (c: Cursor) => Expression;
  /** An expression whose operators all bind at least as tightly as `precedence`. */
  readonly operand: (c: Cursor, precedence: number) => Expression;
  readonly query: (c: Cursor) => Query;
  /** Goes on after a query in parentheses that began at `start`. */
  readonly finished: (c: Cursor, inner: Query, start: number) => Query;
  readonly values: (c: Cursor) => Values;
  /** Goes on after an operand that began at `start`. */
  readonly continued: (c: Cursor, left: Expression, start: number) => Expression;
}

/** A position in a list of tokens; `key` is always the key of the token at `at`. */
export interface Cursor {
  readonly text: string;
  readonly dialect: Dialect;
  readonly grammar: Grammar;
  readonly tokens: readonly Token[];
  readonly keys: readonly string[];
  at: number;
  key: string;
  depth: number;
  /** Whatever the dialect: a join may stand without ON and USING. */
  joinsMayLackCondition: boolean;
  /** TOP of the select just read, which is a limit of the query around it. */
  top: { readonly limit: Expression; readonly isPercent: boolean; readonly hasTies: boolean } | undefined;
}

/** A node being filled; readonly again once it is returned. */
export type Draft<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** How deeply expressions and queries may be nested in one another before the parser gives up. */
export const DEPTH_MAX = 400;

/** Thrown inside the parser only; the entry points turn it into a value. Not an Error, because a stack trace would cost more than the parse. */
export class ParseFailure {
  readonly error: SqlError;
  constructor(error: SqlError) {
    this.error = error;
  }
}

interface Range {
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly to: number;
}

/** A cursor over tokens `[from, to)`; what lies at `to` counts as the end. */
export function cursorOver(text: string, dialect: Dialect, grammar: Grammar, range: Range): Cursor {
  const { tokens, from, to } = range;
  const keys: string[] = [];
  for (let i = 0; i < from; i++) keys.push('end');
  for (let i = from; i < to; i++) {
    const key = keyOf(tokens[i] as Token);
    if (key === '{{' || key === '}}') return cursorOver(text, dialect, grammar, withoutTemplateBraces(range));
    keys.push(key);
  }
  keys.push('end', 'end', 'end');
  return {
    text,
    dialect,
    grammar,
    tokens,
    keys,
    at: from,
    key: keys[from] as string,
    depth: 0,
    joinsMayLackCondition: false,
    top: undefined,
  };
}

/** The tokenizer keeps `{{` and `}}` together for templates; what is left of them here is nested structs. */
function withoutTemplateBraces(range: Range): Range {
  const { tokens, from, to } = range;
  const isDouble = (token: Token): boolean =>
    token.kind === 'symbol' && (token.text === '}}' || token.text === '{{');
  const split: Token[] = tokens.slice(0, from);
  for (let i = from; i < to; i++) {
    const token = tokens[i] as Token;
    if (!isDouble(token)) {
      split.push(token);
      continue;
    }
    const text = token.text[0] as string;
    const middle = token.start + 1;
    split.push(
      { kind: 'symbol', text, start: token.start, end: middle },
      { kind: 'symbol', text, start: middle, end: token.end },
    );
  }
  const end = split.length;
  for (let i = to; i < tokens.length; i++) split.push(tokens[i] as Token);
  return { tokens: split, from, to: end };
}

export function advance(c: Cursor): void {
  c.key = c.keys[++c.at] as string;
}

export function skip(c: Cursor, count: number): void {
  c.at += count;
  c.key = c.keys[c.at] as string;
}

/** Compares the current key; unlike `c.key ===` it does not narrow for the type checker, so it can be called again after a step. */
export function is(c: Cursor, key: string): boolean {
  return c.key === key;
}

/** The key `distance` tokens ahead. */
export function peek(c: Cursor, distance: number): string {
  return c.keys[c.at + distance] ?? 'end';
}

/** Steps over the token when it has this key. */
export function accept(c: Cursor, key: string): boolean {
  if (c.key !== key) return false;
  advance(c);
  return true;
}

/** Whether a query begins at the current token; VALUES, TABLE and PIVOT are names too: `(values)`, `(table.x)`. */
export function beginsQueryHere(c: Cursor): boolean {
  const key = c.key;
  if (key === 'SELECT' || key === 'WITH' || key === 'FROM') return true;
  if (!beginsQuery(key)) return false;
  const next = c.keys[c.at + 1] as string;
  if (key === 'VALUES') return next === '(';
  return isAnyWord(next) || next === 'string' || (next === '(' && key !== 'TABLE');
}

/** Steps over two words in a row, or none. */
export function acceptTwo(c: Cursor, first: string, second: string): boolean {
  if (c.key !== first || c.keys[c.at + 1] !== second) return false;
  skip(c, 2);
  return true;
}

export function expect(c: Cursor, key: string): void {
  if (c.key !== key) fail(c, key.length === 1 && key < 'A' ? `“${key}”` : key);
  advance(c);
}

/** The offset at which the current token begins. */
export function startOf(c: Cursor): number {
  return (c.tokens[c.at] as Token).start;
}

/** The offset at which the last token stepped over ended. */
export function lastEnd(c: Cursor): number {
  return c.at === 0 ? 0 : (c.tokens[c.at - 1] as Token).end;
}

export function spanFrom(c: Cursor, start: number): Span {
  return { start, end: lastEnd(c) };
}

export function takeToken(c: Cursor): Token {
  const token = c.tokens[c.at] as Token;
  advance(c);
  return token;
}

export function identifierOf(token: Token): Identifier {
  return {
    name: identifierText(token),
    quoted: token.kind === 'name',
    span: { start: token.start, end: token.end },
  };
}

/** A name where only names that are not reserved are allowed. */
export function takeName(c: Cursor, expected: string): Identifier {
  if (!isName(c.key)) fail(c, expected);
  return identifierOf(takeToken(c));
}

/** A name where the place leaves no doubt, so any word will do. */
export function takeAnyName(c: Cursor, expected: string): Identifier {
  if (!isAnyWord(c.key)) fail(c, expected);
  return identifierOf(takeToken(c));
}

/** Names separated by commas inside parentheses. */
export function takeNameList(c: Cursor, expected: string): Identifier[] {
  expect(c, '(');
  const names: Identifier[] = [];
  do {
    if (names.length > 0 && c.key === ')') break;
    names.push(takeAnyName(c, expected));
  } while (accept(c, ','));
  expect(c, ')');
  return names;
}

/** Counts one level of nesting; the caller gives it back with `c.depth--`. */
export function enter(c: Cursor): void {
  if (++c.depth > DEPTH_MAX) {
    throw new ParseFailure({
      kind: 'too-deep',
      message: `the query is nested more than ${DEPTH_MAX} levels deep here`,
      span: currentSpan(c),
    });
  }
}

export function currentSpan(c: Cursor): Span {
  const token = c.tokens[Math.min(c.at, c.tokens.length - 1)] as Token;
  return { start: token.start, end: token.end };
}

/** Stops parsing: something else was expected at the current token. */
export function fail(c: Cursor, expected: string): never {
  const before = c.at > 0 ? c.keys[c.at - 1] : undefined;
  const after = before === undefined || before === 'end' ? '' : ` after ${described(c, c.at - 1)}`;
  throw new ParseFailure({
    kind: 'syntax',
    message: `expected ${expected}${after}, found ${described(c, c.at)}`,
    expected,
    span: currentSpan(c),
  });
}

/** Stops parsing at syntax that is known and that the tree cannot hold; the SQL library may still read it. */
export function unsupported(c: Cursor, what: string): never {
  throw new ParseFailure({ kind: 'unsupported', message: `${what} is not supported`, span: currentSpan(c) });
}

const SHOWN_MAX = 40;

function described(c: Cursor, at: number): string {
  const key = c.keys[at] as string;
  if (key === 'end') return 'the end of the query';
  const text = (c.tokens[at] as Token).text;
  if (
    key === 'word' ||
    key === 'name' ||
    key === 'string' ||
    key === 'number' ||
    key === 'parameter' ||
    key === 'at'
  )
    return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  return /^[A-Z]/.test(key) ? key : `“${key}”`;
}

import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseExpression, parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import type { SqlError } from '../../foundation/sql/sql-error.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { commaRanges, nesting } from '../../foundation/sql/token-ranges.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import type { Span } from '../../foundation/sql/tree.ts';
import { isSymbol, isWord } from './header/slice.ts';
import { OBJECT_WORDS, STATEMENT_WORDS } from './statement-words.ts';

/**
 * What can be said about a statement beside the query without an engine. Engines have too many statements to read them all, so:
 *
 *   brackets                          must pair
 *   first word, word behind CREATE    should be known
 *   SELECT …, INSERT … SELECT,        the query is read as that of a model is
 *   CREATE … AS SELECT
 *   UPDATE … SET …, DELETE … WHERE    values and conditions are read
 */
export type SqlStatementProblem =
  | { readonly kind: 'unclosed' | 'unopened'; readonly span: Span; readonly bracket: string }
  | {
      readonly kind: 'unknown-word';
      readonly span: Span;
      readonly word: string;
      /** `CREATE` when the word stands behind it; undefined for the first word. */
      readonly behind: string | undefined;
      readonly known: ReadonlySet<string>;
    }
  /** `sql` is the query that could not be read, for a second reader; undefined when it is not a query. */
  | { readonly kind: 'sql'; readonly span: Span; readonly error: SqlError; readonly sql: string | undefined };

/** Looks at a text after macro expansion: one statement, or several when Jinja wrote them. Spans are those of the text. */
export function checkSqlStatement(text: string, dialect: Dialect): readonly SqlStatementProblem[] {
  const { tokens, error } = tokenize(text, dialect);
  if (error !== undefined) {
    const span = { start: error.start, end: error.end };
    const lexical = { kind: 'lexical', message: error.message, span } as const;
    return [{ kind: 'sql', span, error: lexical, sql: undefined }];
  }
  const problems: SqlStatementProblem[] = [];
  let from = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'end' && !isSymbol(token, ';')) continue;
    if (i > from) problems.push(...checkOne(text, tokens.slice(from, i), dialect));
    from = i + 1;
  }
  return problems;
}

const CLOSED_BY: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const spanOf = ({ start, end }: Token): Span => ({ start, end });

function checkOne(text: string, tokens: readonly Token[], dialect: Dialect): readonly SqlStatementProblem[] {
  const words = checkWords(tokens);
  const bracket = checkBrackets(tokens);
  if (bracket !== undefined) return [...words, bracket];
  // Behind a word that is misspelt the rest may mean anything.
  return words.length > 0 ? words : checkParts(text, tokens, dialect);
}

function checkBrackets(tokens: readonly Token[]): SqlStatementProblem | undefined {
  const open: Token[] = [];
  for (const token of tokens) {
    const step = nesting(token);
    if (step > 0) open.push(token);
    else if (step < 0) {
      const opener = open.pop();
      if (opener === undefined) return { kind: 'unopened', span: spanOf(token), bracket: token.text };
      if (CLOSED_BY[opener.text] !== token.text)
        return { kind: 'unclosed', span: spanOf(opener), bracket: opener.text };
    }
  }
  const last = open.at(-1);
  return last === undefined ? undefined : { kind: 'unclosed', span: spanOf(last), bracket: last.text };
}

function checkWords(tokens: readonly Token[]): readonly SqlStatementProblem[] {
  const first = tokens[0] as Token;
  if (isSymbol(first, '(')) return [];
  const word = first.text.toUpperCase();
  if (first.kind !== 'word' || !STATEMENT_WORDS.has(word))
    return [unknown(first, undefined, STATEMENT_WORDS)];
  if (word !== 'CREATE' && word !== 'ALTER' && word !== 'DROP') return [];
  const second = isWord(tokens[1], 'OR') ? tokens[3] : tokens[1];
  if (second === undefined || second.kind !== 'word') return [];
  return OBJECT_WORDS.has(second.text.toUpperCase()) ? [] : [unknown(second, word, OBJECT_WORDS)];
}

function unknown(token: Token, behind: string | undefined, known: ReadonlySet<string>): SqlStatementProblem {
  return { kind: 'unknown-word', span: spanOf(token), word: token.text, behind, known };
}

function checkParts(
  text: string,
  tokens: readonly Token[],
  dialect: Dialect,
): readonly SqlStatementProblem[] {
  const find = (words: readonly string[], from = 0): number => indexAtTop(tokens, words, from);
  const end = (tokens.at(-1) as Token).end;
  /** The text from one token to before another, read as the end of a query that begins with `lead`. */
  const query = (from: number, to: number, lead = ''): readonly SqlStatementProblem[] => {
    const start = (tokens[from] as Token).start;
    const sql = lead + text.slice(start, to < 0 ? end : (tokens[to - 1] as Token).end);
    const parsed = parseQuery(sql, dialect);
    if (parsed.ok) return [];
    return [problemAt(parsed.error, start - lead.length, lead === '' ? sql : undefined)];
  };
  switch ((tokens[0] as Token).text.toUpperCase()) {
    case '(':
    case 'SELECT':
    case 'VALUES':
    case 'FROM':
      // SELECT … INTO @x and the like are not queries.
      return find(['INTO']) > 0 ? [] : query(0, -1);
    case 'WITH':
      return find(['INSERT', 'UPDATE', 'DELETE', 'MERGE']) > 0 ? [] : query(0, -1);
    case 'INSERT': {
      const from = find(['SELECT', 'WITH', 'VALUES'], 1);
      if (from < 0 || isWord(tokens[1], 'ALL') || isWord(tokens[1], 'FIRST')) return [];
      if (isWord(tokens[from], 'VALUES') && tokens.some((token) => isWord(token, 'DEFAULT'))) return [];
      const conflict = tokens.findIndex(
        (token, i) =>
          isWord(token, 'ON') && (isWord(tokens[i + 1], 'CONFLICT') || isWord(tokens[i + 1], 'DUPLICATE')),
      );
      return query(from, conflict < 0 ? find(['RETURNING'], from) : conflict);
    }
    case 'CREATE': {
      const as = find(['AS'], 1);
      const isTable = tokens
        .slice(0, Math.max(as, 0))
        .some((token) => isWord(token, 'TABLE') || isWord(token, 'VIEW'));
      const next = tokens[as + 1];
      if (as < 0 || !isTable) return [];
      if (next === undefined) return [problemAt(missing(tokens[as] as Token, 'a query'), 0)];
      if (!['SELECT', 'WITH', 'FROM', 'VALUES'].some((word) => isWord(next, word)) && !isSymbol(next, '('))
        return [];
      const options = tokens.findIndex(
        (token, i) => i > as + 1 && isWord(token, 'WITH') && isViewOption(tokens[i + 1]),
      );
      return query(as + 1, options);
    }
    case 'UPDATE': {
      const set = find(['SET'], 1);
      if (set < 0) return [problemAt(missing(tokens.at(-1) as Token, 'SET'), 0)];
      const rest = find(['FROM', 'WHERE', 'RETURNING'], set);
      const values = checkAssignments(
        text,
        tokens.slice(set + 1, rest < 0 ? tokens.length : rest),
        tokens[set] as Token,
        dialect,
      );
      if (values.length > 0 || rest < 0 || isWord(tokens[rest], 'RETURNING')) return values;
      return query(rest, find(['RETURNING'], rest), 'SELECT 1 ');
    }
    case 'DELETE': {
      const where = find(['WHERE'], 1);
      if (where < 0 || isWord(tokens[where + 1], 'CURRENT')) return [];
      return query(where, find(['RETURNING'], where), 'SELECT 1 ');
    }
    default:
      return [];
  }
}

/** `a = 1, b = DEFAULT`; assignments to lists and array elements are left to the engine. */
function checkAssignments(
  text: string,
  tokens: readonly Token[],
  before: Token,
  dialect: Dialect,
): readonly SqlStatementProblem[] {
  let last = before;
  for (const own of splitAtTop(tokens)) {
    const equals = own.findIndex((token) => isSymbol(token, '='));
    if (own.length === 0) return [problemAt(missing(last, 'column = value'), 0)];
    if (equals < 0) return [problemAt(missing(own.at(-1) as Token, '= and a value'), 0)];
    const value = own[equals + 1];
    if (value === undefined) return [problemAt(missing(own[equals] as Token, 'a value'), 0)];
    last = own.at(-1) as Token;
    if (last === value && isWord(value, 'DEFAULT')) continue;
    const parsed = parseExpression(text.slice(value.start, last.end), dialect);
    if (!parsed.ok) return [problemAt(parsed.error, value.start)];
  }
  return [];
}

/** The runs of tokens between commas outside of brackets. */
function splitAtTop(tokens: readonly Token[]): readonly (readonly Token[])[] {
  return commaRanges(tokens, { from: 0, to: tokens.length }).map(({ from, to }) => tokens.slice(from, to));
}

function missing({ start, end, text }: Token, expected: string): SqlError {
  return { kind: 'syntax', message: `nothing follows ${text}`, expected, span: { start, end } };
}

function problemAt(error: SqlError, offset: number, sql?: string): SqlStatementProblem {
  const span = { start: Math.max(0, error.span.start + offset), end: Math.max(0, error.span.end + offset) };
  return { kind: 'sql', span, error, sql };
}

function isViewOption(token: Token | undefined): boolean {
  return ['NO', 'DATA', 'CHECK', 'LOCAL', 'CASCADED', 'SCHEMA'].some((word) => isWord(token, word));
}

function indexAtTop(tokens: readonly Token[], words: readonly string[], from: number): number {
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    depth += nesting(token);
    if (
      depth === 0 &&
      i >= from &&
      !isSymbol(tokens[i - 1], '.') &&
      words.some((word) => isWord(token, word))
    )
      return i;
  }
  return -1;
}

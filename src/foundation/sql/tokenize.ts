import { type Dialect, type LexicalRules, lexicalRules } from './dialect.ts';
import type { Comment, LexicalError, Token, TokenKind, Tokens } from './token.ts';

const SYMBOLS_3 = new Map(
  ['->>', '<=>', '!~*', '~~*', '#>>', '...', '!~~', '-|-', '<->'].map((symbol) => [symbol, symbol]),
);
const SYMBOLS_2 = new Map([
  '::', ':=', '=>', '->', '||', '<=', '>=', '<>', '!=', '==', '**', '^@', '~~', '!~', '~*', '@>', '<@', '&&', '<<', '>>', '//', '#>', '..', '{{', '}}', '{%', '%}', '?|', '?&', '|>',
].map((symbol) => [symbol, symbol])); // biome-ignore format: a table

const SPACE = 1;
const DIGIT = 2;
const WORD_START = 4;
const WORD = 8;
/** A symbol that is never part of a longer one. */
const ALONE = 16;
/** A symbol that may be longer than this character. */
const OPERATOR = 32;

const CLASS = new Uint8Array(128);
for (const c of ' \t\n\r\f\v') CLASS[c.charCodeAt(0)] = SPACE;
for (let c = 48; c <= 57; c++) CLASS[c] = DIGIT | WORD;
for (let c = 97; c <= 122; c++) CLASS[c] = CLASS[c - 32] = WORD_START | WORD;
CLASS[95] = WORD_START | WORD;
CLASS[36] = WORD;
for (const c of '()[],;') CLASS[c.charCodeAt(0)] = ALONE;
for (const c of '{}.+-*/%<>=!~^&|:@#\\') CLASS[c.charCodeAt(0)] = OPERATOR;

/** One string for each ASCII character, so that symbols need no new ones. */
const CHARACTERS = Array.from({ length: 128 }, (_, c) => String.fromCharCode(c));

const classOf = (c: number): number => {
  if (c < 128) return CLASS[c] as number;
  return c === 0xa0 || c === 0xfeff || c === 0x3000 ? SPACE : WORD_START | WORD;
};
const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isWordStart = (c: number): boolean => (classOf(c) & WORD_START) !== 0;
const isWord = (c: number): boolean => (classOf(c) & WORD) !== 0;

const QUOTE = 39;
const DOUBLE_QUOTE = 34;

/**
 * Cuts SQL (with macro signs still in it) into tokens. Never throws: at the first thing it cannot cut it stops, says why, and returns what it has.
 * One pass, no backtracking, so its time is linear in the text whatever the text is. It ends after `max` tokens and comments.
 */
export function tokenize(
  text: string,
  dialect: Dialect = 'duckdb',
  max: number = Number.POSITIVE_INFINITY,
): Tokens {
  const rules = lexicalRules(dialect);
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  const length = text.length;
  let error: LexicalError | undefined;
  let at = 0;
  while (at < length && tokens.length + comments.length <= max) {
    const c = text.charCodeAt(at);
    const sort = classOf(c);
    if (sort === SPACE) {
      at++;
      continue;
    }
    const start = at;
    if ((sort & WORD_START) !== 0) {
      const next = text.charCodeAt(at + 1);
      if (next === QUOTE || next === DOUBLE_QUOTE || rules.tripleQuotes) {
        const prefixed = prefixedStringEnd(text, at, rules);
        if (prefixed !== undefined) {
          if (prefixed < 0) {
            error = unclosed('string', start);
            break;
          }
          tokens.push({ kind: 'string', text: text.slice(start, prefixed), start, end: prefixed });
          at = prefixed;
          continue;
        }
      }
      at++;
      while (at < length && isWord(text.charCodeAt(at))) at++;
      tokens.push({ kind: 'word', text: text.slice(start, at), start, end: at });
      continue;
    }
    if (sort === ALONE && (c !== 91 /* [ */ || rules.identifierQuotes['['] === undefined)) {
      tokens.push({ kind: 'symbol', text: CHARACTERS[c] as string, start, end: ++at });
      continue;
    }
    if ((sort & DIGIT) !== 0 || (c === 46 /* . */ && isDigit(text.charCodeAt(at + 1)))) {
      at = numberEnd(text, at);
      tokens.push({ kind: 'number', text: text.slice(start, at), start, end: at });
      continue;
    }
    if (c === 45 /* - */ || c === 47 /* / */ || c === 35 /* # */ || c === 123 /* { */) {
      const end = commentEnd(text, at, rules);
      if (end !== undefined) {
        if (end < 0) {
          error = {
            message: `a comment opened with ${text.slice(start, start + 2)} is never closed`,
            start,
            end: Math.min(start + 2, length),
          };
          break;
        }
        comments.push({
          text: text.slice(start, end),
          start,
          end,
          isBlock: c === 123 || text.charCodeAt(start + 1) === 42,
        });
        at = end;
        continue;
      }
    }
    if (sort === OPERATOR && c !== 64 /* @ */) {
      const symbol = symbolAt(text, at, c);
      at += symbol.length;
      tokens.push({ kind: 'symbol', text: symbol, start, end: at });
      continue;
    }
    const rare = cutRare(text, at, rules, tokens);
    if ('message' in rare) {
      error = rare;
      break;
    }
    tokens.push(rare);
    at = rare.end;
  }
  const end = error?.start ?? length;
  tokens.push({ kind: 'end', text: '', start: end, end });
  return error === undefined ? { tokens, comments } : { tokens, comments, error };
}

/** Quotes, `$`, `?` and `@`. */
function cutRare(
  text: string,
  start: number,
  rules: LexicalRules,
  before: readonly Token[],
): Token | LexicalError {
  const char = text[start] as string;
  const token = (kind: TokenKind, end: number): Token => ({ kind, text: text.slice(start, end), start, end });
  if (char === "'" || (char === '"' && rules.doubleQuoteIsString)) {
    const end = quotedEnd(text, start, char, rules.backslashEscapes, rules.tripleQuotes);
    return end < 0 ? unclosed('string', start) : token('string', end);
  }
  const close = rules.identifierQuotes[char];
  if (close !== undefined && !(char === '[' && isSubscript(before))) {
    const end = quotedEnd(text, start, close, false, false);
    return end < 0 ? unclosed('quoted name', start) : token('name', end);
  }
  if (char === '[') return token('symbol', start + 1);
  if (char === '$') {
    const end = dollarEnd(text, start, rules);
    if (end < 0) return unclosed('$-quoted string', start);
    return token(
      text.charCodeAt(end - 1) === 36 && end > start + 1
        ? 'string'
        : end > start + 1
          ? 'parameter'
          : 'symbol',
      end,
    );
  }
  if (char === '?') {
    const isOperator = text[start + 1] === '|' || text[start + 1] === '&';
    return isOperator ? token('symbol', start + 2) : token('parameter', start + 1);
  }
  if (char === '@')
    return macroFollows(text, start + 1)
      ? token('at', start + 1)
      : token('symbol', start + symbolAt(text, start, 64).length);
  return { message: `the character ${JSON.stringify(char)} has no meaning here`, start, end: start + 1 };
}

/** The longest symbol that begins here. The string is the one of the table, so that equal symbols are the same string. */
function symbolAt(text: string, at: number, c: number): string {
  const next = text.charCodeAt(at + 1);
  if (!(next < 128) || ((CLASS[next] as number) & OPERATOR) === 0) return CHARACTERS[c] as string;
  return (
    SYMBOLS_3.get(text.slice(at, at + 3)) ??
    SYMBOLS_2.get(text.slice(at, at + 2)) ??
    (CHARACTERS[c] as string)
  );
}

function unclosed(what: string, start: number): LexicalError {
  return { message: `a ${what} that begins here is never closed`, start, end: start + 1 };
}

/** Where a comment that starts here ends: undefined when none starts, -1 when it is never closed. */
function commentEnd(text: string, at: number, rules: LexicalRules): number | undefined {
  const c = text[at];
  const next = text[at + 1];
  if (
    (c === '-' && next === '-') ||
    (c === '#' && rules.hashComments) ||
    (c === '/' && next === '/' && rules.slashComments)
  ) {
    let end = at;
    // A carriage return alone ends a line, too, as it does for the engines.
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === 10 || code === 13) break;
    }
    return end;
  }
  // Jinja's, which projects of SQLMesh and dbt also write in plain SQL.
  if (c === '{') {
    if (next !== '#') return undefined;
    const close = text.indexOf('#}', at + 2);
    return close < 0 ? -1 : close + 2;
  }
  if (c !== '/' || next !== '*') return undefined;
  if (!rules.nestedComments) {
    const close = text.indexOf('*/', at + 2);
    return close < 0 ? -1 : close + 2;
  }
  let depth = 1;
  let i = at + 2;
  // Looked for again only once they are passed: otherwise every one would search the rest of the text.
  let open = -2;
  let close = -2;
  while (i < text.length) {
    if (close < i) close = text.indexOf('*/', i);
    if (close < 0) return -1;
    if (open !== -1 && open < i) open = text.indexOf('/*', i);
    if (open >= 0 && open < close) {
      depth++;
      i = open + 2;
    } else {
      depth--;
      i = close + 2;
      if (depth === 0) return i;
    }
  }
  return -1;
}

/** `E'…'`, `x'…'`, `b"…"`, `r'…'`, `N'…'`: the end of such a string, -1 when unclosed, undefined when the word is only a word. */
function prefixedStringEnd(text: string, at: number, rules: LexicalRules): number | undefined {
  const next = text[at + 1];
  const second = text[at + 2];
  const isQuote = (c: string | undefined): boolean => c === "'" || (c === '"' && rules.doubleQuoteIsString);
  const prefix = (text[at] as string).toLowerCase();
  if (isQuote(next) && 'exbrnu'.includes(prefix))
    return quotedEnd(
      text,
      at + 1,
      next as string,
      prefix === 'e' || (rules.backslashEscapes && prefix !== 'r'),
      rules.tripleQuotes,
    );
  if (rules.tripleQuotes && isQuote(second) && /^(rb|br)$/i.test(text.slice(at, at + 2)))
    return quotedEnd(text, at + 2, second as string, false, true);
  return undefined;
}

/** The offset after a quoted run whose quote doubles inside, or -1. */
function quotedEnd(text: string, at: number, close: string, backslash: boolean, triple: boolean): number {
  if (triple && text.startsWith(close.repeat(3), at)) {
    const end = text.indexOf(close.repeat(3), at + 3);
    return end < 0 ? -1 : end + 3;
  }
  let i = at + 1;
  for (;;) {
    const end = text.indexOf(close, i);
    if (end < 0) return -1;
    if (backslash) {
      let slashes = 0;
      while (text[end - 1 - slashes] === '\\' && end - 1 - slashes > at) slashes++;
      if (slashes % 2 === 1) {
        i = end + 1;
        continue;
      }
    }
    if (text[end + 1] === close) {
      i = end + 2;
      continue;
    }
    return end + 1;
  }
}

const isHexadecimal = (c: number): boolean =>
  isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102) || c === 95;

function numberEnd(text: string, at: number): number {
  let i = at;
  if (text[i] === '0' && (text[i + 1] === 'x' || text[i + 1] === 'X')) {
    i += 2;
    while (isHexadecimal(text.charCodeAt(i))) i++;
    return i;
  }
  const digits = (): void => {
    while (isDigit(text.charCodeAt(i)) || (text[i] === '_' && isDigit(text.charCodeAt(i + 1)))) i++;
  };
  digits();
  if (text[i] === '.' && text[i + 1] !== '.') {
    i++;
    digits();
  }
  if (text[i] === 'e' || text[i] === 'E') {
    const sign = text[i + 1] === '+' || text[i + 1] === '-' ? 2 : 1;
    if (isDigit(text.charCodeAt(i + sign))) {
      i += sign;
      digits();
    }
  }
  return i;
}

/** After `$`: `$$…$$` or `$tag$…$tag$` (ends with `$`), `$1`, `$name`, or the bare sign; -1 when unclosed. */
function dollarEnd(text: string, at: number, rules: LexicalRules): number {
  let i = at + 1;
  while (i < text.length && text[i] !== '$' && isWord(text.charCodeAt(i))) i++;
  if (rules.dollarQuotes && text[i] === '$' && !isDigit(text.charCodeAt(at + 1))) {
    const tag = text.slice(at, i + 1);
    const close = text.indexOf(tag, i + 1);
    return close < 0 ? -1 : close + tag.length;
  }
  return i;
}

function macroFollows(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return (
    isWordStart(c) ||
    c === 123 /* { */ ||
    c === 39 /* ' */ ||
    c === 34 /* " */ ||
    c === 40 /* ( */ ||
    c === 64
  );
}

/** In T-SQL and SQLite `[` quotes a name unless it follows something it can index. */
function isSubscript(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  return last !== undefined && (last.kind === 'name' || last.text === ')' || last.text === ']');
}

/** The name a `word` or quoted `name` token stands for. */
export function identifierText(token: Token): string {
  if (token.kind !== 'name') return token.text;
  const close = token.text.at(-1) as string;
  return token.text.slice(1, -1).replaceAll(close + close, close);
}

/** The value of a string token, prefix and quotes removed; escapes are resolved only where the prefix or dialect has them. */
export function stringText(token: Token, dialect: Dialect = 'duckdb'): string {
  const rules = lexicalRules(dialect);
  const raw = token.text;
  // Almost every string: one quote at each end and nothing to undo between them.
  if (
    raw.charCodeAt(0) === QUOTE &&
    raw.indexOf("'", 1) === raw.length - 1 &&
    !(rules.backslashEscapes && raw.includes('\\'))
  )
    return raw.slice(1, -1);
  if (raw[0] === '$') {
    const tag = raw.slice(0, raw.indexOf('$', 1) + 1);
    return raw.slice(tag.length, raw.length - tag.length);
  }
  const open = raw.search(/['"]/);
  const prefix = raw.slice(0, open).toLowerCase();
  const quote = raw[open] as string;
  const isTriple = rules.tripleQuotes && raw.startsWith(quote.repeat(3), open) && raw.length - open >= 6;
  const body = isTriple ? raw.slice(open + 3, -3) : raw.slice(open + 1, -1).replaceAll(quote + quote, quote);
  if (prefix === 'e' || (rules.backslashEscapes && !prefix.includes('r')))
    return body.replace(/\\(.)/gs, (_, c: string) => ESCAPES[c] ?? c);
  return body;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' };

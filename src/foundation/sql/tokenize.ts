import { type Dialect, type LexicalRules, lexicalRules } from './dialect.ts';
import type { Comment, LexicalError, Token, TokenKind, Tokens } from './token.ts';

const SYMBOLS_3 = new Set(['->>', '<=>', '!~*', '~~*', '#>>', '...', '!~~', '-|-', '<->']);
const SYMBOLS_2 = new Set([
  '::', ':=', '=>', '->', '||', '<=', '>=', '<>', '!=', '==', '**', '^@', '~~', '!~', '~*', '@>', '<@', '&&', '<<', '>>', '//', '#>', '..', '{{', '}}', '{%', '%}', '?|', '?&', '|>',
]); // biome-ignore format: a table

const SPACE = 1;
const DIGIT = 2;
const WORD_START = 4;
const WORD = 8;

const CLASS = new Uint8Array(128);
for (const c of ' \t\n\r\f\v') CLASS[c.charCodeAt(0)] = SPACE;
for (let c = 48; c <= 57; c++) CLASS[c] = DIGIT | WORD;
for (let c = 97; c <= 122; c++) CLASS[c] = CLASS[c - 32] = WORD_START | WORD;
CLASS[95] = WORD_START | WORD;
CLASS[36] = WORD;

const isSpace = (c: number): boolean => (c < 128 ? (CLASS[c] as number) & SPACE : c === 0xa0 || c === 0xfeff || c === 0x3000) !== 0 && c > 0;
const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isWordStart = (c: number): boolean => (c < 128 ? ((CLASS[c] as number) & WORD_START) !== 0 : c !== 0xa0 && c !== 0xfeff && c !== 0x3000);
const isWord = (c: number): boolean => (c < 128 ? ((CLASS[c] as number) & WORD) !== 0 : c !== 0xa0 && c !== 0xfeff && c !== 0x3000);

/**
 * Cuts SQL (with macro signs still in it) into tokens. Never throws: at the first thing it cannot cut it stops, says why, and returns what it has.
 * One pass, no backtracking, so its time is linear in the text whatever the text is.
 */
export function tokenize(text: string, dialect: Dialect = 'duckdb'): Tokens {
  const rules = lexicalRules(dialect);
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  const length = text.length;
  let error: LexicalError | undefined;
  let at = 0;
  const push = (kind: TokenKind, start: number, end: number): void => {
    tokens.push({ kind, text: text.slice(start, end), start, end });
  };
  while (at < length) {
    const c = text.charCodeAt(at);
    if (isSpace(c)) {
      at++;
      continue;
    }
    const start = at;
    const comment = commentEnd(text, at, rules);
    if (comment !== undefined) {
      if (comment < 0) {
        error = { message: 'a comment opened with /* is never closed', start, end: Math.min(start + 2, length) };
        break;
      }
      comments.push({ text: text.slice(start, comment), start, end: comment, isBlock: text[start + 1] === '*' });
      at = comment;
      continue;
    }
    if (isWordStart(c)) {
      const prefixed = prefixedStringEnd(text, at, rules);
      if (prefixed !== undefined) {
        if (prefixed < 0) {
          error = unclosed('string', start);
          break;
        }
        push('string', start, prefixed);
        at = prefixed;
        continue;
      }
      at++;
      while (at < length && isWord(text.charCodeAt(at))) at++;
      push('word', start, at);
      continue;
    }
    if (isDigit(c) || (c === 46 && isDigit(text.charCodeAt(at + 1)))) {
      at = numberEnd(text, at);
      push('number', start, at);
      continue;
    }
    const char = text[at] as string;
    if (char === "'" || (char === '"' && rules.doubleQuoteIsString)) {
      const end = quotedEnd(text, at, char, rules.backslashEscapes, rules.tripleQuotes);
      if (end < 0) {
        error = unclosed('string', start);
        break;
      }
      push('string', start, end);
      at = end;
      continue;
    }
    const close = rules.identifierQuotes[char];
    if (close !== undefined && !(char === '[' && isSubscript(tokens))) {
      const end = quotedEnd(text, at, close, false, false);
      if (end < 0) {
        error = unclosed('quoted name', start);
        break;
      }
      push('name', start, end);
      at = end;
      continue;
    }
    if (char === '$') {
      const end = dollarEnd(text, at, rules);
      if (end < 0) {
        error = unclosed('$-quoted string', start);
        break;
      }
      push(text.charCodeAt(end - 1) === 36 && end > at + 1 ? 'string' : end > at + 1 ? 'parameter' : 'symbol', start, end);
      at = end;
      continue;
    }
    if (char === '?' && text[at + 1] !== '|' && text[at + 1] !== '&') {
      push('parameter', start, ++at);
      continue;
    }
    if (char === '@' && macroFollows(text, at + 1)) {
      push('at', start, ++at);
      continue;
    }
    const three = text.slice(at, at + 3);
    const size = SYMBOLS_3.has(three) ? 3 : SYMBOLS_2.has(three.slice(0, 2)) ? 2 : 1;
    if (size === 1 && !SYMBOLS_1.includes(char)) {
      error = { message: `the character ${JSON.stringify(char)} has no meaning here`, start, end: start + 1 };
      break;
    }
    at += size;
    push('symbol', start, at);
  }
  const end = error?.start ?? length;
  tokens.push({ kind: 'end', text: '', start: end, end });
  return error === undefined ? { tokens, comments } : { tokens, comments, error };
}

const SYMBOLS_1 = '()[]{},;.+-*/%<>=!~^&|:@#\\';

function unclosed(what: string, start: number): LexicalError {
  return { message: `a ${what} that begins here is never closed`, start, end: start + 1 };
}

/** Where a comment that starts here ends: undefined when none starts, -1 when it is never closed. */
function commentEnd(text: string, at: number, rules: LexicalRules): number | undefined {
  const c = text[at];
  const next = text[at + 1];
  if ((c === '-' && next === '-') || (c === '#' && rules.hashComments) || (c === '/' && next === '/' && rules.slashComments)) {
    const newline = text.indexOf('\n', at);
    return newline < 0 ? text.length : newline;
  }
  if (c !== '/' || next !== '*') return undefined;
  if (!rules.nestedComments) {
    const close = text.indexOf('*/', at + 2);
    return close < 0 ? -1 : close + 2;
  }
  let depth = 1;
  let i = at + 2;
  while (i < text.length) {
    const close = text.indexOf('*/', i);
    if (close < 0) return -1;
    const open = text.indexOf('/*', i);
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
    return quotedEnd(text, at + 1, next as string, prefix === 'e' || (rules.backslashEscapes && prefix !== 'r'), rules.tripleQuotes);
  if (rules.tripleQuotes && isQuote(second) && /^(rb|br)$/i.test(text.slice(at, at + 2))) return quotedEnd(text, at + 2, second as string, false, true);
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

function numberEnd(text: string, at: number): number {
  let i = at;
  if (text[i] === '0' && (text[i + 1] === 'x' || text[i + 1] === 'X')) {
    i += 2;
    while (/[0-9a-fA-F_]/.test(text[i] ?? '')) i++;
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
  return isWordStart(c) || c === 123 /* { */ || c === 39 /* ' */ || c === 34 /* " */ || c === 40 /* ( */ || c === 64;
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
  if (raw[0] === '$') {
    const tag = raw.slice(0, raw.indexOf('$', 1) + 1);
    return raw.slice(tag.length, raw.length - tag.length);
  }
  const open = raw.search(/['"]/);
  const prefix = raw.slice(0, open).toLowerCase();
  const quote = raw[open] as string;
  const isTriple = rules.tripleQuotes && raw.startsWith(quote.repeat(3), open) && raw.length - open >= 6;
  const body = isTriple ? raw.slice(open + 3, -3) : raw.slice(open + 1, -1).replaceAll(quote + quote, quote);
  if (prefix === 'e' || (rules.backslashEscapes && !prefix.includes('r'))) return body.replace(/\\(.)/gs, (_, c: string) => ESCAPES[c] ?? c);
  return body;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' };

/** What stands beside a macro decides what its text must look like: part of a longer name, a table, an item of a list. */
import type { Token } from '../../foundation/sql/token.ts';

/** One part of a run of tokens without blanks between them: `foo_@{x}_bar` has three. */
export interface TokenRunPart {
  readonly kind: 'text' | 'plain' | 'braced';
  /** The text, or the variable's name. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface TokenRun {
  readonly parts: readonly TokenRunPart[];
  readonly start: number;
  readonly end: number;
  /** Index of the token after the run. */
  readonly next: number;
}

/** The name made of words, `@x` and `@{x}` that begins at a token; undefined when no macro sign is in it. */
export function gluedRun(tokens: readonly Token[], at: number, to: number): TokenRun | undefined {
  const parts: TokenRunPart[] = [];
  const start = (tokens[at] as Token).start;
  let i = at;
  let end = start;
  let hasSign = false;
  while (i < to) {
    const token = tokens[i] as Token;
    if (token.start !== end) break;
    if (token.kind === 'word' || (token.kind === 'number' && parts.length > 0 && /^\d+$/.test(token.text))) {
      parts.push({ kind: 'text', text: token.text, start: token.start, end: token.end });
      end = token.end;
      i++;
      continue;
    }
    if (token.kind !== 'at') break;
    const [first, second, third] = [tokens[i + 1], tokens[i + 2], tokens[i + 3]];
    if (first?.text === '{' && second?.kind === 'word' && third?.text === '}' && i + 3 < to) {
      parts.push({ kind: 'braced', text: second.text, start: token.start, end: third.end });
      end = third.end;
      i += 4;
    } else if (first?.kind === 'word' && i + 1 < to) {
      parts.push({ kind: 'plain', text: first.text, start: token.start, end: first.end });
      end = first.end;
      i += 2;
    } else break;
    hasSign = true;
  }
  return hasSign ? { parts, start, end, next: i } : undefined;
}

const OPERATOR_WORDS =
  /^(AND|OR|NOT|IN|LIKE|ILIKE|BETWEEN|IS|CASE|WHEN|THEN|ELSE|SELECT|DISTINCT|FROM|JOIN|WHERE|ON|BY|HAVING|LIMIT|OFFSET|QUALIFY|AS|UNION|ALL|VALUES|SET|INTERVAL)$/i;

/** A word after which a macro begins something new even without a blank: `AND@x`. */
export function isOperatorWord(word: string): boolean {
  return OPERATOR_WORDS.test(word);
}

/** Whether a text put right after a character would be read together with it: `-` and `-5` make a comment. */
export function wouldJoin(last: string, text: string): boolean {
  const first = text[0];
  if (first === undefined || last === '') return false;
  if (last === '-' || last === '/') return first === last || (last === '/' && first === '*');
  return /[\w$]/.test(last) && /[\w$'"]/.test(first);
}

const TABLE_WORDS = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE', 'TABLE', 'VIEW']);
const OTHER_CLAUSES = new Set([
  'SELECT',
  'WHERE',
  'ON',
  'USING',
  'BY',
  'HAVING',
  'SET',
  'VALUES',
  'LIMIT',
  'QUALIFY',
  'RETURNING',
]);
const FROM_FUNCTIONS = new Set(['EXTRACT', 'TRIM', 'SUBSTRING', 'OVERLAY', 'POSITION']);
const LOOK_BACK_MAX = 2_000;

/** Whether a text value at this place would be read as a table or part of a dotted name, so that it has to be a name instead. */
export function isTablePosition(tokens: readonly Token[], at: number, next: number): boolean {
  const before = tokens[at - 1];
  const after = tokens[next];
  if (before?.text === '.' || (after?.text === '.' && tokens[next - 1]?.end === after.start)) return true;
  if (before === undefined) return false;
  if (before.kind === 'word' && TABLE_WORDS.has(before.text.toUpperCase()))
    return !isFromOfFunction(tokens, at - 1);
  if (before.text !== ',') return false;
  let depth = 0;
  for (let i = at - 1, steps = 0; i >= 0 && steps < LOOK_BACK_MAX; i--, steps++) {
    const token = tokens[i] as Token;
    if (token.text === ')' || token.text === ']') depth++;
    else if (token.text === '(' || token.text === '[') {
      if (depth-- === 0) return false;
    } else if (token.kind === 'word' && depth === 0) {
      const word = token.text.toUpperCase();
      if (OTHER_CLAUSES.has(word)) return false;
      if (word === 'FROM' || word === 'JOIN') return !isFromOfFunction(tokens, i);
    }
  }
  return false;
}

/** `EXTRACT(year FROM x)` and `IS DISTINCT FROM x` have a FROM that no table follows. */
function isFromOfFunction(tokens: readonly Token[], at: number): boolean {
  if ((tokens[at] as Token).text.toUpperCase() !== 'FROM') return false;
  if (tokens[at - 1]?.text.toUpperCase() === 'DISTINCT' && /^(IS|NOT)$/i.test(tokens[at - 2]?.text ?? ''))
    return true;
  let depth = 0;
  for (let i = at - 1, steps = 0; i >= 0 && steps < LOOK_BACK_MAX; i--, steps++) {
    const token = tokens[i] as Token;
    if (token.text === ')') depth++;
    else if (token.text === '(' && depth-- === 0)
      return FROM_FUNCTIONS.has(tokens[i - 1]?.text.toUpperCase() ?? '');
    else if (token.kind === 'word' && depth === 0 && token.text.toUpperCase() === 'SELECT') return false;
  }
  return false;
}

const ITEM_ENDS = new Set([
  ',', ')', ']', ';', 'FROM', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'OFFSET', 'QUALIFY', 'WINDOW', 'UNION', 'EXCEPT', 'INTERSECT', 'FETCH', 'DESC', 'ASC',
]); // biome-ignore format: a table

/** Whether an item of a list ends before this token. */
export function endsItem(token: Token | undefined): boolean {
  return (
    token === undefined ||
    token.kind === 'end' ||
    token.kind === 'at' ||
    ITEM_ENDS.has(token.text.toUpperCase())
  );
}

const LIST_OPENERS = new Set(['(', '[', 'SELECT', 'DISTINCT', 'ALL', 'BY', 'SET', 'VALUES', 'RETURNING']);

/** Whether the first item of a list follows this token. */
export function opensList(token: Token): boolean {
  return LIST_OPENERS.has(token.text.toUpperCase());
}

/*
 * Which objects a text of statements changes, found by its words and not by a full grammar: statements beside a query
 * are the engine's own and may say what no parser of ours knows. A name that a macro makes is not seen.
 */
import type { Dialect } from './dialect.ts';
import type { Token } from './token.ts';
import { tokenize } from './tokenize.ts';

/** An object that a statement changes, with where its name stands. */
export interface WrittenTable {
  readonly parts: readonly { readonly name: string; readonly quoted: boolean }[];
  readonly start: number;
  readonly end: number;
}

/** Every object behind INSERT, UPDATE, DELETE, MERGE, TRUNCATE, COPY … FROM, and CREATE, ALTER or DROP of a table, view or schema. */
export function writtenTables(text: string, dialect: Dialect): readonly WrittenTable[] {
  if (!/\b(?:INTO|OVERWRITE|UPDATE|DELETE|TRUNCATE|COPY|CREATE|ALTER|DROP)\b/i.test(text)) return [];
  const { tokens } = tokenize(text, dialect);
  const found: WrittenTable[] = [];
  for (let i = 0; i < tokens.length; i++) found.push(...targetsAt(tokens, i));
  return found;
}

/** Words that may stand between what is done and the name of what it is done to. */
const BETWEEN = new Set(['IF', 'NOT', 'EXISTS', 'ONLY', 'TABLE', 'INTO']);
const OBJECTS = new Set(['TABLE', 'VIEW', 'SCHEMA', 'DATABASE']);
/** Words before OBJECTS: `CREATE OR REPLACE TEMP TABLE`. Temporary ones are nobody else's. */
const KINDS = new Set(['OR', 'REPLACE', 'MATERIALIZED', 'EXTERNAL', 'TRANSIENT', 'RECURSIVE', 'FOREIGN']);

function targetsAt(tokens: readonly Token[], at: number): readonly WrittenTable[] {
  const word = wordAt(tokens, at);
  switch (word) {
    case 'INTO':
    case 'OVERWRITE': {
      // SELECT … INTO and INSERT OVERWRITE INTO are not looked at twice.
      const isInsert = /^(?:INSERT|MERGE|REPLACE|IGNORE|ABORT|FAIL|ROLLBACK)$/.test(wordAt(tokens, at - 1));
      return isInsert ? namesFrom(tokens, at + 1, false) : [];
    }
    case 'DELETE':
      return wordAt(tokens, at + 1) === 'FROM' ? namesFrom(tokens, at + 2, false) : [];
    case 'UPDATE':
      return isStart(tokens, at) ? namesFrom(tokens, at + 1, false) : [];
    case 'TRUNCATE':
      return isStart(tokens, at) ? namesFrom(tokens, at + 1, true) : [];
    case 'COPY':
      return isStart(tokens, at) ? copied(tokens, at) : [];
    case 'CREATE':
    case 'ALTER':
    case 'DROP':
      return isStart(tokens, at) ? objects(tokens, at, word === 'DROP') : [];
    default:
      return [];
  }
}

/** Whether a statement may begin here: `DO UPDATE`, `FOR UPDATE`, `ON UPDATE` and `DROP` behind ALTER do not. */
function isStart(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  // EXPLAIN ANALYZE does what it explains.
  const isBehindWord = ['AS', 'ANALYZE'].includes(wordAt(tokens, at - 1));
  return before === undefined || before === ';' || before === ')' || isBehindWord;
}

function objects(tokens: readonly Token[], at: number, isList: boolean): readonly WrittenTable[] {
  let next = at + 1;
  while (KINDS.has(wordAt(tokens, next))) next++;
  return OBJECTS.has(wordAt(tokens, next)) ? namesFrom(tokens, next + 1, isList) : [];
}

function copied(tokens: readonly Token[], at: number): readonly WrittenTable[] {
  const names = namesFrom(tokens, at + 1, false);
  const end = names[0]?.end ?? 0;
  let next = tokens.findIndex(({ start }) => start >= end);
  if (tokens[next]?.text === '(') next = tokens.findIndex(({ text }, i) => i > next && text === ')') + 1;
  return wordAt(tokens, next) === 'FROM' ? names : [];
}

function namesFrom(tokens: readonly Token[], from: number, isList: boolean): readonly WrittenTable[] {
  const found: WrittenTable[] = [];
  let at = from;
  while (BETWEEN.has(wordAt(tokens, at))) at++;
  for (;;) {
    const parts: Token[] = [];
    while (isName(tokens[at])) {
      parts.push(tokens[at] as Token);
      if (tokens[at + 1]?.text !== '.') break;
      at += 2;
    }
    const [first, last] = [parts[0], parts.at(-1)];
    if (first === undefined || last === undefined || !isName(tokens[at])) return found;
    found.push({
      parts: parts.map((token) => ({ name: bare(token), quoted: token.kind === 'name' })),
      start: first.start,
      end: last.end,
    });
    if (!isList || tokens[at + 1]?.text !== ',') return found;
    at += 2;
  }
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'name';

/** An unquoted word in capitals; empty for everything else. */
function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.kind === 'word' ? token.text.toUpperCase() : '';
}

function bare(token: Token): string {
  if (token.kind !== 'name') return token.text;
  const close = token.text.slice(-1);
  return token.text.slice(1, -1).replaceAll(close + close, close);
}

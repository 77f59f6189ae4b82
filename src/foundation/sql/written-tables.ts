/*
 * Which objects a text of statements changes, found by its words and not by a full grammar: statements beside a query
 * are the engine's own and may say what no parser of ours knows. A name that a macro makes is not seen.
 */
import type { Dialect } from './dialect.ts';
import type { Token } from './token.ts';
import { tokenize } from './tokenize.ts';
import { isKnownFunction } from './types/function-table.ts';

/** An object that a statement changes, with where its name stands; a rename gives the old name and the new one. */
export interface WrittenTable {
  readonly change: 'rows' | 'create' | 'replace' | 'alter' | 'rename' | 'drop';
  readonly object: 'table' | 'view' | 'schema';
  readonly parts: readonly { readonly name: string; readonly quoted: boolean }[];
  readonly start: number;
  readonly end: number;
}

/** Every object behind INSERT, UPDATE, DELETE, MERGE, TRUNCATE, COPY … FROM, and CREATE, ALTER or DROP of a table, view or schema. */
export function writtenTables(text: string, dialect: Dialect): readonly WrittenTable[] {
  if (!/\b(?:INTO|OVERWRITE|UPDATE|DELETE|TRUNCATE|COPY|CREATE|ALTER|DROP)\b/i.test(text)) return [];
  const tokens = tokensOf(text, dialect);
  const found: WrittenTable[] = [];
  for (let i = 0; i < tokens.length; i++) found.push(...targetsAt(tokens, i));
  return found;
}

/**
 * The statement after which names mean something else (a macro may take the name of a function, even of `count(*)`), or that
 * executes a file that is not read here; undefined: there is none.
 */
export function redirectingWords(text: string, dialect: Dialect): string | undefined {
  if (dialect !== 'duckdb' || !/\b(?:USE|SET|RESET|PRAGMA|IMPORT|MACRO|FUNCTION)\b/i.test(text))
    return undefined;
  const tokens = tokensOf(text, dialect);
  for (let i = 0; i < tokens.length; i++) {
    const word = wordAt(tokens, i);
    if (!isStart(tokens, i)) continue;
    if (word === 'USE' || word === 'IMPORT') return word;
    const macro = word === 'CREATE' ? macroAt(tokens, i + 1) : undefined;
    if (macro !== undefined && (isKnownFunction(macro) || macro.includes('\\')))
      return `CREATE MACRO ${macro}`;
    if (word !== 'SET' && word !== 'RESET' && word !== 'PRAGMA') continue;
    const named = tokens[/^(?:SESSION|LOCAL|GLOBAL)$/.test(wordAt(tokens, i + 1)) ? i + 2 : i + 1];
    const name = named === undefined ? '' : bare(named);
    if (/^(?:schema|search_path|import_database)$/i.test(name)) return `${word} ${name}`;
  }
  return undefined;
}

function macroAt(tokens: readonly Token[], from: number): string | undefined {
  let at = from;
  while (/^(?:OR|REPLACE|TEMP|TEMPORARY|LOCAL|GLOBAL|UNLOGGED)$/.test(wordAt(tokens, at))) at++;
  if (!/^(?:MACRO|FUNCTION)$/.test(wordAt(tokens, at))) return undefined;
  return namesFrom(tokens, at + 1, false)[0]
    ?.parts.at(-1)
    ?.name.toLowerCase();
}

/** DuckDB takes these for spaces; a backtick, which it takes for an operator, would end our reading. */
function tokensOf(text: string, dialect: Dialect): readonly Token[] {
  const spaced = text.replace(/[\u2000-\u200b\u202f\u205f\u2060]/g, ' ');
  return tokenize(dialect === 'duckdb' ? spaced.replaceAll('`', ' ') : spaced, dialect).tokens;
}

/** Words that may stand between what is done and the name of what it is done to. */
const BETWEEN = new Set(['IF', 'NOT', 'EXISTS', 'ONLY', 'TABLE', 'INTO']);
const OBJECTS: ReadonlyMap<string, WrittenTable['object']> = new Map([
  ['TABLE', 'table'],
  ['VIEW', 'view'],
  ['SCHEMA', 'schema'],
  ['DATABASE', 'schema'],
]);

function targetsAt(tokens: readonly Token[], at: number): readonly WrittenTable[] {
  const word = wordAt(tokens, at);
  switch (word) {
    case 'INTO':
    case 'OVERWRITE': {
      // SELECT … INTO and INSERT OVERWRITE INTO are not looked at twice.
      const isInsert = /^(?:INSERT|MERGE|REPLACE|IGNORE|ABORT|FAIL|ROLLBACK)$/.test(wordAt(tokens, at - 1));
      return isInsert ? rowsOf(namesFrom(tokens, at + 1, false)) : [];
    }
    case 'DELETE':
      return wordAt(tokens, at + 1) === 'FROM' ? rowsOf(namesFrom(tokens, at + 2, false)) : [];
    case 'UPDATE':
      return isStart(tokens, at) ? rowsOf(namesFrom(tokens, at + 1, false)) : [];
    case 'TRUNCATE':
      return isStart(tokens, at) ? rowsOf(namesFrom(tokens, at + 1, true)) : [];
    case 'COPY':
      return isStart(tokens, at) ? rowsOf(copied(tokens, at)) : [];
    case 'CREATE':
    case 'ALTER':
    case 'DROP':
      return isStart(tokens, at) ? objects(tokens, at, word) : [];
    default:
      return [];
  }
}

/** Whether a statement may begin here: `DO UPDATE`, `FOR UPDATE`, `ON UPDATE` and `DROP` behind ALTER do not. */
function isStart(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  // EXPLAIN ANALYZE does what it explains.
  const isBehindWord = ['AS', 'ANALYZE', 'ANALYSE'].includes(wordAt(tokens, at - 1));
  return before === undefined || [';', '(', ')'].includes(before) || isBehindWord;
}

function objects(tokens: readonly Token[], at: number, verb: Verb): readonly WrittenTable[] {
  let next = at + 1;
  let isReplaced = false;
  // Engines have many words before the object. Temporary ones belong to the session alone.
  for (; !OBJECTS.has(wordAt(tokens, next)); next++) {
    if (/^(?:TEMP|TEMPORARY)?$/.test(wordAt(tokens, next))) return [];
    isReplaced ||= wordAt(tokens, next) === 'REPLACE';
  }
  const object = OBJECTS.get(wordAt(tokens, next)) ?? 'table';
  const names = namesFrom(tokens, next + 1, verb === 'DROP');
  if (verb === 'DROP') return names.map((name) => ({ ...name, change: 'drop', object }));
  if (verb === 'CREATE')
    return names.map((name) => ({ ...name, change: isReplaced ? 'replace' : 'create', object }));
  return names.flatMap((name) => altered(tokens, name, object));
}

/** `RENAME TO` another name in the same schema; `RENAME a TO b` is about a column. */
function altered(
  tokens: readonly Token[],
  name: Name,
  object: WrittenTable['object'],
): readonly WrittenTable[] {
  const next = tokens.findIndex(({ start }) => start >= name.end);
  if (wordAt(tokens, next) !== 'RENAME' || wordAt(tokens, next + 1) !== 'TO')
    return [{ ...name, change: 'alter', object }];
  const renamed = namesFrom(tokens, next + 2, false).map(({ parts, ...place }) => ({
    ...place,
    parts: [...name.parts.slice(0, -parts.length), ...parts],
  }));
  return [name, ...renamed].map((one) => ({ ...one, change: 'rename', object }));
}

function copied(tokens: readonly Token[], at: number): readonly Name[] {
  const names = namesFrom(tokens, at + 1, false);
  const end = names[0]?.end ?? 0;
  let next = tokens.findIndex(({ start }) => start >= end);
  if (tokens[next]?.text === '(') next = tokens.findIndex(({ text }, i) => i > next && text === ')') + 1;
  return wordAt(tokens, next) === 'FROM' ? names : [];
}

type Name = Omit<WrittenTable, 'change' | 'object'>;
type Verb = 'CREATE' | 'ALTER' | 'DROP';

const rowsOf = (names: readonly Name[]): readonly WrittenTable[] =>
  names.map((name) => ({ ...name, change: 'rows', object: 'table' }));

function namesFrom(tokens: readonly Token[], from: number, isList: boolean): readonly Name[] {
  const found: Name[] = [];
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
      parts: parts.map((token) => ({ name: bare(token), quoted: token.kind !== 'word' })),
      start: first.start,
      end: last.end,
    });
    if (!isList || tokens[at + 1]?.text !== ',') return found;
    at += 2;
  }
}

/** DuckDB takes a string for a name that stands alone. */
const isName = (token: Token | undefined): boolean =>
  token !== undefined && ['word', 'name', 'string'].includes(token.kind);

/** An unquoted word in capitals; empty for everything else. */
function wordAt(tokens: readonly Token[], at: number): string {
  const token = tokens[at];
  return token?.kind === 'word' ? token.text.toUpperCase() : '';
}

function bare({ kind, text }: Token): string {
  if (kind === 'word') return text;
  const dollars = /^\$\w*\$/.exec(text)?.[0].length;
  if (dollars !== undefined) return text.slice(dollars, -dollars);
  const close = text.slice(-1);
  // A string may have a letter before its quote.
  const open = kind === 'string' ? text.indexOf(close) : 0;
  return text.slice(open + 1, -1).replaceAll(close + close, close);
}

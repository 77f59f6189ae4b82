import type { SqlText } from '../../domain/sql-text.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { closingIndex, nesting } from '../../foundation/sql/token-ranges.ts';
import { type BlockReader, isBlockStart, report } from './header/block.ts';
import { isSymbol, isWord } from './header/slice.ts';

/** One statement of a file after its block, as a run of tokens; Jinja statements have none worth looking at. */
export interface SqlStatement {
  readonly sql: SqlText;
  /** Indexes into the file's tokens, half-open; equal for Jinja. */
  readonly from: number;
  readonly to: number;
  /** Written between ON_VIRTUAL_UPDATE_BEGIN and _END. */
  readonly isVirtualUpdate: boolean;
  /** A JINJA_QUERY section. */
  readonly isJinjaQuery: boolean;
  /** Where the statement ends in the file: its semicolon, or the end of the text. */
  readonly endsAt: number;
}

export interface CutSql {
  readonly statements: readonly SqlStatement[];
  /** Index of the first token that belongs to none of the statements: an AUDIT or MODEL block, or the end. */
  readonly next: number;
}

/**
 * Cuts what follows a block into statements, up to the next AUDIT or MODEL block.
 *
 *   SET x = 1;  SELECT …;  JINJA_STATEMENT_BEGIN; … JINJA_END;  ON_VIRTUAL_UPDATE_BEGIN; GRANT …; ON_VIRTUAL_UPDATE_END;
 *
 * `text` is the file as read; `tokens` were cut from it with Jinja sections blanked. Unclosed sections are reported.
 */
export function cutSqlStatements(
  file: string,
  text: string,
  tokens: readonly Token[],
  from: number,
  reader: BlockReader,
): CutSql {
  const statements: SqlStatement[] = [];
  const unclosed = (begin: string, end: string, token: Token): void =>
    report(reader, 'model.unclosed-section', { begin, end }, { file, start: token.start, end: token.end });
  const end = tokens.length - 1;
  let virtual: Token | undefined;
  let i = from;
  while (i < end) {
    const token = tokens[i] as Token;
    if (isSymbol(token, ';')) {
      i++;
      continue;
    }
    if (isBlockStart(tokens, i, 'AUDIT') || isBlockStart(tokens, i, 'MODEL')) break;
    const marker = markerAt(tokens, i);
    if (marker === 'ON_VIRTUAL_UPDATE_BEGIN') {
      virtual = token;
      i += 2;
      continue;
    }
    if (marker === 'ON_VIRTUAL_UPDATE_END') {
      virtual = undefined;
      i += 1;
      continue;
    }
    if (marker === 'JINJA_QUERY_BEGIN' || marker === 'JINJA_STATEMENT_BEGIN') {
      const close = closingMarker(tokens, i + 2);
      if (close === undefined) unclosed(marker, 'JINJA_END', token);
      const bodyStart = (tokens[i + 1] as Token).end;
      const bodyEnd = close === undefined ? text.length : (tokens[close] as Token).start;
      const lead = text.slice(bodyStart, bodyEnd).search(/\S|$/);
      const body = text.slice(bodyStart, bodyEnd).trim();
      statements.push({
        sql: { text: body, start: bodyStart + lead, isJinja: true },
        from: i,
        to: i,
        isVirtualUpdate: virtual !== undefined,
        isJinjaQuery: marker === 'JINJA_QUERY_BEGIN',
        endsAt: bodyEnd,
      });
      i = close === undefined ? end : close + 1;
      continue;
    }
    let to = i + 1;
    while (to < end && !isSymbol(tokens[to], ';') && markerAt(tokens, to) === undefined) to++;
    const last = tokens[to - 1] as Token;
    statements.push({
      sql: { text: text.slice(token.start, last.end), start: token.start, isJinja: false },
      from: i,
      to,
      isVirtualUpdate: virtual !== undefined,
      isJinjaQuery: false,
      endsAt: (tokens[to] as Token).start,
    });
    i = to;
  }
  if (virtual !== undefined) unclosed('ON_VIRTUAL_UPDATE_BEGIN', 'ON_VIRTUAL_UPDATE_END', virtual);
  return { statements, next: i };
}

/** Some projects close a section with the word of its kind. */
const JINJA_ENDS = ['JINJA_END', 'JINJA_QUERY_END', 'JINJA_STATEMENT_END'];

const MARKERS = new Set([
  'JINJA_QUERY_BEGIN',
  'JINJA_STATEMENT_BEGIN',
  ...JINJA_ENDS,
  'ON_VIRTUAL_UPDATE_BEGIN',
  'ON_VIRTUAL_UPDATE_END',
]);

/** The section marker at this token: the word with a semicolon behind it (an end marker may be the last word of the file). */
function markerAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at] as Token;
  if (token.kind !== 'word' || token.text.length < 9) return undefined;
  const word = token.text.toUpperCase();
  if (!MARKERS.has(word)) return undefined;
  const next = tokens[at + 1];
  return isSymbol(next, ';') || (next?.kind === 'end' && word.endsWith('_END')) ? word : undefined;
}

function closingMarker(tokens: readonly Token[], from: number): number | undefined {
  for (let i = from; i < tokens.length - 1; i++)
    if (JINJA_ENDS.some((word) => isWord(tokens[i], word))) return i;
  return undefined;
}

const QUERY_WORDS = new Set([
  'SELECT',
  'FROM',
  'VALUES',
  'PIVOT',
  'UNPIVOT',
  'TABLE',
  'DESCRIBE',
  'SUMMARIZE',
  'SHOW',
]);
const WRITE_WORDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Whether a statement is a query by its first words; a lone macro call is decided by `soleMacroCall`. */
export function isQuery(tokens: readonly Token[], statement: SqlStatement): boolean {
  if (statement.sql.isJinja) return statement.isJinjaQuery;
  let i = statement.from;
  while (i < statement.to && isSymbol(tokens[i], '(')) i++;
  const first = tokens[i] as Token;
  if (first.kind === 'at') return isWord(tokens[i + 1], 'WITH') || isWord(tokens[i + 1], 'UNION');
  if (first.kind !== 'word') return false;
  const word = first.text.toUpperCase();
  if (word !== 'WITH') return QUERY_WORDS.has(word);
  for (let depth = 0; i < statement.to; i++) {
    const token = tokens[i] as Token;
    depth += nesting(token);
    if (depth < 0) return true;
    if (
      depth === 0 &&
      token.kind === 'word' &&
      WRITE_WORDS.has(token.text.toUpperCase()) &&
      !isSymbol(tokens[i - 1], '.')
    ) {
      // `WITH update AS (…)` names a table; only a verb that follows a closed table is one.
      if (isSymbol(tokens[i - 1], ')')) return false;
    }
  }
  return true;
}

/** The name of the macro when the whole statement is one call: `@my_query(…)`; undefined otherwise. */
export function soleMacroCall(tokens: readonly Token[], statement: SqlStatement): string | undefined {
  const [sign, name] = [tokens[statement.from], tokens[statement.from + 1]];
  if (statement.sql.isJinja || sign?.kind !== 'at' || name?.kind !== 'word') return undefined;
  if (!isSymbol(tokens[statement.from + 2], '(')) return undefined;
  return closingIndex(tokens, statement.from + 2, statement.to) === statement.to - 1
    ? name.text.toUpperCase()
    : undefined;
}

const TRANSACTION_WORDS = new Set(['BEGIN', 'COMMIT', 'ROLLBACK', 'ABORT', 'END', 'SAVEPOINT']);
const SETTING_WORDS = new Set(['SET', 'RESET', 'INSTALL', 'LOAD', 'ATTACH', 'DETACH', 'USE', 'PRAGMA']);

/** What a statement would do to the transaction or the connection it runs in; `words` are those to show. */
export function forbiddenSql(
  tokens: readonly Token[],
  statement: SqlStatement,
):
  | {
      readonly kind: 'transaction' | 'setting';
      readonly words: string;
      readonly start: number;
      readonly end: number;
    }
  | undefined {
  if (statement.sql.isJinja) return undefined;
  const first = tokens[statement.from] as Token;
  const second = tokens[statement.from + 1] as Token;
  if (first.kind !== 'word') return undefined;
  const word = first.text.toUpperCase();
  const place = { words: word, start: first.start, end: first.end };
  if (TRANSACTION_WORDS.has(word)) return { kind: 'transaction', ...place };
  if (word === 'START' && isWord(second, 'TRANSACTION'))
    return { kind: 'transaction', ...place, words: 'START TRANSACTION', end: second.end };
  if (word === 'FORCE' && isWord(second, 'INSTALL'))
    return { kind: 'setting', ...place, words: 'FORCE INSTALL', end: second.end };
  if (!SETTING_WORDS.has(word)) return undefined;
  // Variables belong to the session of the build and end with it.
  return isWord(second, 'VARIABLE') ? undefined : { kind: 'setting', ...place };
}

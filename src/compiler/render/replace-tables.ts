/*
 * Points the tables of a text elsewhere, in place:
 *
 *   SELECT orders.id, s.orders.day FROM s.orders
 *   SELECT orders.id, orders.day   FROM "plinth__s"."orders__v1" AS orders
 *
 * A table without an alias gets its own name as one, since columns may be qualified with it; longer qualifiers are cut
 * to that alias. The user's text around it stays as it is.
 */
import { type Dialect, lexicalRules } from '../../foundation/sql/dialect.ts';
import { type LibraryClient, libraryClient } from '../../foundation/sql/library/library-client.ts';
import { readWithLibrary } from '../../foundation/sql/library/read-with-library.ts';
import { keyOf } from '../../foundation/sql/parse/keywords.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { spellingOf } from '../../foundation/sql/print/spelling-of.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { type Edit, splice } from '../../foundation/sql/splice.ts';
import { type TableUse, tableUses } from '../../foundation/sql/table-uses.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import type { Identifier, Query } from '../../foundation/sql/tree.ts';
import { walk } from '../../foundation/sql/walk.ts';

/** What stands in a rendered query for a table the model reads. */
export type TableStandIn =
  | { readonly kind: 'table'; readonly sql: string }
  | { readonly kind: 'query'; readonly sql: string };

/** Answers for the parts of a name as written; undefined leaves it. The dialect is that of the text it will stand in. */
export type StandInOf = (
  parts: readonly { readonly name: string; readonly quoted: boolean }[],
  dialect: Dialect,
) => TableStandIn | undefined | Promise<TableStandIn | undefined>;

/** A text and the dialect it is in by now. */
export interface DialectText {
  readonly text: string;
  readonly dialect: Dialect;
}

/** Edits beside those of tables that are made in the same pass. */
export type MoreEdits = (query: Query, text: string) => readonly Edit[];

/** A query with its tables replaced. What only the SQL library can read comes out in DuckDB's dialect, undefined when nobody can read it. */
export async function replaceTables(
  { text, dialect }: DialectText,
  standInOf: StandInOf,
  { more = () => [], library = libraryClient() }: { more?: MoreEdits; library?: LibraryClient } = {},
): Promise<DialectText | undefined> {
  const own = parseQuery(text, dialect);
  if (own.ok) return { text: await spliced(own.value, { text, dialect }, standInOf, more), dialect };
  const foreign = await readWithLibrary(text, dialect, library);
  if (!foreign.ok) return undefined;
  const read = { text: foreign.value.text, dialect: 'duckdb' } as const;
  return { text: await spliced(foreign.value.query, read, standInOf, more), dialect: 'duckdb' };
}

async function spliced(
  query: Query,
  { text, dialect }: DialectText,
  standInOf: StandInOf,
  more: MoreEdits,
): Promise<string> {
  const edits: Edit[] = [];
  const renamed: TableUse[] = [];
  for (const use of tableUses(query)) {
    if (use.isFile) continue;
    const standIn = await standInOf(use.parts, dialect);
    if (standIn === undefined) continue;
    const alias = use.hasAlias ? '' : ` AS ${aliasText(use.parts.at(-1) as Identifier, text, dialect)}`;
    const sql = standIn.kind === 'table' ? standIn.sql : `(${endingLine(standIn.sql)})`;
    edits.push({ ...use.nameSpan, text: `${sql}${alias}` });
    if (!use.hasAlias && use.parts.length > 1) renamed.push(use);
  }
  if (renamed.length > 0) edits.push(...shortened(query, renamed));
  return splice(text, [...edits, ...more(query, text)]);
}

/** The name as written; a word of the language may follow a dot without quotes, but not AS. */
function aliasText({ name, quoted, span }: Identifier, text: string, dialect: Dialect): string {
  const isWord = keyOf({ kind: 'word', text: name, ...span }) !== 'word';
  if (quoted || (!isWord && !spellingOf(dialect).reserved.has(name.toLowerCase())))
    return text.slice(span.start, span.end);
  const { identifierCase } = lexicalRules(dialect);
  return quoteName(identifierCase === 'upper' ? name.toUpperCase() : name.toLowerCase(), dialect);
}

/** A comment at the end must not swallow what follows. */
export function endingLine(sql: string): string {
  return /--[^\n]*$/.test(sql) ? `${sql}\n` : sql;
}

/** `s.orders.day` becomes `orders.day` where `s.orders` got the alias `orders`. */
function shortened(query: Query, renamed: readonly TableUse[]): readonly Edit[] {
  const edits: Edit[] = [];
  walk(query, (node) => {
    if (node.kind !== 'column' && node.kind !== 'star') return;
    const { qualifiers } = node;
    if (qualifiers.length < 2) return;
    for (const { parts } of renamed) {
      const length = prefixLength(qualifiers, parts);
      if (length < 2) continue;
      const [first, last] = [qualifiers[0] as Identifier, qualifiers[length - 1] as Identifier];
      edits.push({ start: first.span.start, end: last.span.start, text: '' });
      return;
    }
  });
  return edits;
}

/** How many qualifiers are the end of the table's name; 0 when they are something else. */
function prefixLength(qualifiers: readonly Identifier[], parts: readonly Identifier[]): number {
  for (let length = Math.min(parts.length, qualifiers.length); length >= 2; length--) {
    const end = parts.slice(parts.length - length);
    if (end.every((part, i) => part.name.toLowerCase() === qualifiers[i]?.name.toLowerCase())) return length;
  }
  return 0;
}

/** A statement that is no query, with the tables it names replaced wherever a whole dotted name stands. Embedded models cannot stand there. */
export async function replaceInStatement(
  { text, dialect }: DialectText,
  standInOf: StandInOf,
): Promise<string> {
  const { tokens } = tokenize(text, dialect);
  const edits: Edit[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const parts: Token[] = [];
    let at = i;
    while (isName(tokens[at])) {
      parts.push(tokens[at] as Token);
      if (tokens[at + 1]?.text !== '.' || !isName(tokens[at + 2])) break;
      at += 2;
    }
    if (parts.length < 2 || parts.length > 3) {
      i = Math.max(i, at);
      continue;
    }
    const names = parts.map((token) => ({ name: bare(token), quoted: token.kind === 'name' }));
    const standIn =
      tokens[at + 1]?.text === '(' && isCall(tokens, i) ? undefined : await standInOf(names, dialect);
    if (standIn !== undefined) {
      const sql = standIn.kind === 'table' ? standIn.sql : `(${endingLine(standIn.sql)})`;
      edits.push({ start: (parts[0] as Token).start, end: (parts.at(-1) as Token).end, text: sql });
    }
    i = at;
  }
  return splice(text, edits);
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'name';

/** `INSERT INTO s.t (a, b)` names a table, `SELECT s.f(a)` a function. */
function isCall(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text.toUpperCase();
  return before !== 'INTO' && before !== 'TABLE' && before !== 'ON' && before !== 'EXISTS';
}

function bare(token: Token): string {
  if (token.kind !== 'name') return token.text;
  const close = token.text.slice(-1);
  return token.text.slice(1, -1).replaceAll(close + close, close);
}

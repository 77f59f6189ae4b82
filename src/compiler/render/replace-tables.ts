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
import { tableUses } from '../../foundation/sql/table-uses.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import type { Identifier, Query, Span, TableExpression } from '../../foundation/sql/tree.ts';
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

/** A query with its tables replaced. What only the SQL library can read comes out in DuckDB's dialect, undefined when it cannot be read. */
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
  const renamed: Renamed[] = [];
  const clashing = clashes(query);
  for (const use of tableUses(query)) {
    if (use.isFile) continue;
    const standIn = await standInOf(use.parts, dialect);
    if (standIn === undefined) continue;
    const clash = clashing.get(use.nameSpan.start);
    const alias =
      clash === undefined
        ? aliasText(use.parts.at(-1) as Identifier, text, dialect)
        : quoteName(use.parts.map(({ name }) => name).join('__'), dialect);
    const sql = standIn.kind === 'table' ? standIn.sql : `(${endingLine(standIn.sql)})`;
    edits.push({ ...use.nameSpan, text: use.hasAlias ? sql : `${sql} AS ${alias}` });
    if (!use.hasAlias && use.parts.length > 1) renamed.push({ parts: use.parts, alias, within: clash });
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
function endingLine(sql: string): string {
  return /--[^\n]*$/.test(sql) ? `${sql}\n` : sql;
}

/** A table that got an alias of ours; `within` is the SELECT for which it is not the table's own name. */
interface Renamed {
  readonly parts: readonly Identifier[];
  readonly alias: string;
  readonly within: Span | undefined;
}

/** Tables of one FROM that would get the same alias, as `raw.orders` and `clean.orders`, by where their names begin. */
function clashes(query: Query): ReadonlyMap<number, Span> {
  const found = new Map<number, Span>();
  walk(query, (node) => {
    if (node.kind !== 'select') return;
    const bare = node.from
      .flatMap(joinedTables)
      .filter((table) => table.kind === 'table')
      .filter(({ alias, isFile }) => alias === undefined && !isFile);
    for (const own of Map.groupBy(bare, ({ parts }) => parts.at(-1)?.name.toLowerCase()).values())
      if (own.length > 1) for (const { nameSpan } of own) found.set(nameSpan.start, node.span);
  });
  return found;
}

const joinedTables = (table: TableExpression): readonly TableExpression[] =>
  table.kind === 'join' ? [...joinedTables(table.left), ...joinedTables(table.right)] : [table];

/** `s.orders.day` becomes `orders.day` where `s.orders` got the alias `orders`. */
function shortened(query: Query, renamed: readonly Renamed[]): readonly Edit[] {
  const edits: Edit[] = [];
  // Aliases that hold in one SELECT only come first.
  const inOrder = renamed.toSorted((a, b) => Number(a.within === undefined) - Number(b.within === undefined));
  walk(query, (node) => {
    if (node.kind !== 'column' && node.kind !== 'star') return;
    const { qualifiers, span } = node;
    if (qualifiers.length < 2) return;
    for (const { parts, alias, within } of inOrder) {
      const length = prefixLength(qualifiers, parts);
      if (length < 2 || (within !== undefined && (span.start < within.start || span.end > within.end)))
        continue;
      const [first, last] = [qualifiers[0] as Identifier, qualifiers[length - 1] as Identifier];
      edits.push({ start: first.span.start, end: last.span.end, text: alias });
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

/** A statement other than a query, with the tables it names replaced wherever a whole dotted name stands. Embedded models cannot stand there. */
export async function replaceInSql({ text, dialect }: DialectText, standInOf: StandInOf): Promise<string> {
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

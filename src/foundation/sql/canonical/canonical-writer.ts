import { type Dialect, lexicalRules } from '../dialect.ts';
import type { Identifier, Query } from '../tree.ts';

/** The string being built, and how the dialect compares names. */
export interface CanonicalWriter {
  out: string;
  readonly dialect: Dialect;
  readonly fold: NameFold;
  readonly foldTable: NameFold;
  /** Writes a query inside an expression or FROM; handed in, because queries and expressions contain each other. */
  readonly query: (writer: CanonicalWriter, query: Query) => void;
}

/** How a name is brought to the form in which the dialect compares it. */
type NameFold = 'all-lower' | 'lower-unquoted' | 'upper-unquoted' | 'exact';

const FOLDS = { insensitive: 'all-lower', lower: 'lower-unquoted', upper: 'upper-unquoted' } as const;

/** Engines where the case of a table name matters although that of a column does not. */
const CASE_SENSITIVE_TABLES: ReadonlySet<Dialect> = new Set(['mysql', 'bigquery']);

/** ClickHouse compares every name exactly, whatever the quotes. */
export function nameFold(dialect: Dialect): NameFold {
  return dialect === 'clickhouse' ? 'exact' : FOLDS[lexicalRules(dialect).identifierCase];
}

export function canonicalWriter(dialect: Dialect, query: CanonicalWriter['query']): CanonicalWriter {
  const fold = nameFold(dialect);
  return { out: '', dialect, fold, foldTable: CASE_SENSITIVE_TABLES.has(dialect) ? 'exact' : fold, query };
}

/** A name as the fold compares it, without quotes. */
export function folded(name: string, quoted: boolean, fold: NameFold): string {
  switch (fold) {
    case 'all-lower':
      return name.toLowerCase();
    case 'lower-unquoted':
      return quoted ? name : name.toLowerCase();
    case 'upper-unquoted':
      return quoted ? name : name.toUpperCase();
    case 'exact':
      return name;
  }
}

const inQuotes = (text: string, quote: string): string =>
  quote + (text.includes(quote) ? text.replaceAll(quote, quote + quote) : text) + quote;

/** A column, alias, CTE or function name. */
export function writeName(w: CanonicalWriter, identifier: Identifier): void {
  w.out += inQuotes(folded(identifier.name, identifier.quoted, w.fold), '"');
}

/** A table's name, whose case matters on some engines that do not care for that of columns. */
export function writeTableName(w: CanonicalWriter, identifier: Identifier): void {
  w.out += inQuotes(folded(identifier.name, identifier.quoted, w.foldTable), '"');
}

/** A name that becomes data (a struct's key shows up in JSON), so that its case counts. */
export function writeExactName(w: CanonicalWriter, identifier: Identifier): void {
  w.out += inQuotes(identifier.name, '"');
}

/** A dotted name. */
export function writePath(w: CanonicalWriter, parts: readonly Identifier[]): void {
  for (let i = 0; i < parts.length; i++) {
    if (i > 0) w.out += '.';
    writeName(w, parts[i] as Identifier);
  }
}

export function writeNames(w: CanonicalWriter, identifiers: readonly Identifier[]): void {
  w.out += '[';
  for (const identifier of identifiers) {
    writeName(w, identifier);
    w.out += ',';
  }
  w.out += ']';
}

/** A string constant, exact. */
export function writeString(w: CanonicalWriter, text: string): void {
  w.out += inQuotes(text, "'");
}

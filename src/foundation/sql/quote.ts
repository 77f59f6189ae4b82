import type { Dialect } from './dialect.ts';
import { lexicalRules } from './dialect.ts';

/** A stored name in the dialect's quotes: exactly that name, whatever its case and characters. */
export function quoteName(name: string, dialect: Dialect): string {
  const [open, close] = Object.entries(lexicalRules(dialect).identifierQuotes)[0] ?? ['"', '"'];
  return `${open}${name.replaceAll(close, close + close)}${close}`;
}

/** A text constant; the quote is doubled, and the backslash too where it escapes. */
export function quoteText(value: string, dialect: Dialect): string {
  const doubled = value.replaceAll("'", "''");
  return `'${lexicalRules(dialect).backslashEscapes ? doubled.replaceAll('\\', '\\\\') : doubled}'`;
}

import { type Dialect, lexicalRules } from '../foundation/sql/dialect.ts';

/** A part of a name as written, without its quotes. */
export interface NamePart {
  readonly name: string;
  readonly quoted: boolean;
}

/**
 * The one spelling of a table's name that all maps are keyed by: parts folded as the dialect compares them, and the gateway's own
 * catalog dropped. A part is quoted only when it would not survive otherwise (it contains a dot or a quote).
 */
export function modelName(parts: readonly NamePart[], dialect: Dialect, defaultCatalog?: string): string {
  const folded = parts.map((part) => foldPart(part, dialect));
  if (
    folded.length === 3 &&
    defaultCatalog !== undefined &&
    folded[0]?.toLowerCase() === defaultCatalog.toLowerCase()
  )
    folded.shift();
  return folded.map((part) => (/[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join('.');
}

/** A name part (a column too) as the dialect compares it, always shown in lower case where case does not matter. */
export function foldPart(part: NamePart, dialect: Dialect): string {
  if (!part.quoted) return part.name.toLowerCase();
  switch (lexicalRules(dialect).identifierCase) {
    case 'insensitive':
      return part.name.toLowerCase();
    case 'upper':
      return part.name === part.name.toUpperCase() ? part.name.toLowerCase() : part.name;
    case 'lower':
      return part.name;
  }
}

/** The parts of a name that `modelName` made: catalog and schema are undefined where the name has none. */
export function splitModelName(name: string): {
  readonly catalog?: string;
  readonly schema?: string;
  readonly table: string;
} {
  const parts: string[] = [];
  for (const match of name.matchAll(/"((?:[^"]|"")*)"|[^."]+/g))
    parts.push(match[1] === undefined ? match[0] : match[1].replaceAll('""', '"'));
  const table = parts.at(-1) ?? name;
  const schema = parts.at(-2);
  const catalog = parts.at(-3);
  return {
    ...(catalog === undefined ? {} : { catalog }),
    ...(schema === undefined ? {} : { schema }),
    table,
  };
}

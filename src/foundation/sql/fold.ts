import { type Dialect, lexicalRules } from './dialect.ts';
import type { Identifier } from './tree.ts';

/**
 * The form under which a name is compared. Where the engine ignores case (DuckDB, also for quoted names) or folds to lower case, that is lower case;
 * a quoted name keeps its case in dialects that tell `"A"` from `a`.
 */
export function foldedName(identifier: Identifier, dialect: Dialect): string {
  const rule = lexicalRules(dialect).identifierCase;
  return identifier.quoted && rule !== 'insensitive' ? identifier.name : identifier.name.toLowerCase();
}

export function foldedParts(parts: readonly Identifier[], dialect: Dialect): readonly string[] {
  return parts.map((part) => foldedName(part, dialect));
}

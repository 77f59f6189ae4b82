import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { canonicalType } from '../../../foundation/sql/types/type-names.ts';

/** The canonical text of a declared type; a user's own type, or one with such a type inside, stays as written. */
export function declaredType(text: string, dialect: Dialect): string {
  const canonical = canonicalType(text, dialect);
  return /\bUNKNOWN\b/.test(canonical) ? text.replace(/\s+/g, ' ') : canonical;
}

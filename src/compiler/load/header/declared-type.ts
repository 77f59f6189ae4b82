import type { Dialect } from '../../../foundation/sql/dialect.ts';

/** A type as written, with single blanks and upper-case words; quoted names and strings inside it are left alone. */
export function canonicalType(text: string, _dialect: Dialect): string {
  return text
    .trim()
    .split(/("(?:[^"]|"")*"|'(?:[^']|'')*'|`[^`]*`)/)
    .map((piece, i) => (i % 2 === 1 ? piece : piece.replace(/\s+/g, ' ').toUpperCase()))
    .join('');
}

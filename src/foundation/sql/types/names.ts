import { DUCKDB_KEYWORDS } from '../functions/generated/duckdb-functions.ts';

let keywords: ReadonlySet<string> | undefined;

/** Whether the word means something to DuckDB's grammar, reserved or not. */
export function isKeyword(word: string): boolean {
  keywords ??= new Set(DUCKDB_KEYWORDS.split(' '));
  return keywords.has(word.toLowerCase());
}

const PLAIN = /^[a-z_][a-z0-9_]*$/;
const PLAIN_ANY_CASE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name as DuckDB prints it: quoted when it is a keyword or has characters (or, unless allowed, capitals) that need it. */
export function quoteName(name: string, allowCapitals = false): string {
  const isPlain = allowCapitals ? PLAIN_ANY_CASE.test(name) : PLAIN.test(name);
  return isPlain && !isKeyword(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

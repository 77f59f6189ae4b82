import { parseQuery } from '../parse/parse-query.ts';
import type { SqlResult } from '../sql-error.ts';
import type { Query } from '../tree.ts';
import { type LibraryClient, libraryClient } from './library-client.ts';
import { patched } from './library-patches.ts';
import { transpileByLibrary } from './transpile.ts';

/** A query read through the library: a tree of `text`, which is DuckDB's dialect and not what the user wrote, so its spans point there. */
export interface ForeignQuery {
  readonly query: Query;
  readonly text: string;
}

/** Reads what our own parser cannot, in any dialect the library knows; errors of the library keep the user's positions. */
export async function readWithLibrary(
  text: string,
  dialect: string,
  client: LibraryClient = libraryClient(),
): Promise<SqlResult<ForeignQuery>> {
  const translated = await transpileByLibrary(text, dialect, 'duckdb', client);
  if (!translated.ok) return translated;
  const own = patched(translated.value, 'duckdb');
  const parsed = parseQuery(own, 'duckdb');
  if (parsed.ok) return { ok: true, value: { query: parsed.value, text: own } };
  const message = `the SQL library read it, but we cannot read what it made of it: ${parsed.error.message}`;
  return { ok: false, error: { kind: 'unsupported', message, span: { start: 0, end: text.length } } };
}

import type { DialectSpelling } from '../dialect-spelling.ts';
import { duckdb } from './duckdb.ts';

/** DuckDB's vocabulary in the most portable spelling: CAST in words, quotes around anything doubtful. */
export const generic: DialectSpelling = {
  ...duckdb,
  hasColonCast: false,
  interval: 'quoted-number',
  list: 'array-brackets',
};

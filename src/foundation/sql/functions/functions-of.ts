import type { Dialect } from '../dialect.ts';
import type { DialectFunctions } from './dialect-functions.ts';
import { duckdbFunctions } from './duckdb-functions.ts';
import { PORTABLE_AGGREGATES, PORTABLE_PURE, PORTABLE_WINDOWS } from './portable-functions.ts';
import { wordsOf } from './words-of.ts';

/** One value of the arguments everywhere, though a translation has to write some of them otherwise. */
const ALIKE = wordsOf('char_length concat extract greatest least mod position');

const elsewhere: DialectFunctions = {
  pure: new Set([...PORTABLE_PURE, ...ALIKE]),
  aggregates: new Set([...PORTABLE_AGGREGATES, 'var_samp']),
  windows: new Set(PORTABLE_WINDOWS),
  clock: duckdbFunctions.clock,
  volatile: duckdbFunctions.volatile,
  tables: new Set(),
  sized: duckdbFunctions.sized,
};

/** The functions of a dialect; of one that is not an engine's of ours, those that are alike everywhere. */
export function functionsOf(dialect: Dialect): DialectFunctions {
  return dialect === 'duckdb' ? duckdbFunctions : elsewhere;
}

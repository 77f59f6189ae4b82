/*
 * What a query of an untrusted caller may call: functions of their arguments and nothing else. DuckDB has no roles, and
 * among its functions are some that read files, settings, secrets, the text of other tables (`query('…')`) or the catalog, so a name
 * that is not here is refused. The names are those of the pinned DuckDB, without what is withheld; macros of the warehouse are never
 * allowed, even under one of these names.
 */
import {
  CHANCE,
  DUCKDB_OPERATORS,
  duckdbFunctions,
  ROW_MACROS,
} from '../../../foundation/sql/functions/duckdb-functions.ts';
import { DUCKDB_FUNCTION_NAMES } from '../../../foundation/sql/functions/generated/duckdb-functions.ts';
import { NILADIC } from '../../../foundation/sql/functions/portable-functions.ts';
import { wordsOf } from '../../../foundation/sql/functions/words-of.ts';

const { aggregates, clock, pure, windows } = duckdbFunctions;
const { aggregate, changing, consistent, macro } = DUCKDB_FUNCTION_NAMES;
const named: ReadonlySet<string> = new Set([aggregate, changing, consistent, macro].flatMap(wordsOf));

/** Harmless, but another value next time: an answer with one of them cannot be shared. */
export const UNSTEADY_FUNCTIONS: ReadonlySet<string> = new Set(
  [...clock, ...CHANCE].filter((name) => named.has(name)),
);

/** Over the rows of a group or a window. */
export const AGGREGATES: ReadonlySet<string> = new Set(
  wordsOf(aggregate).filter((name) => !UNSTEADY_FUNCTIONS.has(name)),
);

/** The same arguments give the same value, at any time and for every caller. */
export const STEADY_FUNCTIONS: ReadonlySet<string> = new Set(
  [...pure, ...aggregates, ...windows, ...ROW_MACROS, ...DUCKDB_OPERATORS].filter(
    (name) => named.has(name) && !UNSTEADY_FUNCTIONS.has(name),
  ),
);

/** Words that DuckDB reads as a function of the clock where no column has that name. */
export const CLOCK_WORDS: ReadonlySet<string> = new Set([...NILADIC].filter((word) => clock.has(word)));

/** Stand where a table could; each makes rows of its arguments alone. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['generate_series', 'range', 'unnest']);

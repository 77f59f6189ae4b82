/*
 * What is known of DuckDB's functions. The names come from DuckDB itself; here is only what DuckDB does not say of them.
 *
 *   generated: consistent, changing, aggregate, macro, table ──┬──▶ pure, aggregates, windows, clock, volatile, tables, sized
 *   here: which of them is of the clock, of the session, …   ──┘
 */
import type { DialectFunctions } from './dialect-functions.ts';
import { DUCKDB_FUNCTION_NAMES } from './generated/duckdb-functions.ts';
import { VOLATILE_ELSEWHERE } from './portable-functions.ts';
import { wordsOf } from './words-of.ts';

const consistent = wordsOf(DUCKDB_FUNCTION_NAMES.consistent);
const macros = wordsOf(DUCKDB_FUNCTION_NAMES.macro);

/** Calls in DuckDB's grammar that are in no list of its functions. */
const SYNTAX = wordsOf('coalesce date extract if ifnull nullif try');

/** `age(t)` counts from today, `age(t, u)` does not. */
const CLOCK = wordsOf(`
  age ago current_date current_localtime current_localtimestamp current_time current_timestamp get_current_time
  get_current_timestamp localtime localtimestamp now today transaction_timestamp
`);

/** Of the session, its user, the query's own text or the warehouse; DuckDB calls some of them consistent. */
const SESSION = wordsOf(`
  current_catalog current_role current_setting current_user get_block_size getvariable json_serialize_plan session_user user
  vector_type version
`);

/** DuckDB's own means: plans, types, states of aggregates, sort keys, lines of its log, storage. Nothing is said of them. */
const INTERNAL: ReadonlySet<string> = new Set(
  wordsOf(`
    can_cast_implicitly cast_to_type combine constant_or_null create_sort_key finalize get_type is_histogram_other_bin
    json_deserialize_sql json_serialize_sql make_type parse_duckdb_log_message remap_struct replace_type switch
    timetz_byte_comparable unpivot_list
  `),
);
const INTERNAL_FAMILIES = /^(?:icu|st|variant)_/;

/** Values by chance. */
export const CHANCE: readonly string[] = wordsOf(
  'gen_random_uuid random reservoir_quantile uuid uuidv4 uuidv7',
);

/** DuckDB calls them aggregates. */
const WINDOWS = wordsOf(`
  cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense row_number
`);

const AGGREGATE_MACROS = wordsOf(
  'geomean geometric_mean json_group_array json_group_object json_group_structure wavg weighted_avg',
);
const AGGREGATE_SYNTAX = wordsOf('grouping grouping_id percentile_cont percentile_disc');

/** Scalar macros that make rows. */
export const ROW_MACROS = wordsOf('generate_subscripts regexp_split_to_table');

const SIZED = wordsOf(`
  array_resize bar bitstring bitstring_agg equi_width_bins format generate_series histogram_exact list_resize lpad printf range
  repeat rpad to_base
`);

const TABLES = wordsOf('generate_series json_each json_tree range repeat repeat_row unnest');

const without = (names: readonly string[], ...others: readonly (readonly string[])[]): readonly string[] => {
  const left = new Set(others.flat());
  return names.filter((name) => !left.has(name));
};

/** Operators, as DuckDB's parser names the functions behind them. */
export const DUCKDB_OPERATORS: ReadonlySet<string> = new Set(consistent.filter((name) => /\W/.test(name)));

const isOpen = (name: string): boolean =>
  /^\w+$/.test(name) && !INTERNAL.has(name) && !INTERNAL_FAMILIES.test(name);
const clockAlone = without(CLOCK, ['age']);

const aggregates = [
  ...without(wordsOf(DUCKDB_FUNCTION_NAMES.aggregate), WINDOWS),
  ...AGGREGATE_MACROS,
  ...AGGREGATE_SYNTAX,
];
const scalarMacros = without(macros, AGGREGATE_MACROS, ROW_MACROS);

export const duckdbFunctions: DialectFunctions = {
  pure: new Set([
    ...without([...consistent.filter(isOpen), ...scalarMacros], clockAlone, SESSION),
    ...SYNTAX,
  ]),
  aggregates: new Set(aggregates),
  windows: new Set(WINDOWS),
  clock: new Set(CLOCK),
  volatile: new Set([
    ...wordsOf(DUCKDB_FUNCTION_NAMES.changing),
    ...clockAlone,
    ...SESSION,
    ...CHANCE,
    ...VOLATILE_ELSEWHERE,
  ]),
  tables: new Set([...TABLES, ...ROW_MACROS]),
  sized: new Set(SIZED),
};

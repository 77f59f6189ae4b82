/**
 * What is known of a function by its name. Whatever is not listed here or in DuckDB's own table may be a macro or
 * a function of the user's: it may be volatile, fold rows or make some, so nothing is proven where it stands.
 */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { isKnownFunction } from '../../../foundation/sql/types/function-table.ts';
import { aggregates } from '../../../foundation/sql/types/functions.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Another value at each call, query or session: DuckDB's own list of what is not CONSISTENT, and what macros make of it. */
const VOLATILE =
  words(`ago current_catalog current_connection_id current_database current_date current_localtime
  current_localtimestamp current_query current_query_id current_role current_schema current_schemas current_setting
  current_time current_timestamp current_transaction_id current_user currval error gen_random_uuid get_current_time
  get_current_timestamp getdate getenv getvariable in_search_path localtime localtimestamp newid nextval now rand random
  randn session_user setseed sleep_ms stats sysdate today transaction_timestamp txid_current user utc_timestamp uuid
  uuid_string uuidv4 uuidv7 version write_log`);

/** DuckDB's scalar macros and syntax that are plain functions of their arguments. */
const PLAIN_MACROS =
  words(`array_append array_pop_back array_pop_front array_prepend array_push_back array_push_front
  array_reverse array_to_string coalesce date date_add days_in_month fdiv fmod if ifnull json list_any_value list_append
  list_avg list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_count list_first list_last list_max
  list_median list_min list_mode list_prepend list_product list_reverse list_string_agg list_sum map_contains_entry
  map_contains_value nullif overlay position round_even roundbankers split_part trim try extract`);

/** The functions of other dialects that are plain in all of them; the same name may be volatile or make rows elsewhere. */
const PORTABLE =
  words(`abs avg ceil ceiling char_length coalesce concat corr count cume_dist dense_rank exp extract first_value
  floor greatest lag last_value lead least length ln lower ltrim max min mod ntile nullif percent_rank position power rank
  replace round row_number rtrim sign sqrt stddev_pop stddev_samp substring sum trim upper var_pop var_samp`);

/** Aggregates whose answer depends on the order in which rows come, or on chance. */
const ORDERED_AGGREGATES =
  words(`any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null
  arg_max_nulls_last arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg first group_concat
  json_group_array json_group_object json_group_structure last list listagg max_by min_by mode reservoir_quantile string_agg`);

/** Aggregates that compute with floating-point numbers, whatever they are given: the order of the rows moves their last digits. */
const ROUNDING_AGGREGATES =
  words(`corr covar_pop covar_samp entropy favg fsum geomean geometric_mean kahan_sum kurtosis
  kurtosis_pop product regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness stddev
  stddev_pop stddev_samp sumkahan var_pop var_samp variance wavg weighted_avg`);

/** Aggregates that are exact for exact numbers and round for floating-point ones. */
const SUMS = words('sum avg mean');

/** Window functions that treat rows with the same ORDER BY values alike. */
const PEERS_ALIKE = words('rank dense_rank rank_dense percent_rank cume_dist');

const WINDOW_ONLY = words(
  'row_number rank dense_rank rank_dense percent_rank cume_dist ntile lag lead first_value last_value nth_value fill',
);

/** Functions that look at names or at the query instead of at values. */
const NOT_OF_VALUES = words('alias columns');

/** What a call does, or `unknown`. */
export type FunctionKind =
  | 'plain'
  | 'volatile'
  | 'aggregate'
  | 'ordered-aggregate'
  /** Of floating-point numbers it is an `ordered-aggregate`, of others an `aggregate`. */
  | 'sum'
  | 'window'
  | 'peer-window'
  | 'set-returning'
  | 'unknown';

/** By lower-case name, without qualifiers. */
export function functionKind(name: string, dialect: Dialect): FunctionKind {
  if (name === 'unnest') return dialect === 'duckdb' ? 'set-returning' : 'unknown';
  if (VOLATILE.has(name)) return 'volatile';
  if (NOT_OF_VALUES.has(name)) return 'unknown';
  if (dialect !== 'duckdb' && !PORTABLE.has(name)) return 'unknown';
  if (PEERS_ALIKE.has(name)) return 'peer-window';
  if (WINDOW_ONLY.has(name)) return 'window';
  if (ORDERED_AGGREGATES.has(name) || ROUNDING_AGGREGATES.has(name)) return 'ordered-aggregate';
  if (SUMS.has(name)) return 'sum';
  if (aggregates(name)) return 'aggregate';
  return PLAIN_MACROS.has(name) || isKnownFunction(name) ? 'plain' : 'unknown';
}

/** Whether the name folds rows when it has no OVER. */
export function isAggregate(name: string, dialect: Dialect): boolean {
  const kind = functionKind(name, dialect);
  return kind === 'aggregate' || kind === 'ordered-aggregate' || kind === 'sum';
}

/** Functions in FROM whose rows depend on their arguments, or on files that count as tables outside the project. */
const PLAIN_TABLE_FUNCTIONS =
  words(`unnest range generate_series repeat repeat_row json_each json_tree read_csv read_csv_auto
  read_parquet parquet_scan read_json read_json_auto read_ndjson read_ndjson_auto read_json_objects sniff_csv`);

export function isPlainTableFunction(name: string): boolean {
  return PLAIN_TABLE_FUNCTIONS.has(name);
}

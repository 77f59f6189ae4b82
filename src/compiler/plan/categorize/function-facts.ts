/**
 * What is known of a function by its name. Whatever is not in the tables of its dialect may be a macro or
 * a function of the user's: it may be volatile, fold rows or make some, so nothing is proven where it stands.
 */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { functionsOf } from '../../../foundation/sql/functions/functions-of.ts';
import { wordsOf } from '../../../foundation/sql/functions/words-of.ts';

const words = (text: string): ReadonlySet<string> => new Set(wordsOf(text));

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
  const { aggregates, pure, tables, volatile, windows } = functionsOf(dialect);
  if (name === 'unnest') return tables.has(name) ? 'set-returning' : 'unknown';
  if (NOT_OF_VALUES.has(name)) return 'unknown';
  if (windows.has(name)) return PEERS_ALIKE.has(name) ? 'peer-window' : 'window';
  if (aggregates.has(name)) {
    if (ORDERED_AGGREGATES.has(name) || ROUNDING_AGGREGATES.has(name)) return 'ordered-aggregate';
    return SUMS.has(name) ? 'sum' : 'aggregate';
  }
  if (volatile.has(name)) return 'volatile';
  return pure.has(name) ? 'plain' : 'unknown';
}

/** Whether the name folds rows when it has no OVER. */
export function isAggregate(name: string, dialect: Dialect): boolean {
  const kind = functionKind(name, dialect);
  return kind === 'aggregate' || kind === 'ordered-aggregate' || kind === 'sum';
}

/** Read files, which count as tables outside the project. */
const FILE_READERS =
  words(`read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto read_ndjson
  read_ndjson_auto read_json_objects sniff_csv`);

/** Whether the rows of a function in FROM depend on its arguments alone, or on files. */
export function isPlainTableFunction(name: string, dialect: Dialect): boolean {
  const { tables } = functionsOf(dialect);
  return tables.has(name) || (tables.size > 0 && FILE_READERS.has(name));
}

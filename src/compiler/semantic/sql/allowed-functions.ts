/*
 * The functions that those who ask may call; everything else is refused by name, whatever the engine has (files, settings,
 * extensions, sequences, macros of users). Expressions in the project's own files are its owner's and are not looked at here.
 *
 *   pure, aggregates, windows   a value of its arguments, about as large as they are
 *   clock                       the present time, one for the whole statement
 *   sized                       as large as a number says: only those whose number can be checked (sized-functions.ts)
 *
 * A test compares the names with DuckDB's own list: all are there, none has side effects, none is a table function alone.
 */
import { functionsOf } from '../../../foundation/sql/functions/functions-of.ts';
import { wordsOf } from '../../../foundation/sql/functions/words-of.ts';
import { ASKED_DIALECT } from './asked-dialect.ts';

const { aggregates, clock, pure, sized, volatile, windows } = functionsOf(ASKED_DIALECT);

/** Words of questions and of the grammar, as they are best written. */
const OWN_WORDS = wordsOf('MEASURE AGGREGATE any all columns unnest');

/** `sizeProblem` looks at their numbers. */
const CHECKED_SIZES: ReadonlySet<string> = new Set(wordsOf('format lpad printf repeat rpad'));

/** Pure, and not offered: their cost or their text cannot be seen in a question, or questions get by without them. */
const WITHHELD: ReadonlySet<string> = new Set(
  wordsOf(`
    alias apply approx_top_k arg_max_nulls_last arg_min_nulls_last array_aggr array_aggregate array_apply array_grade_up
    array_negative_dot_product array_negative_inner_product array_reduce array_select array_to_string_comma_default bit_position
    date enum_range_boundary filter from_json from_json_strict get_bit grade_up grouping_id ilike_escape json_group_object
    json_group_structure json_transform json_transform_strict like_escape list_aggr list_aggregate list_apply
    list_approx_count_distinct list_bit_and list_bit_or list_bit_xor list_entropy list_histogram list_kurtosis list_kurtosis_pop
    list_mad list_negative_dot_product list_negative_inner_product list_reduce list_select list_sem list_skewness
    md5_number_lower md5_number_upper not_ilike_escape not_like_escape parse_formatted_bytes percentile_cont
    percentile_disc reduce set_bit struct_indexof union_extract union_tag union_value uuid_extract_version
  `),
);

const isOffered = (name: string): boolean =>
  !WITHHELD.has(name) && !volatile.has(name) && (!sized.has(name) || CHECKED_SIZES.has(name));

/** Every name, as it is best written. */
export const ALLOWED_FUNCTIONS: readonly string[] = [
  ...new Set([...OWN_WORDS, ...[...pure, ...aggregates, ...windows].filter(isOffered), ...clock]),
];

const allowed = new Set(ALLOWED_FUNCTIONS.map((name) => name.toLowerCase()));

/** Whether strangers may call a function by its bare name, in any case; with a schema before it none may be called. */
export function isAllowedFunction(name: string): boolean {
  return allowed.has(name.toLowerCase());
}

/** Whether a function looks at the present time, so that an answer with it is good for a moment only. */
export function isClockFunction(name: string): boolean {
  return clock.has(name.toLowerCase());
}

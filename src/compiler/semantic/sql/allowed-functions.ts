/*
 * The functions that those who ask may call; everything else is refused by name, whatever the engine has (files, settings,
 * extensions, sequences, macros of users). Expressions in the project's own files are its owner's and are not looked at here.
 *
 *   pure     a value of its arguments, about as large as they are
 *   clock    the present time, one for the whole statement
 *   sized    pure, but as large as a number says: that number must be written down and small (sized-functions.ts)
 *
 * A test compares the names with DuckDB's own list: all are there, none has side effects, none is a table function alone.
 */

const PURE = `
  MEASURE AGGREGATE
  any all coalesce columns extract grouping if ifnull nullif try unnest

  abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees even exp factorial floor fdiv fmod gamma gcd
  greatest greatest_common_divisor isfinite isinf isnan lcm least least_common_multiple lgamma ln log log10 log2 mod nextafter pi
  pow power radians round round_even roundbankers sign signbit sin sinh sqrt tan tanh trunc xor add subtract multiply divide

  ascii base64 bin bit_count bit_length char_length character_length chr concat concat_ws contains damerau_levenshtein decode
  editdist3 encode ends_with format_bytes formatReadableDecimalSize formatReadableSize from_base64 from_binary from_hex hamming
  hash hex instr jaccard jaro_similarity jaro_winkler_similarity lcase left left_grapheme len length length_grapheme levenshtein
  lower ltrim md5 md5_number mismatches nfc_normalize octet_length ord parse_dirname
  parse_dirpath parse_filename parse_path position prefix regexp_escape regexp_extract regexp_extract_all regexp_full_match
  regexp_matches regexp_replace regexp_split_to_array replace reverse right right_grapheme rtrim sha1 sha256 split split_part
  starts_with str_split str_split_regex string_split string_split_regex string_to_array strip_accents strlen strpos substr
  substring substring_grapheme suffix to_base64 to_binary to_hex translate trim ucase unbin unhex unicode upper url_decode
  url_encode

  century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek
  dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear julian last_day make_date make_time
  make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz microsecond millennium millisecond minute month monthname
  nanosecond normalized_interval quarter second strftime strptime time_bucket timezone timezone_hour timezone_minute to_centuries
  to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
  to_timestamp to_weeks to_years try_strptime week weekday weekofyear year yearweek uuid_extract_timestamp

  array_append array_cat array_concat array_contains array_cosine_distance array_cosine_similarity array_cross_product
  array_distance array_distinct array_dot_product array_extract array_filter array_has array_has_all array_has_any array_indexof
  array_inner_product array_intersect array_length array_pop_back array_pop_front array_position array_prepend array_push_back
  array_push_front array_reverse array_reverse_sort array_slice array_sort array_to_string array_transform array_unique
  array_value array_where array_zip cardinality element_at flatten list_any_value list_append list_avg list_bool_and list_bool_or
  list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count list_distance list_distinct
  list_dot_product list_element list_extract list_filter list_first list_grade_up list_has list_has_all list_has_any list_indexof
  list_inner_product list_intersect list_last list_max list_median list_min list_mode list_pack list_position list_prepend
  list_product list_reverse list_reverse_sort list_slice list_sort list_stddev_pop list_stddev_samp list_string_agg list_sum
  list_transform list_unique list_value list_var_pop list_var_samp list_where list_zip map map_concat map_contains
  map_contains_entry map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys map_values row
  struct_concat struct_contains struct_extract struct_extract_at struct_has struct_insert struct_keys struct_pack struct_position
  struct_update struct_values enum_code enum_first enum_last enum_range typeof

  array_to_json json json_array json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text
  json_extract_string json_keys json_merge_patch json_object json_pretty json_quote json_structure json_type json_valid json_value
  row_to_json to_json

  any_value approx_count_distinct approx_quantile arbitrary arg_max arg_max_null arg_min arg_min_null argmax argmin array_agg avg
  bit_and bit_or bit_xor bool_and bool_or corr count count_if countif count_star covar_pop covar_samp entropy favg first fsum
  geomean geometric_mean group_concat histogram json_group_array kahan_sum kurtosis kurtosis_pop last list
  listagg mad max max_by mean median min min_by mode product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count
  regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness stddev stddev_pop stddev_samp string_agg sum
  sum_no_overflow sumkahan var_pop var_samp variance wavg weighted_avg

  cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense row_number
`;

const CLOCK = `
  age ago current_date current_localtime current_localtimestamp current_time current_timestamp get_current_time
  get_current_timestamp localtime localtimestamp now today transaction_timestamp
`;

const SIZED = 'format lpad printf repeat rpad';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const lower = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map((name) => name.toLowerCase()));

/** Every name, as it is best written. */
export const ALLOWED_FUNCTIONS: readonly string[] = [...words(PURE), ...words(CLOCK), ...words(SIZED)];

const allowed = lower(ALLOWED_FUNCTIONS);
const clock = lower(words(CLOCK));

/** Whether strangers may call a function by its bare name, in any case; with a schema before it none may be called. */
export function isAllowedFunction(name: string): boolean {
  return allowed.has(name.toLowerCase());
}

/** Whether a function looks at the present time, so that an answer with it is good for a moment only. */
export function isClockFunction(name: string): boolean {
  return clock.has(name.toLowerCase());
}

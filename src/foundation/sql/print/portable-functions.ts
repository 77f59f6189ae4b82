/** Functions with one name and one meaning in every dialect of our tables; a table's own entry goes before it. */
export const PORTABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  'abs acos asin atan atan2 avg cast ceil ceiling coalesce corr cos count covar_pop covar_samp cume_dist current_date current_timestamp degrees dense_rank exp first_value floor lag last_value lead length ln lower ltrim max min nth_value ntile nullif percent_rank pi power radians rank replace round row_number rtrim sign sin sqrt stddev_pop stddev_samp substr substring sum tan trim upper var_pop grouping'.split(
    ' ',
  ),
);

/** DuckDB's usual aggregates: what GROUP BY ALL does not group by. */
export const AGGREGATES: ReadonlySet<string> = new Set(
  'any_value approx_count_distinct arg_max arg_min array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count count_if countif covar_pop covar_samp first group_concat last list listagg max max_by mean median min min_by mode product quantile quantile_cont quantile_disc stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance'.split(
    ' ',
  ),
);

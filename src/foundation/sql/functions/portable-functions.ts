/*
 * Names that mean the same in every dialect of our tables. A table's own spelling goes before them.
 */
import { wordsOf } from './words-of.ts';

export const PORTABLE_AGGREGATES = wordsOf(
  'avg corr count covar_pop covar_samp grouping max min stddev_pop stddev_samp sum var_pop',
);
export const PORTABLE_WINDOWS = wordsOf(
  'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number',
);
export const PORTABLE_PURE = wordsOf(`
  abs acos asin atan atan2 cast ceil ceiling coalesce cos degrees exp floor length ln lower ltrim nullif pi power radians replace
  round rtrim sign sin sqrt substr substring tan trim upper
`);

/** Functions that a translation may leave as they are. */
export const PORTABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...PORTABLE_AGGREGATES,
  ...PORTABLE_WINDOWS,
  ...PORTABLE_PURE,
  'current_date',
  'current_timestamp',
]);

/** Read as a call without parentheses, where no column has the name. */
export const NILADIC: ReadonlySet<string> = new Set(
  wordsOf(`
    current_date current_timestamp current_time localtime localtimestamp current_user session_user user current_role
    current_catalog current_schema current_database sysdate systimestamp
  `),
);

/** Another value each time in some dialect that is not an engine of ours. */
export const VOLATILE_ELSEWHERE: readonly string[] = wordsOf(`
  clock_timestamp getdate newid rand randn statement_timestamp sysdate systimestamp timeofday utc_timestamp uuid_string
`);

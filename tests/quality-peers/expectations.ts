/** An expectation of Great Expectations, and the rule of ours that says the same. */
export interface PeerExpectation {
  readonly name: string;
  readonly type: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** As it stands in a pack: the rule's text, and its options where it has some. */
  readonly rule: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

const one = (
  name: string,
  type: string,
  kwargs: PeerExpectation['kwargs'],
  rule: string,
  options?: PeerExpectation['options'],
): PeerExpectation => ({
  name,
  type: `expect_${type}`,
  kwargs,
  rule,
  ...(options === undefined ? {} : { options }),
});
const failing = (query: string): readonly ['failed rows', { readonly fail_query: string }] => [
  'failed rows',
  { fail_query: query },
];
const STATUSES = ['open', 'paid', 'shipped', 'returned'];

/** Each passes on clean data and fails on planted data, unless its name says otherwise. */
export const EXPECTATIONS: readonly PeerExpectation[] = [
  one('g01 number of rows', 'table_row_count_to_equal', { value: 2000 }, 'row_count = 2000'),
  one('g02 rows in a range', 'table_row_count_to_be_between', { min_value: 1500, max_value: 2050 }, 'row_count between 1500 and 2050'),
  one('g03 nothing missing', 'column_values_to_not_be_null', { column: 'customer_id' }, 'missing_count(customer_id) = 0'),
  one('g04 mostly there', 'column_values_to_not_be_null', { column: 'email', mostly: 0.9 }, 'missing_percent(email) <= 10'),
  one('g05 all missing', 'column_values_to_be_null', { column: 'blank' }, 'failed rows', { fail_condition: 'blank IS NOT NULL' }),
  one('g06 unique', 'column_values_to_be_unique', { column: 'id' }, 'duplicate_count(id) = 0'),
  one('g07 unique together', 'compound_columns_to_be_unique', { column_list: ['id', 'part_a'] }, 'duplicate_count(id, part_a) = 0'),
  one('g08 different in a row', 'select_column_values_to_be_unique_within_record', { column_list: ['part_a', 'part_b'] }, 'failed rows', { fail_condition: 'part_a = part_b' }),
  one('g09 of a list', 'column_values_to_be_in_set', { column: 'status', value_set: STATUSES }, 'invalid_count(status) = 0', { valid_values: STATUSES }),
  one('g10 mostly of a list', 'column_values_to_be_in_set', { column: 'status', value_set: STATUSES, mostly: 0.995 }, 'invalid_percent(status) <= 0.5', { valid_values: STATUSES }),
  one('g11 not of a list', 'column_values_to_not_be_in_set', { column: 'region', value_set: ['xx'] }, 'invalid_count(region) = 0', { invalid_values: ['xx'] }),
  one('g12 between bounds', 'column_values_to_be_between', { column: 'amount', min_value: 0, max_value: 100 }, 'invalid_count(amount) = 0', { valid_min: 0, valid_max: 100 }),
  one('g13 above a bound', 'column_values_to_be_between', { column: 'quantity', min_value: 0, strict_min: true }, 'failed rows', { fail_condition: 'quantity <= 0' }),
  one('g14 mostly between', 'column_values_to_be_between', { column: 'quantity', min_value: 1, max_value: 100, mostly: 0.99 }, 'invalid_percent(quantity) <= 1', { valid_min: 1, valid_max: 100 }),
  one('g15 length', 'column_value_lengths_to_equal', { column: 'code', value: 8 }, 'invalid_count(code) = 0', { valid_length: 8 }),
  one('g16 lengths between', 'column_value_lengths_to_be_between', { column: 'status', min_value: 4, max_value: 9 }, 'invalid_count(status) = 0', { valid_min_length: 4, valid_max_length: 9 }),
  one('g17 pattern', 'column_values_to_match_regex', { column: 'code', regex: '^[A-Z]{3}-[0-9]{4}$' }, 'invalid_count(code) = 0', { valid_regex: '^[A-Z]{3}-[0-9]{4}$' }),
  one('g18 not a pattern', 'column_values_to_not_match_regex', { column: 'note', regex: '^-+$' }, 'invalid_count(note) = 0', { invalid_regex: '^-+$' }),
  one('g19 one of the patterns', 'column_values_to_match_regex_list', { column: 'ip', regex_list: [String.raw`^10(\.\d+){3}$`, String.raw`^192\.`], match_on: 'any' }, 'invalid_count(ip) = 0', { valid_regex: String.raw`^10(\.\d+){3}$|^192\.` }),
  one('g20 none of the patterns', 'column_values_to_not_match_regex_list', { column: 'day_text', regex_list: ['^yes', '^tom'] }, 'invalid_count(day_text) = 0', { invalid_regex: '^yes|^tom' }),
  one('g21 mean', 'column_mean_to_be_between', { column: 'amount', min_value: 45, max_value: 55 }, 'avg(amount) between 45 and 55'),
  one('g22 median (passes on both)', 'column_median_to_be_between', { column: 'high', min_value: 20, max_value: 80 }, 'median(high) between 20 and 80'),
  one('g23 smallest', 'column_min_to_be_between', { column: 'amount', min_value: 0, max_value: 10 }, 'min(amount) between 0 and 10'),
  one('g24 largest', 'column_max_to_be_between', { column: 'amount', min_value: 90, max_value: 100 }, 'max(amount) between 90 and 100'),
  one('g25 sum', 'column_sum_to_be_between', { column: 'quantity', min_value: 10_000, max_value: 30_000 }, 'sum(quantity) between 10000 and 30000'),
  one('g26 deviation', 'column_stdev_to_be_between', { column: 'amount', min_value: 20, max_value: 40 }, 'stddev(amount) between 20 and 40'),
  one('g27 quantile', 'column_quantile_values_to_be_between', { column: 'amount', quantile_ranges: { quantiles: [0.99], value_ranges: [[50, 100]] } }, 'percentile(amount, 0.99) between 50 and 100'),
  one('g28 distinct values of a list', 'column_distinct_values_to_be_in_set', { column: 'region', value_set: ['eu', 'us', 'apac'] }, 'invalid_count(region) = 0', { valid_values: ['eu', 'us', 'apac'] }),
  one('g29 distinct values equal a list', 'column_distinct_values_to_equal_set', { column: 'status', value_set: STATUSES }, 'distinct_count(status) = 4'),
  one('g30 distinct values contain a list (fails on both)', 'column_distinct_values_to_contain_set', { column: 'region', value_set: ['eu', 'mars'] }, ...failing("SELECT value FROM (SELECT 'eu' AS value UNION ALL SELECT 'mars' AS value) AS wanted WHERE value NOT IN (SELECT region FROM checked.orders)")),
  one('g31 number of distinct values', 'column_unique_value_count_to_be_between', { column: 'region', min_value: 3, max_value: 3 }, 'distinct_count(region) = 3'),
  one('g32 share of distinct values', 'column_proportion_of_unique_values_to_be_between', { column: 'id', min_value: 1, max_value: 1 }, 'duplicate_percent(id) = 0'),
  one('g33 most common value (passes on both)', 'column_most_common_value_to_be_in_set', { column: 'region', value_set: ['eu', 'us', 'apac'] }, ...failing("SELECT region FROM checked.orders GROUP BY region HAVING COUNT(*) >= ALL (SELECT COUNT(*) FROM checked.orders GROUP BY region) AND region NOT IN ('eu', 'us', 'apac')")),
  one('g34 one column above another', 'column_pair_values_a_to_be_greater_than_b', { column_A: 'high', column_B: 'low' }, 'failed rows', { fail_condition: 'high <= low' }),
  one('g35 two columns equal', 'column_pair_values_to_be_equal', { column_A: 'low', column_B: 'copy_of_low' }, 'failed rows', { fail_condition: 'low <> copy_of_low' }),
  one('g36 sum in a row', 'multicolumn_sum_to_equal', { column_list: ['part_a', 'part_b'], sum_total: 100 }, 'failed rows', { fail_condition: 'part_a + part_b <> 100' }),
  one('g37 a column is there (passes on both)', 'column_to_exist', { column: 'amount' }, 'schema', { required_columns: ['amount'] }),
  one('g38 at least these columns (passes on both)', 'table_columns_to_match_set', { column_set: ['id', 'status'], exact_match: false }, 'schema', { required_columns: ['id', 'status'] }),
  one('g39 form of dates', 'column_values_to_match_strftime_format', { column: 'day_text', strftime_format: '%Y-%m-%d' }, 'invalid_count(day_text) = 0', { valid_format: 'date' }),
  one('g40 JSON', 'column_values_to_be_json_parseable', { column: 'json_text' }, 'invalid_count(json_text) = 0', { valid_format: 'json' }),
  one('g41 outliers', 'column_value_z_scores_to_be_less_than', { column: 'amount', threshold: 5, double_sided: true }, ...failing('SELECT * FROM (SELECT amount, AVG(amount) OVER () AS mean, STDDEV_SAMP(amount) OVER () AS deviation FROM checked.orders) AS measured WHERE ABS(amount - mean) > 5 * deviation')),
  one('g42 only some rows', 'column_values_to_not_be_null', { column: 'email', mostly: 0.9, row_condition: 'region == "us"', condition_parser: 'pandas' }, 'missing_percent(email) <= 10', { filter: "region = 'us'" }),
  one('g43 another range', 'column_values_to_be_between', { column: 'part_b', min_value: 50, max_value: 99 }, 'invalid_count(part_b) = 0', { valid_min: 50, valid_max: 99 }),
  one('g44 no missing column (fails on both)', 'column_to_exist', { column: 'nowhere' }, 'schema', { required_columns: ['nowhere'] }),
  one('g45 format of uuid', 'column_values_to_match_regex', { column: 'uuid', regex: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }, 'invalid_count(uuid) = 0', { valid_format: 'uuid' }),
  one('g46 digits only, mostly', 'column_values_to_match_regex', { column: 'int_text', regex: '^[0-9]+$', mostly: 0.995 }, 'invalid_percent(int_text) <= 0.5', { valid_regex: '^[0-9]+$' }),
]; // biome-ignore format: a table

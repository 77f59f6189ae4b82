import {
  age,
  type DbtTranslator,
  inGroups,
  inValues,
  metricInRange,
  notNull,
  uniqueColumns,
  valuesInRange,
  wrongQuery,
  wrongRows,
} from './dbt-generic.ts';
import { type DbtTest, NotTranslatable } from './dbt-test.ts';
import { refused, rule, rules, type Translation } from './imported-check.ts';

/** Lists of dbt_expectations are joined, so a NULL is not in them. */
const NULL_COUNTS = 'a NULL is wrong there and not counted here; missing_count(column) = 0 says it';
const SQL_BY_HAND = 'write its query as failed rows with a fail_query';

const metric =
  (name: string): DbtTranslator =>
  (t) =>
    rules([inGroups(t, 'group_by', metricInRange(t, `${name}(${t.ruleColumn()})`))]);

const counted =
  (name: string, operator: string): DbtTranslator =>
  (t) => {
    const measure = name === 'row_count' ? name : `${name}(${t.ruleColumn()})`;
    return rules([inGroups(t, 'group_by', rule(`${measure} ${operator} ${number(t, 'value')}`))]);
  };

const pattern =
  (key: string, isLike: boolean, isNegated: boolean): DbtTranslator =>
  (t) => {
    const patterns = t.list(key);
    const isAll = t.text('match_on') === 'all';
    if (patterns.length === 0) throw new NotTranslatable(`the argument ${key} is empty`, 'add a pattern');
    const flags = t.text('flags') ?? '';
    t.text('is_raw');
    if (isLike) {
      const column = t.sqlColumn();
      const each = patterns.map((one) => `${column} LIKE ${t.sqlText(one)}`);
      const wrong = isNegated
        ? each.join(isAll ? ' OR ' : ' AND ')
        : `NOT (${each.join(isAll ? ' AND ' : ' OR ')})`;
      return rules([wrongRows(t, wrong)]);
    }
    if (flags !== '')
      throw new NotTranslatable(
        `the flags ${flags} of a pattern have no counterpart`,
        'write them into the pattern, for instance (?i)',
      );
    if (isNegated && !isAll && patterns.length > 1)
      throw new NotTranslatable('only values that match all of the patterns are wrong', SQL_BY_HAND);
    if (isAll && patterns.length > 1 && !isNegated)
      return rules(
        patterns.map((each, at) =>
          rule(`invalid_count(${t.ruleColumn()}) = 0`, {
            valid_regex: each,
            ...(at === 0 ? {} : { name: `${t.name} ${t.column ?? ''} ${at + 1}` }),
          }),
        ),
      );
    const joined =
      patterns.length === 1 ? (patterns[0] as string) : patterns.map((each) => `(${each})`).join('|');
    return rules([
      rule(`invalid_count(${t.ruleColumn()}) = 0`, { [isNegated ? 'invalid_regex' : 'valid_regex']: joined }),
    ]);
  };

const schema =
  (option: string, differs?: string): DbtTranslator =>
  (t) => {
    const columns = t.list('column_list');
    if (columns.length === 0) throw new NotTranslatable('the columns are missing', 'add column_list');
    t.text('transform');
    return rules([rule('schema', { [option]: columns })], [differs]);
  };

const ofType =
  (key: string): DbtTranslator =>
  (t) => {
    const types = t.list(key);
    if (types.length > 1)
      return refused('a column of ours has one type', 'choose one: schema: {types: {column: type}}');
    return rules([rule('schema', { types: { [t.column ?? '']: types[0] ?? '' } })]);
  };

const never =
  (why: string, next = SQL_BY_HAND): DbtTranslator =>
  () =>
    refused(why, next);

const inOrder =
  (operator: '<' | '>'): DbtTranslator =>
  (t) => {
    const [column, condition] = [t.sqlColumn(), t.text('row_condition')];
    const sort = t.sqlColumn(t.text('sort_column') ?? t.column);
    const groups = t.list('group_by').map((each) => t.sqlColumn(each));
    const parts = groups.length === 0 ? '' : `PARTITION BY ${groups.join(', ')} `;
    const step = t.node('step') === undefined ? '' : ` AND ${column} - previous_value = ${number(t, 'step')}`;
    const holds = `${column} ${t.flag('strictly', true) ? operator : `${operator}=`} previous_value${step}`;
    const where = condition === undefined ? '' : ` WHERE ${condition}`;
    return rules([
      wrongQuery(
        `SELECT * FROM (SELECT ${column}, LAG(${column}) OVER (${parts}ORDER BY ${sort}) AS previous_value FROM ${t.table}${where}) AS steps\nWHERE previous_value IS NOT NULL AND NOT (${holds})`,
      ),
    ]);
  };

const pairs =
  (condition: (t: DbtTest, a: string, b: string) => string): DbtTranslator =>
  (t) =>
    rules([wrongRows(t, condition(t, t.sqlColumn(t.needed('column_A')), t.sqlColumn(t.needed('column_B'))))]);

/** Values of a column that must all occur, as the wrong rows of a list. */
const containsSet =
  (isExact: boolean): DbtTranslator =>
  (t) => {
    const values = t.values('value_set');
    const condition = t.text('row_condition');
    const list = values.map((value) => `SELECT ${t.sqlText(value)} AS value`).join(' UNION ALL ');
    const missing = wrongQuery(
      `SELECT value FROM (${list}) AS wanted WHERE value NOT IN (SELECT ${t.sqlColumn()} FROM ${t.table} WHERE ${t.sqlColumn()} IS NOT NULL${condition === undefined ? '' : ` AND (${condition})`})`,
    );
    return rules(
      [...(isExact ? [inValues(t, 'value_set')] : []), missing],
      [isExact ? NULL_COUNTS : undefined],
    );
  };

function number(t: DbtTest, key: string): string {
  const value = t.needed(key);
  if (!/^-?(?:\d+\.?\d*|\.\d+)$/.test(value))
    throw new NotTranslatable(`${key} is not a number`, SQL_BY_HAND);
  return value;
}

/** All tests of dbt_expectations, by their names without the package. */
const EXPECTATIONS: Readonly<Record<string, DbtTranslator>> = {
  equal_expression: never('it compares two aggregations'),
  expression_between: (t) => {
    const [min, max, expression] = [t.text('min_value'), t.text('max_value'), t.needed('expression')];
    const isOpen = t.flag('strictly', false);
    if (t.list('group_by_columns').length > 0)
      throw new NotTranslatable('an aggregation of groups needs a query', SQL_BY_HAND);
    if (/\b(?:sum|avg|count|min|max)\s*\(/i.test(expression))
      throw new NotTranslatable('an aggregation needs a query', SQL_BY_HAND);
    const bounds = [
      ...(min === undefined ? [] : [`(${expression}) ${isOpen ? '>' : '>='} ${min}`]),
      ...(max === undefined ? [] : [`(${expression}) ${isOpen ? '<' : '<='} ${max}`]),
    ];
    return rules([wrongRows(t, `NOT (${bounds.join(' AND ')})`)]);
  },
  expression_is_true: (t): Translation => {
    const expression = t.needed('expression');
    if (t.list('group_by_columns').length > 0 || t.text('test_condition') !== undefined)
      throw new NotTranslatable('groups and other conditions than "= true" need a query', SQL_BY_HAND);
    return rules([wrongRows(t, `NOT (${expression})`)]);
  },
  expect_column_distinct_count_to_be_greater_than: counted('distinct_count', '>'),
  expect_column_distinct_count_to_be_less_than: counted('distinct_count', '<'),
  expect_column_distinct_count_to_equal: counted('distinct_count', '='),
  expect_column_distinct_count_to_equal_other_table: (t) => {
    if (t.node('row_condition') !== undefined || t.node('compare_row_condition') !== undefined)
      throw new NotTranslatable('rows of both tables are chosen by conditions', SQL_BY_HAND);
    const other = t.tableOf(t.needed('compare_model'));
    const column = t.sqlColumn(t.text('compare_column_name') ?? t.column);
    return rules([
      wrongQuery(
        `SELECT * FROM (SELECT (SELECT COUNT(DISTINCT ${t.sqlColumn()}) FROM ${t.table}) AS distinct_count, (SELECT COUNT(DISTINCT ${column}) FROM ${other}) AS other_distinct_count) AS counted WHERE distinct_count <> other_distinct_count`,
      ),
    ]);
  },
  expect_column_distinct_values_to_be_in_set: (t) => rules([inValues(t, 'value_set')], [NULL_COUNTS]),
  expect_column_distinct_values_to_contain_set: containsSet(false),
  expect_column_distinct_values_to_equal_set: containsSet(true),
  expect_column_max_to_be_between: metric('max'),
  expect_column_mean_to_be_between: metric('avg'),
  expect_column_median_to_be_between: metric('median'),
  expect_column_min_to_be_between: metric('min'),
  expect_column_most_common_value_to_be_in_set: never('our rules do not rank values'),
  expect_column_proportion_of_unique_values_to_be_between: never(
    'it divides the number of distinct values by that of rows',
  ),
  expect_column_quantile_values_to_be_between: (t) =>
    rules([
      inGroups(t, 'group_by', metricInRange(t, `percentile(${t.ruleColumn()}, ${number(t, 'quantile')})`)),
    ]),
  expect_column_stdev_to_be_between: metric('stddev'),
  expect_column_sum_to_be_between: metric('sum'),
  expect_column_unique_value_count_to_be_between: metric('distinct_count'),
  expect_column_values_to_be_between: (t) => rules([valuesInRange(t)]),
  expect_column_values_to_be_decreasing: inOrder('<'),
  expect_column_values_to_be_in_set: (t) => rules([inValues(t, 'value_set')], [NULL_COUNTS]),
  expect_column_values_to_be_in_type_list: ofType('column_type_list'),
  expect_column_values_to_be_increasing: inOrder('>'),
  expect_column_values_to_be_null: (t) => rules([wrongRows(t, `${t.sqlColumn()} IS NOT NULL`)]),
  expect_column_values_to_be_of_type: ofType('column_type'),
  expect_column_values_to_be_unique: (t) => rules([uniqueColumns(t, [t.column ?? ''])]),
  expect_column_values_to_have_consistent_casing: (t) => {
    t.text('display_inconsistent_columns');
    const column = t.sqlColumn();
    return rules([
      wrongQuery(
        `SELECT LOWER(${column}) AS value, COUNT(DISTINCT ${column}) AS spellings FROM ${t.table} GROUP BY LOWER(${column}) HAVING COUNT(DISTINCT ${column}) > 1`,
      ),
    ]);
  },
  expect_column_values_to_not_be_in_set: (t) => rules([inValues(t, 'value_set', true)]),
  expect_column_values_to_not_be_null: (t) => rules([notNull(t)]),
  expect_column_values_to_be_within_n_moving_stdevs: never(
    'moving deviations have no counterpart',
    'write anomaly for avg(column): {method: z, season: weekly}',
  ),
  expect_column_values_to_be_within_n_stdevs: (t) => {
    if (t.list('group_by').length > 0) throw new NotTranslatable('sums of groups need a query', SQL_BY_HAND);
    const column = t.sqlColumn();
    const sigma = Number(t.text('sigma_threshold') ?? '3');
    return rules([
      wrongQuery(
        `SELECT * FROM (SELECT *, AVG(${column}) OVER () AS mean_of_all, STDDEV(${column}) OVER () AS deviation_of_all FROM ${t.table}) AS measured\nWHERE ABS(${column} - mean_of_all) > ${sigma} * deviation_of_all`,
      ),
    ]);
  },
  expect_row_values_to_have_data_for_every_n_datepart: never(
    'gaps between dates have no counterpart',
    'use the audit sequential_values with an interval',
  ),
  expect_column_pair_values_A_to_be_greater_than_B: pairs(
    (t, a, b) => `NOT (${a} ${t.flag('or_equal', false) ? '>=' : '>'} ${b})`,
  ),
  expect_column_pair_values_to_be_equal: pairs((_t, a, b) => `NOT (${a} = ${b})`),
  expect_column_pair_values_to_be_in_set: never(
    'lists of pairs have no counterpart',
    'write failed rows: {fail_condition: "NOT (a = 1 AND b = 2 OR …)"}',
  ),
  expect_compound_columns_to_be_unique: (t) => {
    const kept = t.text('ignore_row_if') ?? 'all_values_are_missing';
    t.text('quote_columns');
    return rules(
      [uniqueColumns(t, t.list('column_list'))],
      [
        kept === 'any_value_is_missing'
          ? undefined
          : 'rows with a NULL in one of the columns are not compared',
      ],
    );
  },
  expect_multicolumn_sum_to_equal: (t) => {
    if (t.list('group_by').length > 0) throw new NotTranslatable('sums of groups need a query', SQL_BY_HAND);
    const condition = t.text('row_condition');
    const sums = t.list('column_list').map((each) => `SUM(${t.sqlColumn(each)})`);
    if (sums.length === 0) throw new NotTranslatable('the columns are missing', 'add column_list');
    return rules([
      wrongQuery(
        `SELECT * FROM (SELECT ${sums.join(' + ')} AS measured FROM ${t.table}${condition === undefined ? '' : ` WHERE ${condition}`}) AS checked WHERE NOT COALESCE(measured = ${number(t, 'sum_total')}, FALSE)`,
      ),
    ]);
  },
  expect_select_column_values_to_be_unique_within_record: (t) => {
    t.text('quote_columns');
    t.text('ignore_row_if');
    const columns = t.list('column_list').map((each) => t.sqlColumn(each));
    const equal = columns.flatMap((a, at) => columns.slice(at + 1).map((b) => `${a} = ${b}`));
    if (equal.length === 0)
      throw new NotTranslatable('there are fewer than two columns', 'add them to column_list');
    return rules([wrongRows(t, equal.join(' OR '))], ['a NULL equals no other value here']);
  },
  expect_column_value_lengths_to_be_between: (t) => {
    const [min, max] = [t.text('min_value'), t.text('max_value')];
    const open = t.flag('strictly', false) ? 1 : 0;
    if (min === undefined && max === undefined)
      throw new NotTranslatable('there is neither min_value nor max_value', 'add one');
    return rules([
      rule(`invalid_count(${t.ruleColumn()}) = 0`, {
        ...(min === undefined ? {} : { valid_min_length: Number(min) + open }),
        ...(max === undefined ? {} : { valid_max_length: Number(max) - open }),
      }),
    ]);
  },
  expect_column_value_lengths_to_equal: (t) =>
    rules([rule(`invalid_count(${t.ruleColumn()}) = 0`, { valid_length: Number(number(t, 'value')) })]),
  expect_column_values_to_match_like_pattern: pattern('like_pattern', true, false),
  expect_column_values_to_match_like_pattern_list: pattern('like_pattern_list', true, false),
  expect_column_values_to_match_regex: pattern('regex', false, false),
  expect_column_values_to_match_regex_list: pattern('regex_list', false, false),
  expect_column_values_to_not_match_like_pattern: pattern('like_pattern', true, true),
  expect_column_values_to_not_match_like_pattern_list: pattern('like_pattern_list', true, true),
  expect_column_values_to_not_match_regex: pattern('regex', false, true),
  expect_column_values_to_not_match_regex_list: pattern('regex_list', false, true),
  expect_column_to_exist: (t) => {
    t.text('transform');
    const hasPlace = t.node('column_index') !== undefined;
    return rules(
      [rule('schema', { required_columns: [t.column ?? ''] })],
      [hasPlace ? 'the place of the column is not looked at' : undefined],
    );
  },
  expect_grouped_row_values_to_have_recent_data: (t) =>
    rules([inGroups(t, 'group_by', age(t, t.needed('timestamp_column')))]),
  expect_row_values_to_have_recent_data: (t) => rules([age(t, t.column ?? '')]),
  expect_table_aggregation_to_equal_other_table: never(
    'it compares an aggregation with that of another table',
  ),
  expect_table_column_count_to_be_between: never(
    'our rules do not count columns',
    'name them: schema: {required_columns: […]}',
  ),
  expect_table_column_count_to_equal: never(
    'our rules do not count columns',
    'name them: schema: {required_columns: […]}',
  ),
  expect_table_column_count_to_equal_other_table: never(
    'our rules do not count columns',
    'name them: schema: {required_columns: […]}',
  ),
  expect_table_columns_to_contain_set: schema('required_columns'),
  expect_table_columns_to_match_ordered_list: schema(
    'required_columns',
    'more columns and another order are allowed',
  ),
  expect_table_columns_to_match_set: schema('required_columns', 'more columns are allowed'),
  expect_table_columns_to_not_contain_set: schema('forbidden_columns'),
  expect_table_row_count_to_be_between: (t) =>
    rules([inGroups(t, 'group_by', metricInRange(t, 'row_count'))]),
  expect_table_row_count_to_equal: counted('row_count', '='),
  expect_table_row_count_to_equal_other_table: (t) => {
    if (
      ['group_by', 'row_condition', 'compare_row_condition'].some((key) => t.node(key) !== undefined) ||
      Number(t.text('factor') ?? '1') !== 1
    )
      throw new NotTranslatable('our row counts are compared as a whole', SQL_BY_HAND);
    return rules([rule(`row_count same as ${t.tableOf(t.needed('compare_model'))}`)]);
  },
  expect_table_row_count_to_equal_other_table_times_factor: never(
    'our row counts are compared without a factor',
  ),
};

/** By the names that schema files use. */
export const DBT_EXPECTATIONS: Readonly<Record<string, DbtTranslator>> = Object.fromEntries(
  Object.entries(EXPECTATIONS).map(([name, translate]) => [`dbt_expectations.${name}`, translate]),
);

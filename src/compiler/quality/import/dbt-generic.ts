import { type DbtTest, NotTranslatable } from './dbt-test.ts';
import { type RuleDraft, rule, rules, type Translation } from './imported-check.ts';
import { thresholdText } from './threshold.ts';

/** What our grammar makes of a generic test; throws `NotTranslatable`. */
export type DbtTranslator = (test: DbtTest) => Translation;

const one = (draft: RuleDraft, ...differs: readonly string[]): Translation => rules([draft], differs);

export const rows = (table: string, condition: string): string => `SELECT * FROM ${table} WHERE ${condition}`;

/** Rows for which a condition is true, as a rule and as an audit. */
export function wrongRows(test: DbtTest, condition: string): RuleDraft {
  return rule('failed rows', { fail_condition: condition }, rows(test.table, condition));
}

/** Rows of a query of its own. */
export function wrongQuery(query: string): RuleDraft {
  return rule('failed rows', { fail_query: query }, query);
}

/** A metric within the range of the test's arguments. */
export function metricInRange(test: DbtTest, metric: string): RuleDraft {
  const range = test.range();
  if (range === undefined)
    throw new NotTranslatable(
      'a bound is not a number',
      'write a failed rows rule with the bound in its fail_query',
    );
  return rule(`${metric} ${thresholdText(range, 'none')}`);
}

/** The same rule for each group, where the test has groups. */
export function inGroups(test: DbtTest, key: string, draft: RuleDraft): RuleDraft {
  const columns = test.list(key);
  if (columns.length === 0) return draft;
  const inner = Object.keys(draft.options).length === 0 ? draft.text : { [draft.text]: draft.options };
  return rule(`group by ${test.ruleColumns(columns)}`, { rules: [inner] });
}

export function uniqueColumns(test: DbtTest, columns: readonly string[]): RuleDraft {
  const names = columns.map((each) => test.sqlColumn(each)).join(', ');
  const known = columns.map((each) => `${test.sqlColumn(each)} IS NOT NULL`).join(' AND ');
  return rule(
    `duplicate_count(${test.ruleColumns(columns)}) = 0`,
    {},
    `SELECT ${names}, COUNT(*) AS occurrences FROM ${test.table} WHERE ${known} GROUP BY ${names} HAVING COUNT(*) > 1`,
  );
}

export function notNull(test: DbtTest): RuleDraft {
  return rule(`missing_count(${test.ruleColumn()}) = 0`, {}, rows(test.table, `${test.sqlColumn()} IS NULL`));
}

export function inValues(test: DbtTest, key: string, isNegated = false): RuleDraft {
  const values = test.values(key);
  const list = values.map((value) => test.sqlText(value)).join(', ');
  return rule(
    `invalid_count(${test.ruleColumn()}) = 0`,
    { [isNegated ? 'invalid_values' : 'valid_values']: values },
    rows(test.table, `${test.sqlColumn()} ${isNegated ? 'IN' : 'NOT IN'} (${list})`),
  );
}

/** Values between two bounds; NULL is neither. */
export function valuesInRange(test: DbtTest): RuleDraft {
  const [min, max] = [test.text('min_value'), test.text('max_value')];
  const isOpen = test.flag('strictly', !test.flag('inclusive', true));
  const range = test.range();
  const column = test.sqlColumn();
  const outside = [
    ...(min === undefined ? [] : [`${column} ${isOpen ? '<=' : '<'} ${min}`]),
    ...(max === undefined ? [] : [`${column} ${isOpen ? '>=' : '>'} ${max}`]),
  ].join(' OR ');
  if (range === undefined || isOpen) return wrongRows(test, outside);
  return rule(
    `invalid_count(${test.ruleColumn()}) = 0`,
    {
      ...(min === undefined ? {} : { valid_min: Number(min) }),
      ...(max === undefined ? {} : { valid_max: Number(max) }),
    },
    rows(test.table, outside),
  );
}

function reference(test: DbtTest, to: string, field: string): RuleDraft {
  const [table, column] = [test.tableOf(to), test.sqlColumn()];
  return rule(
    `values in (${test.ruleColumn()}) must exist in ${table} (${test.ruleColumn(field)})`,
    {},
    rows(
      `(SELECT * FROM ${test.table}) AS checked`,
      `checked.${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${table} AS known WHERE known.${test.sqlColumn(field)} = checked.${column})`,
    ),
  );
}

const UNITS: Readonly<Record<string, string>> = {
  minute: 'm',
  hour: 'h',
  day: 'd',
  week: 'w',
};

export function age(test: DbtTest, column: string): RuleDraft {
  const unit = UNITS[test.needed('datepart').toLowerCase().replace(/s$/, '')];
  const count = Number(test.needed('interval'));
  if (unit === undefined || !Number.isFinite(count))
    throw new NotTranslatable('the age is in no unit of fixed length', 'write freshness(column) < 30d');
  const [number, letter] = unit === 'w' ? [count * 7, 'd'] : [count, unit];
  return rule(`freshness(${test.ruleColumn(column)}) <= ${number}${letter}`);
}

/** The four tests of dbt itself and those of dbt_utils. */
export const DBT_TESTS: Readonly<Record<string, DbtTranslator>> = {
  unique: (t) => one(uniqueColumns(t, [t.column ?? t.needed('column_name')])),
  not_null: (t) => one(notNull(t)),
  accepted_values: (t) => one(inValues(t, 'values')),
  relationships: (t) => one(reference(t, t.needed('to'), t.needed('field'))),

  'dbt_utils.accepted_range': (t) => one(valuesInRange(t)),
  'dbt_utils.at_least_one': (t) =>
    one(inGroups(t, 'group_by_columns', rule(`distinct_count(${t.ruleColumn()}) > 0`))),
  'dbt_utils.cardinality_equality': (t) => {
    const [a, b, to] = [t.sqlColumn(), t.sqlColumn(t.needed('field')), t.tableOf(t.needed('to'))];
    const counts = (column: string, table: string): string =>
      `SELECT ${column} AS value, COUNT(*) AS occurrences FROM ${table} GROUP BY ${column}`;
    const without = (left: string, right: string): string => `(${left} EXCEPT ${right})`;
    const [own, other] = [counts(a, t.table), counts(b, to)];
    return one(
      wrongQuery(
        `SELECT * FROM ${without(own, other)} AS more UNION ALL SELECT * FROM ${without(other, own)} AS less`,
      ),
    );
  },
  'dbt_utils.equal_rowcount': (t) => {
    if (t.list('group_by_columns').length > 0)
      throw new NotTranslatable(
        'our row counts are compared as a whole',
        'compare the groups with a fail_query',
      );
    return one(rule(`row_count same as ${t.tableOf(t.needed('compare_model'))}`));
  },
  'dbt_utils.equality': (t) => {
    const columns = t.list('compare_columns');
    if (t.node('exclude_columns') !== undefined || t.node('precision') !== undefined)
      throw new NotTranslatable(
        'excluded columns and rounding need the list of columns',
        'name them in compare_columns',
      );
    const names = columns.length === 0 ? '*' : columns.map((each) => t.sqlColumn(each)).join(', ');
    const other = t.tableOf(t.needed('compare_model'));
    return one(
      wrongQuery(
        `(SELECT ${names} FROM ${t.table} EXCEPT SELECT ${names} FROM ${other}) UNION ALL (SELECT ${names} FROM ${other} EXCEPT SELECT ${names} FROM ${t.table})`,
      ),
    );
  },
  'dbt_utils.expression_is_true': (t) => {
    const expression = t.needed('expression');
    return one(wrongRows(t, `NOT (${t.column === undefined ? '' : `${t.sqlColumn()} `}${expression})`));
  },
  'dbt_utils.fewer_rows_than': (t) => {
    if (t.list('group_by_columns').length > 0)
      throw new NotTranslatable(
        'our row counts are compared as a whole',
        'compare the groups with a fail_query',
      );
    const other = t.tableOf(t.needed('compare_model'));
    return one(
      wrongQuery(
        `SELECT * FROM (SELECT (SELECT COUNT(*) FROM ${t.table}) AS row_count, (SELECT COUNT(*) FROM ${other}) AS other_row_count) AS counted WHERE row_count >= other_row_count`,
      ),
    );
  },
  'dbt_utils.mutually_exclusive_ranges': (t) => {
    const [lower, upper] = [
      t.sqlColumn(t.needed('lower_bound_column')),
      t.sqlColumn(t.needed('upper_bound_column')),
    ];
    const gaps = t.text('gaps') ?? 'allowed';
    const operator = { allowed: '<=', not_allowed: '=', required: '<' }[gaps];
    if (operator === undefined)
      throw new NotTranslatable(`gaps: ${gaps} is not known`, 'write allowed, not_allowed or required');
    const parts = t.text('partition_by');
    const zero = t.flag('zero_length_range_allowed', false) ? '<=' : '<';
    const over = `OVER (${parts === undefined ? '' : `PARTITION BY ${parts} `}ORDER BY ${lower}, ${upper})`;
    return one(
      wrongQuery(
        `SELECT * FROM (SELECT ${lower} AS lower_bound, ${upper} AS upper_bound, LEAD(${lower}) ${over} AS next_lower_bound FROM ${t.table}) AS ranges\nWHERE NOT COALESCE(lower_bound ${zero} upper_bound, FALSE) OR NOT COALESCE(upper_bound ${operator} next_lower_bound, next_lower_bound IS NULL)`,
      ),
    );
  },
  'dbt_utils.not_accepted_values': (t) => one(inValues(t, 'values', true)),
  'dbt_utils.not_constant': (t) =>
    one(inGroups(t, 'group_by_columns', rule(`distinct_count(${t.ruleColumn()}) != 1`))),
  'dbt_utils.not_empty_string': (t) => {
    const column = t.sqlColumn();
    return one(wrongRows(t, t.flag('trim_whitespace', true) ? `TRIM(${column}) = ''` : `${column} = ''`));
  },
  'dbt_utils.not_null_proportion': (t) => {
    const [least, most] = [Number(t.needed('at_least')), Number(t.text('at_most') ?? '1')];
    const percent = (share: number): number => Math.round((1 - share) * 1e8) / 1e6;
    const range = most >= 1 ? `<= ${percent(least)}` : `between ${percent(most)} and ${percent(least)}`;
    return one(inGroups(t, 'group_by_columns', rule(`missing_percent(${t.ruleColumn()}) ${range}`)));
  },
  'dbt_utils.recency': (t) => {
    const draft = age(t, t.needed('field'));
    const differs = t.flag('ignore_time_component', false)
      ? ['the age is exact and not that of whole days']
      : [];
    return one(inGroups(t, 'group_by_columns', draft), ...differs);
  },
  'dbt_utils.relationships_where': (t) => {
    const [to, column, field] = [t.tableOf(t.needed('to')), t.sqlColumn(), t.sqlColumn(t.needed('field'))];
    const [from, target] = [t.text('from_condition') ?? '1 = 1', t.text('to_condition') ?? '1 = 1'];
    return one(
      wrongQuery(
        `SELECT * FROM (SELECT * FROM ${t.table} WHERE ${from}) AS checked WHERE checked.${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM (SELECT * FROM ${to} WHERE ${target}) AS known WHERE known.${field} = checked.${column})`,
      ),
    );
  },
  'dbt_utils.sequential_values': (t) => {
    if (t.node('datepart') !== undefined)
      throw new NotTranslatable(
        'steps of dates differ between engines',
        'use the audit sequential_values with an interval',
      );
    const column = t.sqlColumn();
    const groups = t.list('group_by_columns').map((each) => t.sqlColumn(each));
    const parts = groups.length === 0 ? '' : `PARTITION BY ${groups.join(', ')} `;
    return one(
      wrongQuery(
        `SELECT * FROM (SELECT ${[...groups, column].join(', ')}, LAG(${column}) OVER (${parts}ORDER BY ${column}) AS previous_value FROM ${t.table}) AS steps\nWHERE NOT (${column} = previous_value + ${Number(t.text('interval') ?? '1')})`,
      ),
    );
  },
  'dbt_utils.unique_combination_of_columns': (t) => {
    t.text('quote_columns');
    return one(
      uniqueColumns(t, t.list('combination_of_columns')),
      'rows with a NULL in one of the columns are not compared',
    );
  },
};

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What rules find in the text of queries. */
export const lintQueryDiagnostics = {
  'lint.missing-time-filter': {
    severity: 'warning',
    message: '{model} fills intervals, but its query reads all rows for each of them.',
    hint: 'add WHERE time_column BETWEEN @start_ds AND @end_ds (dates), or >= @start_at AND < @end_before (timestamps)',
    explain:
      'The query of an INCREMENTAL_BY_TIME_RANGE model uses no variable of the interval. Each interval reads the whole source, and rows outside the interval are thrown away.',
  },
  'lint.between-on-timestamp': {
    severity: 'warning',
    message:
      'In {model}, BETWEEN with a date as its end leaves out all but the first moment of the last day: the column is a {type}.',
    hint: 'write column >= @start_at AND column < @end_before, or < the day after',
    explain:
      'A date compared with a timestamp is its midnight. `ordered_at BETWEEN 2024-01-01 AND 2024-01-31` therefore has no row of the 31st after 00:00. The rule reports it where the end is a date or a midnight and the column is known to be a timestamp.',
  },
  'lint.non-deterministic-function': {
    severity: 'warning',
    message: '{model} stores the value of {name}, which differs each time.',
    hint: 'use @execution_date or @execution_ts for the time, and a hash of the key for identifiers',
    explain:
      'An interval that is processed again should give the same rows. The rule reports random values (random, uuid) in every model that stores rows, and the present time in models that are filled by intervals, unless it is a column of its own, as in CURRENT_TIMESTAMP AS loaded_at.',
  },
  'lint.cartesian-join': {
    severity: 'warning',
    message: 'In {model}, no condition connects {table} with the tables before it.',
    hint: 'add the condition, or write CROSS JOIN when every pair is meant',
    explain:
      'Every row of one table is combined with every row of the other. The rule reports it where every column of the conditions names its table. Tables of one row, rows made of the table before, and CROSS JOIN are fine.',
  },
  'lint.outer-join-filtered': {
    severity: 'warning',
    message: 'In {model}, this filter removes the rows for which the {join} JOIN finds nothing in {table}.',
    hint: 'move the filter into the ON condition, or write an inner join',
    explain:
      'Where the join finds no partner, the columns of the optional table are NULL, and no comparison with NULL is true. The outer join is then an inner join.',
  },
  'lint.unused-join': {
    severity: 'warning',
    message: '{model} joins {table} and uses none of its columns.',
    hint: 'remove the join; if it is there to repeat rows, say so with an inner join',
    explain:
      'A LEFT JOIN removes no row. Without a column of its table it has no effect where there is one partner at most, and repeats rows where there are more.',
  },
  'lint.unused-cte': {
    severity: 'warning',
    message: 'Nothing in {model} reads the common table {name}.',
    hint: 'remove it; plinth lint --fix does it',
    explain:
      'The result does not depend on it. Its tables still count as dependencies, so changes of them reach this model. A common table that a model test looks into is used.',
  },
  'lint.null-comparison': {
    severity: 'warning',
    message: 'In {model}, a comparison with NULL by {operator} never holds.',
    hint: 'write IS NULL or IS NOT NULL; plinth lint --fix does it',
    explain: 'The result of = or <> with NULL is NULL, whatever stands on the other side.',
  },
  'lint.not-in-nullable': {
    severity: 'warning',
    message: 'In {model}, NOT IN gives no row at all if {column} has a NULL.',
    hint: 'add WHERE … IS NOT NULL to the query inside, use NOT EXISTS, or audit the column with not_null',
    explain:
      'x NOT IN (1, NULL) is NULL, not true. The rule reports it where nothing excludes NULL from the column: no condition in the query inside, no not_null audit, no grain.',
  },
  'lint.self-comparison': {
    severity: 'warning',
    message: 'In {model}, {column} is compared with itself.',
    hint: 'name the column of the other table',
    explain:
      'It holds for every row without NULL, or for none. In a join condition every row meets every row.',
  },
  'lint.limit-without-order': {
    severity: 'warning',
    message: 'In {model}, it is not defined which rows this LIMIT keeps.',
    hint: 'add an ORDER BY over columns that identify a row',
    explain:
      'Engines return rows in any order, and the order changes with data or threads. The same run may then store other rows.',
  },
  'lint.order-without-limit': {
    severity: 'warning',
    message: 'The ORDER BY of {model} has no effect: tables and views have no order.',
    hint: 'remove it, or use clustered_by where the engine has it',
    explain:
      'A reader has to sort the rows. On engines that keep rows as they are written (DuckDB) an order can make filters faster: then leave the rule off.',
  },
  'lint.union-without-all': {
    severity: 'warning',
    message: 'The UNION in {model} removes equal rows.',
    hint: 'write UNION ALL, or UNION DISTINCT where that is meant',
    explain: 'Removing duplicates costs a sort or a hash of all rows and hides rows that came twice.',
  },
  'lint.positional-reference': {
    severity: 'warning',
    message: '{model} groups or sorts by the position of a column.',
    hint: 'name the column',
    explain: 'The position means another column as soon as the list changes.',
  },
  'lint.unqualified-column': {
    severity: 'warning',
    message: 'In {model}, {column} does not say which of the joined tables it is from.',
    hint: 'write table.column',
    explain: 'It becomes ambiguous, or silently another column, when a table gets a column of that name.',
  },
} as const satisfies Catalog;

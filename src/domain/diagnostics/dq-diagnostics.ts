import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const dqDiagnostics = {
  'dq.unknown-model': {
    severity: 'error',
    message: '{name} is not a model of this project.',
    explain:
      'A dq pack checks one model, named with `depends_on`; rules may name other models, for instance after "must exist in".',
  },
  'dq.duplicate-name': {
    severity: 'error',
    message: '{name} is already defined in {other}.',
    hint: 'give one of them another name',
    explain: 'Packs, and the rules of a pack, keep their history under their names, so names are unique.',
  },
  'dq.bad-rule': {
    severity: 'error',
    message: 'This rule is not understood: {found}, but expected {expected}.',
    explain:
      'A rule states what must hold: a metric and a comparison (missing_percent(email) < 1), freshness(column) < 26h, schema, "values in (a) must exist in model (b)", "row_count same as model", "change for metric > -30%", "anomaly for metric", distribution(column), "failed rows", "for each column (*_id): rule", "group by column: {rules}".',
  },
  'dq.unknown-metric': {
    severity: 'error',
    message: '{name} is not a metric.',
    explain:
      'Metrics are row_count, missing_, duplicate_, invalid_ and valid_ with count or percent, distinct_count, avg, min, max, sum, stddev, variance, median, percentile, and avg_, min_ and max_length.',
  },
  'dq.wrong-columns': {
    severity: 'error',
    message: '{metric} takes {expected}.',
    explain:
      'row_count takes no column, duplicate_count takes one or more that together identify a row, the others take one; inside "for each column" the column is left out.',
  },
  'dq.unknown-column': {
    severity: 'error',
    message: 'The model {model} has no column {column}.',
    explain: 'Rules check columns of the model of their pack, or, in references, of the other model.',
  },
  'dq.no-matching-column': {
    severity: 'warning',
    message: 'No column of {model} matches {pattern}.',
    explain:
      '"for each column" makes a rule of every column that matches one of its patterns; * stands for any characters. A rule without a column checks nothing.',
  },
  'dq.type-mismatch': {
    severity: 'error',
    message: '{metric} of {column} is not possible, because it is {found}; expected {expected}.',
    explain: 'Averages, sums and deviations are taken of numbers, freshness of dates and timestamps.',
  },
  'dq.option-of-other-rule': {
    severity: 'error',
    message: 'The option {option} has no meaning for this rule.',
    explain:
      'Options such as valid_format belong to invalid_ and valid_ metrics, method and training to "anomaly for". An option without an effect is most often a mistake.',
  },
  'dq.missing-option': {
    severity: 'error',
    message: 'This rule needs {option}.',
    explain:
      'invalid_count and the like need an option that says what is valid; "failed rows" needs fail_query or fail_condition; a distribution needs a threshold such as psi < 0.2.',
  },
  'dq.bad-regex': {
    severity: 'error',
    message: '{pattern} is not a regular expression: {detail}.',
    explain:
      "valid_regex and missing_regex are regular expressions. The engine may know a little more or less than the checker, which knows JavaScript's.",
  },
  'dq.unknown-format': {
    severity: 'error',
    message: '{name} is not a format.',
    explain:
      'Formats are named patterns: email, url, uuid, date, timestamp, integer, decimal, phone, ip, and others.',
  },
  'dq.bad-sql': {
    severity: 'error',
    message: 'This SQL cannot be read: {detail}.',
    explain:
      'Filters and conditions are SQL expressions over the columns of the model, fail_query is a query whose rows are failures; all in the dialect of the model.',
  },
  'dq.empty-range': {
    severity: 'error',
    message: 'Nothing can be between {low} and {high}.',
    hint: 'put the smaller number first',
    explain:
      'A range has its lower bound first. Both bounds belong to the range, unless they are written with parentheses.',
  },
  'dq.no-rules': {
    severity: 'warning',
    message: 'The dq pack {name} has neither rules nor profiles, so it checks nothing.',
    explain: 'A pack lists rules that must hold, columns to profile, or both.',
  },
  'dq.not-applied': {
    severity: 'error',
    message:
      'The dq packs of {environment} were applied by an earlier version of Plinth, which did not store them.',
    hint: 'plan {environment} again: the plan stores them',
    explain:
      'Checks run as they were applied, not as the files are now, so a plan stores the dq packs with the environment. Environments that an earlier version applied have only a hash of them.',
  },
  'dq.not-found': {
    severity: 'error',
    message: 'There is no {id}.',
    hint: 'GET /dq/rules, /dq/results, /dq/incidents and /dq/quarantine list what there is',
    explain:
      'Rules, results of checks, check runs, incidents and rows that are held back together have ids. The product has none with this id, or the caller may not see it.',
  },
  'dq.too-many-runs': {
    severity: 'error',
    message: '{count} check runs of this product are under way.',
    hint: 'repeat the request when one of them has ended',
    explain: 'A server runs at most four check runs of a product at a time that callers have asked for.',
  },
  'dq.unknown-pack': {
    severity: 'error',
    message: 'There is no dq pack {name} in {environment}.',
    hint: 'check its spelling; a new pack runs once a plan has applied it',
    explain:
      '--pack takes the name of a pack that was applied to the environment. With --select, the pack must be on one of the selected models.',
  },
  'dq.nothing-to-import': {
    severity: 'error',
    message: '{path} has no checks of {tool}.',
    hint: 'give the file or folder that has them',
    explain:
      'plinth import soda reads YAML files with "checks for TABLE"; plinth import dbt-tests reads the YAML files of a dbt project that describe models and sources, and the SQL files below tests/.',
  },
} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const testDiagnostics = {
  'test.no-subject': {
    severity: 'error',
    message: 'The test {name} names neither a model nor a semantic_query.',
    hint: 'add model: schema.model',
    explain: 'A test says what it tests: a model with `model`, or the semantic layer with `semantic_query`.',
  },
  'test.no-outputs': {
    severity: 'error',
    message: 'The test {name} expects nothing.',
    hint: 'add outputs with query or ctes',
    explain:
      'A test without expected rows can never fail. `outputs.query` holds the rows of the model, `outputs.ctes.<name>` those of a common table expression in it.',
  },
  'test.no-rows': {
    severity: 'error',
    message: '{name} has no rows.',
    hint: 'give a list of rows, or a map with rows, query or path; an empty table is rows: []',
    explain: 'The data of a table in a test is a list of rows, a query, CSV text or a file beside the test.',
  },
  'test.rows-and-query': {
    severity: 'error',
    message: '{name} has both {first} and {second}.',
    hint: 'keep one of them',
    explain: 'The rows of a table come from one place: a list, a query or a file.',
  },
  'test.bad-row': {
    severity: 'error',
    message: 'A row is {found}; expected a map from columns to values.',
    explain: 'Each row is a map from column names to values. Columns that a row leaves out are NULL.',
  },
  'test.bad-type': {
    severity: 'error',
    message: '{type} is not a type: {detail}.',
    hint: 'write it as in a CAST, for instance DECIMAL(10, 2)',
    explain: 'The types under `columns` of a test table decide how its values are read.',
  },
  'test.bad-time': {
    severity: 'error',
    message: "{value} cannot be used for {key}; expected a time such as '2024-01-31' or '1 week ago'.",
    explain:
      'The variables start, end and execution_time of a test say at which time it takes place. They are read like start in a MODEL block.',
  },
  'test.unknown-model': {
    severity: 'error',
    message: 'The test {name} is about {model}, which is not a model of this project.',
    explain: 'The model of a test must exist. If it was renamed, rename it in its tests, too.',
  },
  'test.missing-input': {
    severity: 'error',
    message: 'The model {model} reads {input}, for which the test {name} gives no rows.',
    hint: 'add it under inputs; an empty table is []',
    explain:
      'A test runs the model on its inputs alone, so it needs rows for every table that the model reads.',
  },
  'test.unknown-input': {
    severity: 'warning',
    message: 'The model {model} does not read {input}.',
    explain:
      'Rows for a table that the model does not read have no influence on the result; most often the name is misspelled.',
  },
  'test.unknown-column': {
    severity: 'error',
    message: '{table} has no column {column}.',
    explain:
      'Rows of a test may use only columns that the table has. Columns that a row leaves out are NULL.',
  },
  'test.unknown-cte': {
    severity: 'error',
    message: 'The query of {model} has no common table expression {name}.',
    explain: '`outputs.ctes` names common table expressions (WITH name AS …) of the model.',
  },
  'test.unknown-metric-column': {
    severity: 'error',
    message: 'The metric {metric} has no column {column}.',
    explain:
      'A semantic query asks a metric for its columns: measure, ts, and the dimensions that the metric lists.',
  },
  'test.duplicate-name': {
    severity: 'error',
    message: 'The test {name} is already defined in {other}.',
    hint: 'give one of them another name',
    explain: 'Tests are selected and reported by name, so names are unique in a project.',
  },
  'test.no-input': {
    severity: 'error',
    message: 'The semantic query of the test {name} reads {model}, for which the test gives no rows.',
    hint: 'add it under inputs; an empty table is []',
    explain:
      'A semantic test runs on its inputs alone, so it needs rows for every model behind its members and joins.',
  },
  'test.failed': {
    severity: 'error',
    message: 'The test {name} fails: {detail}.',
    explain:
      'The answer of the semantic query is not what the test expects. plinth test shows the rows: - was expected and did not come, + came and was not expected.',
  },
  'test.not-run': {
    severity: 'error',
    message: '{tests}: Plinth cannot run tests of models yet, only semantic tests.',
    hint: 'name the semantic tests to run only those; a model test proves nothing in this version',
    explain:
      'Tests with `semantic_query` are run. Those of models (`model`) are loaded and checked, but not run yet. A test that was not run is not a test that passed, so plinth test ends with exit code 1.',
  },
} as const satisfies Catalog;

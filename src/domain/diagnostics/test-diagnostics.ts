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
  'test.semantic-only': {
    severity: 'error',
    message: 'The test {name} is one of a model and has {key}, which belongs to tests of semantic queries.',
    hint: 'rows of a model stand in outputs.query; as and error need a semantic_query',
    explain:
      'Policies belong to semantic models: they hold for questions, and not for the query of a model. So `as` says who asks a `semantic_query`, `error` that it is refused, and `rows` what it answers.',
  },
  'test.not-refused': {
    severity: 'error',
    message: 'The test {name} expects {code}; {found}.',
    explain:
      'A test with `error` passes when its semantic query is refused with this code: callers learn nothing of what their policies hide.',
  },
  'test.unknown-type': {
    severity: 'error',
    message: 'Nothing says which type the column {column} of {table} has: every value is NULL.',
    hint: 'give its type under columns of the input, or cast the column in its model',
    explain:
      'The columns of an input get their types from its model, from `columns` of the input, or else from the values. A column of unknown type whose values are all NULL has none.',
  },
  'test.no-columns': {
    severity: 'error',
    message: 'Nothing says which columns {table} has.',
    hint: 'give the input a row, or its columns with their types under columns',
    explain:
      'An input without rows has the columns of its model. Where they are not known, the input must name them.',
  },
  'test.unread-query': {
    severity: 'error',
    message: 'The query of {model} cannot be read as the engine of the test gets it.',
    hint: 'compare outputs.query alone, and give no execution_time',
    explain:
      'To stop the clock at `execution_time`, and to run a common table expression by itself, Plinth must read the query in the dialect of the engine that runs the test.',
  },
  'test.bad-value': {
    severity: 'error',
    message: '{value} cannot be the {type} that the column {column} of {table} is.',
    hint: 'write a value of that type, or give the column another type under columns of the input',
    explain:
      'The values of an input get the types of the columns of its model, or those under `columns`. A column that the query does not read may hold anything.',
  },
  'test.no-file': {
    severity: 'error',
    message: 'There is no file {path} beside the test or in the folder of the project.',
    hint: 'write the path from the file of the test, or from the folder of the project',
    explain: 'Rows of a test may stand in a file: `path` names it.',
  },
  'test.escapes-project': {
    severity: 'error',
    message: 'The path {path} of a test leads outside the project folder.',
    hint: 'put the file beside the test',
    explain:
      'A project is one folder and reads nothing outside it, so that its tests say the same on every machine.',
  },
  'test.file-exists': {
    severity: 'error',
    message: '{file} exists already.',
    hint: 'name another file with --path, or replace this one with --overwrite',
    explain: 'plinth create-test replaces a file only with --overwrite.',
  },
  'test.no-match': {
    severity: 'error',
    message: 'No test matches {expression}.',
    hint: 'plinth test --json lists all tests',
    explain:
      '`-k` takes a part of a test as file::name, or a pattern with *, and joins several with and, or, not. An expression that matches nothing is most likely misspelled.',
  },
  'test.failed': {
    severity: 'error',
    message: 'The test {name} fails: {detail}.',
    explain:
      'The rows are not what the test expects. plinth test shows them: - is an expected row that is missing, + an unexpected row, ~ an expected row with other values, as expected → actual.',
  },
  'test.not-run': {
    severity: 'error',
    message: '{tests}: Plinth cannot run Python models and macros yet.',
    hint: "leave them out with -k, such as -k 'not python'",
    explain:
      'A test that was not run is not a test that passed, so plinth test ends with exit code 1 unless tests of models that need Python are left out.',
  },
} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const queryDiagnostics = {
  'query.not-a-query': {
    severity: 'error',
    message: 'Only queries can be asked, and {text} is none.',
    hint: 'write a SELECT; tables are changed by plans and runs',
    explain:
      'plinth query reads an environment and never writes: what it is given must be a query. Data changes through models, plans and runs, so that it is audited before anybody sees it.',
  },
  'query.cannot-read': {
    severity: 'error',
    message: 'The query cannot be read, so its tables cannot be looked up in the environment {environment}.',
    hint: 'check the query; plinth table-name MODEL --env NAME prints names to write instead',
    explain:
      'In every environment but prod the names of models in a query are replaced by the names of its views. For that the query must be understood.',
  },
  'query.unknown-model': {
    severity: 'error',
    message: 'The environment {environment} has no model {name}.',
    explain:
      'The query names a table in a schema of models, but the environment has no such model. It may be in the project folder and not yet planned.',
  },
  'query.no-table': {
    severity: 'error',
    message: 'The model {model} has no table of its own.',
    hint: 'an EMBEDDED model is part of the queries that read it; an EXTERNAL one keeps its own name',
    explain:
      'Only kinds that are stored have a physical table or view. EMBEDDED models are put into the queries that name them, EXTERNAL ones belong to somebody else.',
  },
  'query.no-key': {
    severity: 'error',
    message: 'The rows of {model} cannot be compared: nothing says what identifies a row.',
    hint: 'pass --on with one or more columns, or give the model a grain',
    explain:
      'Two tables are compared row by row. Which rows belong together is said by the grain of the model or by --on.',
  },
  'query.unknown-column': {
    severity: 'error',
    message: 'There is no column {column} on both sides of the comparison.',
    explain: 'The columns that identify a row must be in both tables.',
  },
  'query.unknown-table': {
    severity: 'error',
    message: 'There is no table {name}.',
    hint: 'write two tables as schema.table:schema.table, or two environments and a model',
    explain: 'The warehouse has no table or view of that name.',
  },
  'query.bad-shape': {
    severity: 'error',
    message: 'In the semantic query, {path} is {found}; expected {expected}.',
    explain:
      'A semantic query is a JSON object with measures, dimensions, segments, filters, timeDimensions, order, limit, offset, timezone, total, ungrouped, joinHints and unreachableFilters, all of them optional.',
  },
  'query.unknown-key': {
    severity: 'error',
    message: 'A semantic query has no {key}.',
    explain:
      'Keys that nobody reads would be ignored in silence, and the answer would be to another question.',
  },
  'query.too-large': {
    severity: 'error',
    message: 'The semantic query has too many {what}; at most {max} are possible.',
    hint: 'ask in several queries, or put the values into a model and join it',
    explain: 'Questions are compiled in bounded time and memory.',
  },
} as const satisfies Catalog;

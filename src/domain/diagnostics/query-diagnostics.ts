import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const queryDiagnostics = {
  'query.not-a-query': {
    severity: 'error',
    message: '{text} is not a query, and only queries can be asked.',
    hint: 'write a SELECT; tables are changed by plans and runs',
    explain:
      'plinth query reads an environment and never writes, so its text must be a query. Data changes through models, plans and runs only, so that it is audited before it is visible.',
  },
  'query.cannot-parse': {
    severity: 'error',
    message: 'The query cannot be read: {detail}.',
    explain: 'The parser of the engine does not understand the text as SQL. The place is where it stopped.',
  },
  'query.several-statements': {
    severity: 'error',
    message: 'Only one query can be asked at a time, and the text has {count} statements.',
    hint: 'send them one by one',
    explain: 'A statement has one answer, so its text is exactly one query.',
  },
  'query.pivot-needs-in': {
    severity: 'error',
    message: 'A PIVOT must name its values with IN.',
    hint: "write the values: PIVOT t ON country IN ('CH', 'DE') USING sum(amount)",
    explain:
      'Without IN the columns of the answer depend on the data, and DuckDB makes several statements of such a query: it would have to look at the data before it is checked what may be read.',
  },
  'query.not-allowed': {
    severity: 'error',
    message: '{what} cannot be used in a query.',
    explain:
      'Queries from outside are made of parts that are known to read nothing but the tables they name. What is not on the list of those parts is refused: statements that look at the catalog or at settings, time travel, types that are not stable yet, and whatever a new version of the engine brings.',
  },
  'query.function-not-allowed': {
    severity: 'error',
    message: 'The function {name} cannot be used in a query.',
    hint: 'tables are made by range, generate_series and unnest; what a query needs from elsewhere belongs into a model',
    explain:
      'Queries from outside may call functions that work on their arguments alone. Those that read files, settings, secrets or the catalog, that run SQL from a text, and macros of the warehouse are refused; so is a name that the engine does not have.',
  },
  'query.function-bounded': {
    severity: 'error',
    message: 'The function {name} can bring the engine down, so a query {rule}.',
    hint: '{instead}',
    explain:
      'Some functions of the engine crash it for certain values, or take so long that nothing can interrupt them. A query from outside calls them only within a bound that its text shows, or not at all. Models are not bound by this. docs/reference/bounded-functions.md lists the functions.',
  },
  'query.too-complex': {
    severity: 'error',
    message: 'The query has too many {what}; at most {max} are possible.',
    hint: 'put a part of it into a model',
    explain:
      'The time the engine needs to read and plan a query grows much faster than the query. What would keep it busy for minutes before it starts is refused.',
  },
  'query.too-costly': {
    severity: 'error',
    message: 'The engine read the query for more than {seconds} s, and gave up.',
    hint: 'make it shorter, or put a part of it into a model',
    explain:
      'Before a query runs, the engine reads its text. Nothing can interrupt that, so the process of the engine ends when it takes too long, and everything else that was under way is repeated. The text is refused for an hour, and counts as one that brought the engine down.',
  },
  'query.unclear-name': {
    severity: 'error',
    message: 'The table {name} cannot be found in the text of the query.',
    hint: 'write its name plainly, with double quotes where it needs them',
    explain:
      'Names of models are replaced by the names of the views of an environment, so it must be certain where each name stands. Some rare ways to write a table (escaped identifiers, ONLY) make that uncertain.',
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
      'Only kinds that are stored have a physical table or view. EMBEDDED models are put into the queries that name them, EXTERNAL ones are tables of other programs.',
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
    explain:
      'The columns that identify a row must be in both tables. A column that --skip-columns leaves out must be in one of them, and cannot be one that identifies a row.',
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
    explain: 'An unknown key is an error: ignoring it would answer another question.',
  },
  'metric.unknown': {
    severity: 'error',
    message: 'There is no metric {name}.',
    hint: 'GET /metadata/semantic and plinth metrics list those there are',
    explain:
      'Metrics are asked for by the name in their file below models/metrics; a measure of a semantic model is asked for by a semantic query.',
  },
  'query.too-large': {
    severity: 'error',
    message: 'The semantic query has too many {what}; at most {max} are possible.',
    hint: 'ask in several queries, or put the values into a model and join it',
    explain: 'Questions are compiled in bounded time and memory.',
  },
} as const satisfies Catalog;

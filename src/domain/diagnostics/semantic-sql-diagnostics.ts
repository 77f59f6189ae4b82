import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What semantic SQL cannot answer; each is reported at its place in the text. */
export const semanticSqlDiagnostics = {
  'semantic.sql-unknown-table': {
    severity: 'error',
    message: '{name} is neither a semantic model, a metric nor a model.',
    hint: 'semantic models and metrics are written without a schema, models with theirs',
    explain:
      'SQL reads semantic models, metrics and roles of joins by their bare names, models by schema and name, and common tables of the query itself. Tables of the warehouse that are not models cannot be read.',
  },
  'semantic.sql-unknown-column': {
    severity: 'error',
    message: '{name} is not a column of {tables}.',
    explain:
      'The columns of a semantic table are its dimensions, measures and segments; those of a metric are ts, measure, its own name and its dimensions.',
  },
  'semantic.sql-unknown-function': {
    severity: 'error',
    message: '{name} is not a function that can be asked with.',
    hint: 'a dimension or measure of a semantic model may use it',
    explain:
      'Questions may call functions that compute a value from their arguments, written without a schema. Those that read files, settings or the system, functions of users, and functions that do not exist, are refused. Expressions in the files of the project may use all that the engine has.',
  },
  'semantic.sql-too-large': {
    severity: 'error',
    message: '{name} can become too large here: {problem}.',
    explain:
      'Functions whose answer is as large as a number says need that number in the text, and it must be small enough. All users share the memory of the engine, and one query that fills it would end the queries of all others.',
  },
  'semantic.sql-ambiguous-column': {
    severity: 'error',
    message: '{name} could be {candidates}.',
    hint: 'write the table before it',
    explain: 'Several tables of the FROM have a column of that name.',
  },
  'semantic.sql-mixed-tables': {
    severity: 'error',
    message: 'One SELECT reads the semantic table {semantic} and {other}.',
    hint: 'put the semantic part into a sub-query: FROM (SELECT … FROM {semantic} GROUP BY …) AS {semantic} JOIN …',
    explain:
      'The rows of a semantic table are made for the groups that its SELECT asks for. Joined with other rows before that, its measures would count some of them twice; joined as a sub-query they are right.',
  },
  'semantic.sql-join': {
    severity: 'error',
    message: 'Semantic tables are joined as they are modelled, not {how}.',
    hint: 'write CROSS JOIN or JOIN without ON',
    explain:
      'The joins of semantic models are part of their definition. An ON is accepted when it is the condition of a modelled join, and then says which of several is meant; left, inner and cross joins all mean the modelled one, which keeps rows without a match.',
  },
  'semantic.sql-same-table': {
    severity: 'error',
    message: 'The semantic table {name} stands twice in one FROM.',
    hint: 'use the names of its roles, or one sub-query for each',
    explain:
      'A semantic model joined with itself has no modelled meaning; the same model in two roles is written by the names of the joins.',
  },
  'semantic.sql-unsupported': {
    severity: 'error',
    message: 'SELECT from semantic tables cannot have {what}.',
    hint: 'put the semantic part into a sub-query and do this around it',
    explain:
      'The part that reads semantic tables asks for dimensions and measures. Everything else in SQL works around it, over its rows.',
  },
  'semantic.sql-not-grouped': {
    severity: 'error',
    message: '{name} is not among what is grouped by.',
    hint: 'add it to GROUP BY',
    explain:
      'A row of the answer is a group. What is shown, filtered or ordered by must have one value for each: the expressions of GROUP BY (or, without one, the dimensions that are selected) and measures.',
  },
  'semantic.sql-not-measure': {
    severity: 'error',
    message: 'MEASURE takes a measure; {name} is {found}.',
    explain: 'MEASURE(x) is the value of the measure x in the group.',
  },
  'semantic.sql-aggregate': {
    severity: 'error',
    message: '{what}.',
    hint: 'put the measure into a sub-query and aggregate its rows around it',
    explain:
      'A measure is an aggregate already, computed for the groups of its SELECT. Aggregating it further, or together with columns of rows, is a second step over the rows of a first.',
  },
  'semantic.sql-aggregate-rows': {
    severity: 'error',
    message: 'The rows that {call} counts are not clear: {tables}.',
    hint: 'name a measure, such as MEASURE({example})',
    explain:
      'An aggregate counts each row of one semantic model once: of the one that reaches all others it names to-one. COUNT(*) names all tables of the FROM. Of a metric only its measure can be asked.',
  },
  'semantic.sql-correlated': {
    severity: 'error',
    message: 'A sub-query refers to {name} of the semantic table around it.',
    hint: 'write it as a join of two sub-queries',
    explain:
      'The rows around are made after the sub-query is answered, so it cannot look at them one by one.',
  },
  'semantic.sql-window-condition': {
    severity: 'error',
    message:
      'A measure with a window moves along {member}, and this condition on it is more than a comparison with dates.',
    hint: 'compare it by >= and < with dates, joined by AND, OR and NOT, or put the measure into a sub-query and the condition around it',
    explain:
      'Comparisons with dates choose which periods are shown, not which rows a window sees. Any other condition on that time would cut the window.',
  },
} as const satisfies Catalog;

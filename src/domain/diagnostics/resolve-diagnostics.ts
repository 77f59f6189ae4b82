import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What is found when models are put together: dependencies, columns, types. */
export const resolveDiagnostics = {
  'model.cycle': {
    severity: 'error',
    message: 'These models depend on each other in a circle: {path}.',
    hint: 'let one of them read a third model that both can share',
    explain:
      'A model is built after everything it reads. In a circle there is no first one. A model may read itself (its own earlier rows), but not through another model.',
  },
  'model.internal-error': {
    severity: 'error',
    message: 'Plinth itself failed on {model}, which is a bug of Plinth: {problem}.',
    hint: 'please report it with the text of the model; the other models are not affected',
    explain:
      'An error in Plinth, not in your files, ended the analysis of this model. Everything else was loaded. The result is not remembered, so the next load tries again.',
  },
  'model.undeclared-external': {
    severity: 'warning',
    message: 'No file defines {table}, which is read by {readers}.',
    hint: 'if it is a table of the warehouse, declare it in external_models.yaml, so that its columns and types are known',
    explain:
      'A table that no model, seed or external model defines is taken for a table of the warehouse. Its columns are unknown, so stars over it cannot be expanded and mistakes in column names cannot be seen.',
  },
  'model.no-such-table': {
    severity: 'error',
    message: 'No file defines {table}, which is read by {readers}.',
    hint: 'did you mean {meant}? if it is a table of the warehouse, declare it in external_models.yaml',
    explain:
      'The project has models of the same schema, and one of them is called almost like this. A table that only the warehouse has must be declared: otherwise a misspelled name is found only when the model is built.',
  },
  'macro.import-outside': {
    severity: 'error',
    message: 'The user code in {file} imports something it may not: {problem}.',
    hint: 'copy what you need into the same folder',
    explain:
      'Macros, rules and signals are stored with what they were used for, so that the same code can run again later and elsewhere. Therefore they may import only files of their own folder, and `plinth` itself.',
  },
  'sql.unknown-column': {
    severity: 'error',
    message: 'There is no column {name} here ({model}).',
    explain:
      'The name is not a column of any table in this part of the query. It is an error where every column in scope is known, and a warning where a table with unknown columns might have it.',
  },
  'sql.ambiguous-column': {
    severity: 'error',
    message: 'The column {name} could be that of {tables} ({model}).',
    hint: 'put the table or its alias before the column',
    explain:
      'More than one table in scope has a column of this name and the query does not say which is meant.',
  },
  'sql.unknown-alias': {
    severity: 'error',
    message: 'There is no table or alias {name} in this part of the query ({model}).',
    explain: 'A column is qualified by a name that no table, alias or common table expression in scope has.',
  },
  'sql.star-not-expanded': {
    severity: 'warning',
    message: 'The star over {name} cannot be expanded, because its columns are not known ({model}).',
    hint: 'declare the table in external_models.yaml (plinth external writes it), or list the columns',
    explain:
      'Columns, types and lineage of a model are known only when every star can be expanded. Here the star is over a table whose columns no file declares.',
  },
  'sql.star-without-from': {
    severity: 'error',
    message: 'The star stands for the columns of FROM, and this part of the query has no FROM ({model}).',
    hint: 'name the table after FROM, or write the columns instead of the star',
    explain:
      'A star is all columns of the tables in the FROM of its own SELECT. A word behind a star is an alias, so a misspelled FROM is read as one.',
  },
  'sql.column-count': {
    severity: 'error',
    message: 'The branches of a set operation have different numbers of columns: {detail} ({model}).',
    explain:
      'UNION, EXCEPT and INTERSECT put columns together by position (except BY NAME), so all branches must have the same number.',
  },
  'sql.duplicate-column': {
    severity: 'warning',
    message: 'The query returns more than one column named {name} ({model}).',
    hint: 'give one of them another name with AS',
    explain:
      'Columns of a table are distinguished by name. Engines rename or refuse the second one; a query of this model cannot say which one it means.',
  },
} as const satisfies Catalog;

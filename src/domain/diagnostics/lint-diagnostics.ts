import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** One entry per built-in rule, and what can be wrong with the linter's own settings. Severity is the default; config decides. */
export const lintDiagnostics = {
  'lint.no-select-star': {
    severity: 'warning',
    message: '{model} returns a star, so its columns change with what it reads.',
    hint: 'list the columns; plinth lint --fix does it where they are known',
    explain:
      'A star in the outermost SELECT makes the columns of a model depend on what others add or remove upstream. Consumers then see columns appear and vanish without a change of this model. Stars inside common table expressions are fine.',
  },
  'lint.ambiguous-or-invalid-column': {
    severity: 'warning',
    message: 'The columns of {model} cannot all be resolved: {problem}',
    hint: 'write table.column, or declare the tables in external_models.yaml',
    explain:
      'A column name could not be tied to exactly one table. Where that is certain it is an error of its own; this rule also reports the places where a table with unknown columns leaves it open.',
  },
  'lint.invalid-select-star-expansion': {
    severity: 'warning',
    message: 'A star in {model} cannot be expanded: {problem}',
    hint: 'declare the table in external_models.yaml, or list the columns',
    explain:
      'The columns of the table under the star are not known, so neither are those of the model, and lineage ends there.',
  },
  'lint.no-missing-audits': {
    severity: 'warning',
    message: '{model} has no audits.',
    hint: 'add for example audits (not_null(columns := (id)))',
    explain:
      'Audits keep bad rows from being published. A model without audits publishes all rows that its query returns.',
  },
  'lint.no-missing-owner': {
    severity: 'warning',
    message: '{model} has no owner.',
    hint: 'add owner NAME to its MODEL block, or an owner in model_defaults',
    explain:
      'The owner answers for the model: the first to ask when an audit fails or a change breaks a consumer. Nothing is sent to owners in this version.',
  },
  'lint.no-missing-description': {
    severity: 'warning',
    message: '{model} has no description.',
    hint: "add description '…' to its MODEL block",
    explain: 'People and agents read descriptions to choose the right model.',
  },
  'lint.no-missing-external': {
    severity: 'warning',
    message: '{model} reads {table}, which no file declares.',
    hint: 'declare it in external_models.yaml',
    explain:
      'Columns and types of a declared external table are known, so mistakes are found before anything runs and lineage reaches the source.',
  },
  'lint.no-missing-unit-test': {
    severity: 'warning',
    message: '{model} has no model test.',
    hint: 'add a tests/test_….yaml with a few input rows and the rows they must become',
    explain:
      'A model test fixes what a query returns for a few rows, so that a later change of meaning is noticed.',
  },
  'lint.no-missing-grain': {
    severity: 'warning',
    message: '{model} has no grain.',
    hint: 'add grain (columns that identify a row)',
    explain: 'Joins, table diffs and semantic models use the grain to identify a row.',
  },
  'lint.cron-finer-than-upstream': {
    severity: 'warning',
    message: '{model} runs more often ({cron}) than {upstream}, which it reads ({upstreamCron}).',
    hint: 'give it the cron of its upstream, or make the upstream more frequent',
    explain:
      'Between two runs of the upstream nothing new can arrive, so the extra runs do no work or, worse, fill intervals before their data is there.',
  },
  'lint.no-missing-column-description': {
    severity: 'warning',
    message: 'Columns of {model} have no description: {columns}.',
    hint: 'write column_descriptions in its MODEL block, or a comment beside each column',
    explain:
      'Column descriptions are shown by the catalog, by semantic models and to agents. A comment beside a column in the SELECT is one.',
  },
  'lint.grain-without-audit': {
    severity: 'warning',
    message: 'No audit of {model} proves its grain ({columns}).',
    hint: 'add unique_values or unique_combination_of_columns over these columns to its audits',
    explain:
      'A grain says which columns identify a row. Joins and semantic models rely on it; rows that break it are counted twice. An audit on these columns, or on some of them, stops such rows. Kinds with a unique_key keep one row a key by themselves.',
  },
  'lint.unused-model': {
    severity: 'warning',
    message: 'Nothing reads {model}.',
    hint: 'remove it, or name it under access in config.yaml when people read it as a table',
    explain:
      'No model, audit or semantic model reads it, and config.yaml names it neither under access nor under slo. Tests and checks of a model do not count as readers.',
  },
  'lint.duplicate-logic': {
    severity: 'warning',
    message: '{name} does the same as {other}.',
    hint: 'keep one of them and let the other read it',
    explain:
      'Two models have the same query once layout, comments and macros are taken away, or two measures of a semantic model have the same type, expression and filters.',
  },
  'lint.naming': {
    severity: 'warning',
    message: 'Not in snake_case ({what}): {name}',
    hint: 'use lower-case letters, digits and underscores, beginning with a letter',
    explain:
      'Names of models, columns, semantic models, members, metrics and quality packs that need no quotes can be typed in every engine and tool.',
  },
  'lint.unknown-rule': {
    severity: 'error',
    message: 'There is no lint rule named {name}.',
    hint: 'docs/reference/lint-rules.md lists the rules',
    explain:
      'A rule named under linter in config.yaml, or in ignored_rules of a model, is neither built in nor defined in linter/*.ts.',
  },
  'lint.python-not-yet': {
    severity: 'warning',
    message: 'The lint rule {name} is written in Python and does not run: nothing is checked by it.',
    hint: 'write it in TypeScript in linter/*.ts',
    explain:
      'A class of linter/*.py is a rule of SQLMesh. This version reads the name, so that config.yaml may name it, and does not run it.',
  },
  'lint.rule-failed': {
    severity: 'error',
    message: 'The lint rule {name} could not be run: {problem}.',
    explain:
      'A rule of linter/*.ts could not be loaded, threw an error, took longer than five seconds or returned something that is not a list of findings.',
  },
  'lint.custom': {
    severity: 'warning',
    message: '{rule}: {finding}',
    explain:
      'A rule of the project’s own linter folder found this. The name of the rule stands before the finding.',
  },
} as const satisfies Catalog;

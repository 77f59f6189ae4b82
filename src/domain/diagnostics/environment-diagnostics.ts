import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const environmentDiagnostics = {
  'environment.bad-name': {
    severity: 'error',
    message: '{name} cannot be the name of an environment.',
    hint: 'use letters, digits and _, beginning with a letter, at most 32 characters',
    explain:
      'The name becomes part of the names of schemas in the warehouse. It is made lower case and `-` becomes `_` before it is checked.',
  },
  'environment.busy': {
    severity: 'error',
    message: 'The environment {environment} is being changed by {holder} since {age}.',
    hint: 'wait for it, or pass --wait 10m',
    explain:
      'One plan or run at a time changes an environment. The other one is alive: it said so within the last seven seconds. Nothing was done.',
  },
  'environment.moved': {
    severity: 'error',
    message: 'The environment {environment} is no longer what this plan was made for: {detail}.',
    hint: 'make the plan again',
    explain:
      'A plan leads from one state of an environment to another. Another plan or run has changed the environment since, so this plan would undo that change. Nothing was done.',
  },
  'environment.unknown': {
    severity: 'error',
    message: 'There is no environment {environment}.',
    hint: 'plinth environments lists them; plinth plan {environment} makes it',
    explain: 'An environment exists once a plan was applied to it.',
  },
  'environment.table-lost': {
    severity: 'warning',
    message:
      'The table {table} of {model} is gone from the warehouse: another program dropped it. It counts as empty now and is filled again.',
    explain:
      'What is filled is recorded in the warehouse beside the tables. This table was recorded as filled and is not there, so the record was removed, and plans and runs fill it from its start. A kind that keeps history (SCD 2, appended rows) gets what its query gives now: what only the lost table knew is lost.',
  },
  'environment.out-of-step': {
    severity: 'error',
    message:
      'What the warehouse shows as the environment {environment} is not what the state says: {detail}. The {older} is the older of the two.',
    hint: 'bring back the copy of both files that belongs together, or show again what the state and the project say: plinth plan {environment}',
    explain:
      'Each promotion is written to the warehouse and to the state. When one of the two files was put back from a copy, they differ, and a run or the janitor would go on with tables that nothing shows. Nothing was done. A plan compares the project with the state and makes all views of the environment again.',
  },
  'environment.shown-again': {
    severity: 'warning',
    message:
      'What the warehouse shows as the environment {environment} is not what the state says: {detail}. All its views are made again.',
    hint: 'when the {older} was put back by mistake, bring back the copy that belongs to the other file first',
    explain:
      'Each promotion is written to the warehouse and to the state. One of the two files is from an earlier time: it was put back from a copy. Tables that the warehouse does not have count as empty and are filled; then all views are made again.',
  },
  'environment.view-replaced': {
    severity: 'warning',
    message:
      'The view {view} of the environment {environment} was replaced by another program: it does not select what the promotion made.',
    hint: 'plinth plan {environment} makes it again; drop it first when it reads no table of Plinth',
    explain:
      'An environment shows each model by a view with the columns of the model. This view has other text. A plan replaces views that read tables of Plinth; any other view under the name is left alone and refused as plan.name-taken.',
  },
  'environment.column-lost': {
    severity: 'warning',
    message:
      'The column {column} of the table {table} of {model} is gone: another program dropped or renamed it.',
    hint: 'bring the column back, or drop the table: plinth plan {environment} then fills it again',
    explain:
      'The view of the environment lists this column, so reading the view fails, and so does the next write. Plinth does not drop a table with rows by itself. A table that is dropped counts as empty and is filled from its start.',
  },
  'environment.column-retyped': {
    severity: 'warning',
    message:
      'The column {column} of the table {table} of {model} has the type {is}; it was {was} when the view over it was made.',
    hint: 'when another program changed it, change it back; a plan makes the view again with the present type',
    explain:
      'The view of an environment was made over other types than the table has now. Programs that read the view get values of another type. A plan that changes types makes the views again, so the change came from elsewhere: another program, or the source of a FULL model.',
  },
  'environment.view-lost': {
    severity: 'warning',
    message:
      'The view {view} of the environment {environment} is gone from the warehouse: another program dropped it.',
    hint: 'plinth plan {environment} makes it again',
    explain:
      'An environment is shown by one view per model. A plan makes missing views again, also when nothing else changed; a run only fills tables.',
  },
  'environment.table-missing': {
    severity: 'error',
    message: '{model} cannot be shown: its table {table} is not in the warehouse.',
    hint: 'make the plan again: it finds tables that are gone and fills them again',
    explain:
      'An environment shows tables that were built before. This one is gone: it was dropped by hand, or by the janitor after the plan was made. The environment was left as it is.',
  },
} as const satisfies Catalog;

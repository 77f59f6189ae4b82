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
      'One plan or run at a time changes an environment. The other one is alive: it said so within the last eight seconds. Nothing was done.',
  },
  'environment.moved': {
    severity: 'error',
    message: 'The environment {environment} is no longer what this plan was made for: {detail}.',
    hint: 'make the plan again',
    explain:
      'A plan says how to get from one state of an environment to another. Somebody has changed the environment since, so the plan would undo their work. Nothing was done.',
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
      'The table {table} of {model} is gone from the warehouse: somebody dropped it. It counts as empty now and is filled again.',
    explain:
      'What is filled is recorded in the warehouse beside the tables. This table was recorded as filled and is not there, so the record was removed, and plans and runs fill it from its start. A kind that keeps history (SCD 2, appended rows) gets what its query gives now: what only the lost table knew is lost.',
  },
  'environment.view-lost': {
    severity: 'warning',
    message:
      'The view {view} of the environment {environment} is gone from the warehouse: somebody dropped it.',
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

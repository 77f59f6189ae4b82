import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const validateDiagnostics = {
  'validate.key-null': {
    severity: 'error',
    message: '{column}, part of the primary key of {model}, is NULL in {rows}.',
    hint: 'leave such rows out in the model, or choose another key',
    explain:
      'A row whose key is NULL cannot be distinguished from others, so joins to it and counts of it are wrong. Found by plinth validate --data.',
  },
  'validate.key-not-unique': {
    severity: 'error',
    message: 'The primary key ({columns}) of {model} is not unique: {rows} share theirs with another.',
    hint: 'remove the duplicates in the model, or name the columns that identify a row',
    explain:
      'A primary key says which columns identify a row. Where it does not, a join through it returns rows several times. Found by plinth validate --data.',
  },
  'validate.not-to-one': {
    severity: 'error',
    message: '{rows} of {model} matched more than one row of {to} over the join {join}.',
    hint: 'correct the type of the join, its condition, or the rows it leads to',
    explain:
      'Over a join that is declared to lead to one row, each row must meet at most one; otherwise measures count it several times. Found by plinth validate --data.',
  },
  'validate.time-null': {
    severity: 'error',
    message: '{dimension} of {model}, by which {user} counts, is NULL in {rows}.',
    hint: 'fill the time in the model, or leave such rows out',
    explain:
      'Rows without a time belong to no period, so periods do not add up to the whole. Found by plinth validate --data.',
  },
} as const satisfies Catalog;

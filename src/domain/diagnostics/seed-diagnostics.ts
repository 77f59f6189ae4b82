import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong with the CSV file of a SEED model. */
export const seedDiagnostics = {
  'seed.missing-file': {
    severity: 'error',
    message: 'The seed file {path} cannot be read: {detail}.',
    hint: 'the path is relative to the model file; $root/… is relative to the project folder',
    explain: 'A SEED model loads one CSV file of the project.',
  },
  'seed.not-utf8': {
    severity: 'error',
    message: 'The seed file {path} is not UTF-8 text: {detail}.',
    hint: 'save the file as UTF-8',
    explain:
      'Seeds are read as UTF-8. Bytes of another encoding would silently become other characters, so the file is refused.',
  },
  'seed.escapes-project': {
    severity: 'error',
    message: 'The seed path {path} leads outside the project folder.',
    hint: 'put the file into seeds/ and write $root/seeds/…',
    explain:
      'A project is one folder and reads nothing outside it, so that it means the same on every machine.',
  },
  'seed.empty': {
    severity: 'error',
    message: 'The seed file {path} is empty; it needs at least a header line.',
    explain: 'The first line of a seed names its columns.',
  },
  'seed.unknown-column': {
    severity: 'error',
    message: 'The column {column} is declared, but the header of {path} does not have it.',
    explain: 'Every declared column of a seed must be a column of its file.',
  },
  'seed.undeclared-column': {
    severity: 'warning',
    message: 'The column {column} of {path} is not declared, so it is not loaded.',
    hint: 'declare it under columns, or remove columns to load all',
    explain: 'When a seed declares columns, exactly those are loaded.',
  },
  'seed.duplicate-header': {
    severity: 'error',
    message: 'The header of {path} names the column {column} twice.',
    hint: 'rename one of the two columns in the file',
    explain: 'A table cannot have two columns of one name; names are compared without regard to case.',
  },
  'seed.unnamed-column': {
    severity: 'error',
    message: 'Column {position} in the header of {path} has no name.',
    hint: 'name every column in the first line of the file',
    explain: 'The first line of a seed names its columns; an empty name is most often a stray delimiter.',
  },
  'seed.long-header': {
    severity: 'error',
    message: 'The first line of {path} is longer than 256 KiB, so its columns cannot be read.',
    hint: 'check that lines end as csv_settings say and that no quote is left open',
    explain:
      'The first line of a seed names its columns. Only the beginning of the file is looked at; a line that long usually means that the file is not CSV.',
  },
  'seed.unclosed-header': {
    severity: 'error',
    message: 'The header of {path} has a quote that is never closed.',
    explain:
      'The first line of a seed names its columns. An unclosed quote would make the whole file one name.',
  },
} as const satisfies Catalog;

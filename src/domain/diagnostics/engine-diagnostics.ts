import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const engineDiagnostics = {
  'engine.cannot-open': {
    severity: 'error',
    message: 'The database {database} cannot be opened: {detail}.',
    hint: 'close the other program that has the file open, or choose another file in config.yaml',
    explain:
      'DuckDB lets one process have a file at a time. Another program (a shell, an editor extension, a second Plinth) holds it, or the file is not a DuckDB database, or the folder is not writable.',
  },
  'engine.statement-failed': {
    severity: 'error',
    message: 'The engine refused a statement: {detail}.',
    explain:
      'The SQL was sent to the engine, which answered with the error shown. Nothing of its transaction was kept.',
  },
  'engine.kind-not-yet': {
    severity: 'error',
    message: 'Models of kind {kind} cannot be built yet ({model}).',
    hint: 'plan builds VIEW, FULL and SEED models in this version',
    explain:
      'This version of `plinth plan` is a walking skeleton: it builds views, full tables and seeds. The other kinds load, resolve and lint, and will be built in a later version.',
  },
} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const engineDiagnostics = {
  'engine.cannot-open': {
    severity: 'error',
    message: 'The database {database} cannot be opened: {detail}.',
    hint: 'check the path and the connection options in config.yaml, and that the folder is writable',
    explain:
      'The file is not a DuckDB database, the folder is not writable, or an option of the connection (extensions, secrets, catalogs, connector_config) was refused. Nothing was changed.',
  },
  'engine.warehouse-gone': {
    severity: 'error',
    message: 'The warehouse {database} is gone, although it was filled before.',
    hint: 'restore the file from a copy; to start again without its data, remove the state file as well',
    explain:
      'The state knows what was applied to the warehouse, so the file was there. A new and empty one is not made in its place: every question would be answered as if there had never been any data.',
  },
  'engine.locked': {
    severity: 'error',
    message: 'The database {database} is held by {holder}.',
    hint: 'close that program, or choose another file in config.yaml',
    explain:
      'DuckDB lets one process open a file at a time. A program other than Plinth (a shell, an editor extension, a notebook) has it open. Plinth processes share the file among themselves.',
  },
  'engine.held-elsewhere': {
    severity: 'error',
    message: 'The database {database} is held by {holder}, which cannot be reached from here: {detail}.',
    hint: 'run the command where that process runs and as its user, ask the server over HTTP, or stop that process',
    explain:
      'DuckDB lets one process open a file at a time. That process is the keeper; all commands of one user on one machine connect to it over a socket in XDG_RUNTIME_DIR or /tmp. A keeper of another user, in another container or with another temporary folder cannot be reached, and a stopped one does not answer.',
  },
  'engine.keeper-differs': {
    severity: 'error',
    message:
      'The database {database} is kept by process {pid} with another setting ({difference}), and it is busy for {clients}.',
    hint: 'wait until those commands have ended, or use the same connection options everywhere',
    explain:
      'One process keeps a DuckDB file for all commands, with one set of connection options and one version of DuckDB. When no command uses it, it ends by itself, and the next command starts one with its own options.',
  },
  'engine.lost': {
    severity: 'error',
    message: 'The engine ended before it answered: {detail}.',
    hint: 'run the command again; it is idempotent: committed work is not done twice',
    explain:
      'The process or connection that executed the statement ended: it was killed, ran out of memory or crashed. Transactions that were open are rolled back. A commit without an answer may have succeeded; the ledger in the warehouse shows whether it did.',
  },
  'engine.broken': {
    severity: 'error',
    message: 'The statement broke the engine: {detail}.',
    hint: 'change the statement: this one meets a defect of the engine',
    explain:
      'The statement caused an internal error of the engine, which closed the database; Plinth opened it again. The transaction was rolled back, and statements that ran at the same time are repeated.',
  },
  'engine.statement-failed': {
    severity: 'error',
    message: 'The engine refused a statement: {detail}.',
    explain:
      'The SQL was sent to the engine, which answered with the error shown. Nothing of its transaction was kept.',
  },
  'engine.file-closed': {
    severity: 'error',
    message: 'SQL may not reach {path}: {reason}.',
    explain:
      'Models, audits and queries of the command line read the files of the project folder, except .plinth and links that leave the folder, and write into seeds and data. The option allowed_paths of the connection opens further folders and addresses. Nothing was changed.',
  },
  'engine.type-mismatch': {
    severity: 'error',
    message: 'A value does not fit its type: {detail}.',
    hint: 'cast the column in the query, or change its type in the model',
    explain:
      'The engine could not convert a value, or compare two types. Nothing of the transaction was kept. The first value that failed is shown.',
  },
  'engine.conflict': {
    severity: 'error',
    message: 'Another transaction changed the same thing first: {detail}.',
    hint: 'run the command again',
    explain:
      'Two transactions wrote the same rows or the same table at the same time, and the engine committed only one of them. Plinth retries such a write up to three times; this error means that the last attempt failed, too.',
  },
  'engine.fenced': {
    severity: 'error',
    message:
      'The write of {table} with the fencing token {token} is refused: the table has the newer token {newest}.',
    hint: 'nothing needs to be done: another run holds this table and fills what is missing',
    explain:
      'This run was paused for longer than its lease, and another run took the table over with a newer fencing token. The engine refuses writes with an older token, because both runs would write the same interval.',
  },
  'engine.cancelled': {
    severity: 'error',
    message: 'The statement was cancelled.',
    explain: 'It was stopped by the user or by a time limit. Nothing of its transaction was kept.',
  },
  'engine.timed-out': {
    severity: 'error',
    message: 'The statement was stopped: {detail}.',
    hint: 'ask for less, or give it more time',
    explain:
      'A query that is read as it runs has a time limit of its own, and its answer must be read on: while it is open, it keeps threads and memory of the engine.',
  },
  'engine.out-of-memory': {
    severity: 'error',
    message: 'The engine has not enough memory for a statement: {detail}.',
    hint: 'give it more with connector_config: {memory_limit: …}, or let the model work on smaller batches',
    explain:
      'The statement needed more memory than the limit of the connection (six tenths of the machine, unless set). It was stopped and nothing of its transaction was kept.',
  },
  'engine.disk-full': {
    severity: 'error',
    message: 'The disk is full: {detail}.',
    hint: 'free some space and run the command again',
    explain:
      'The engine could not write its file or its temporary files. The transaction was rolled back; what was there before is still there.',
  },
  'engine.answer-too-large': {
    severity: 'error',
    message: 'The answer has more than {rows_max} rows.',
    hint: 'add a LIMIT, or aggregate further',
    explain: 'Answers that are shown or compared are held in memory, so they are bounded.',
  },
  'engine.row-too-large': {
    severity: 'error',
    message: 'A row of the answer has more than {bytes_max} bytes.',
    hint: 'choose fewer columns, or a part of the long text or list',
    explain: 'A row is sent whole, so it must fit into the memory of all who read it.',
  },
} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const stateDiagnostics = {
  'state.bad-import': {
    severity: 'error',
    message: 'Line {line} of the exported state cannot be read: {detail}.',
    hint: 'import a file that plinth state export wrote, whole and unchanged',
    explain:
      'An export is one JSON text per line; the first line says what it is, the last one how many there are. Nothing was imported.',
  },
  'state.cannot-open': {
    severity: 'error',
    message: 'The state file {file} cannot be opened: {detail}.',
    hint: 'check that the folder exists and is writable, or choose another file for the state in config.yaml',
    explain:
      'Plinth remembers what was planned, applied and run in a SQLite file, which it must be able to write.',
  },
  'state.lease-lost': {
    severity: 'error',
    message: 'The run {run} no longer has the right to change the environment {environment}: {detail}.',
    hint: 'run the command again',
    explain:
      'A run says every two seconds that it is alive. This one was silent for more than eight (the machine slept, or the process was stopped), so others took it for dead and went on. What it had finished is kept; the rest is done by the next plan or run.',
  },
  'state.locked': {
    severity: 'error',
    message: 'The state file {file} has been locked by another program for {seconds} seconds.',
    hint: 'close the program that has it open for writing, and try again',
    explain:
      'Plinth itself holds the lock for milliseconds. A backup tool, a database browser with an open transaction or a stopped process can hold it for longer.',
  },
  'state.mismatch': {
    severity: 'error',
    message: 'The state {state} and the warehouse {warehouse} do not belong together: {detail}.',
    hint: 'use the files that belong together, bring back the state with plinth state import, or build a lost one again with plinth state rebuild',
    explain:
      'State and warehouse share an id, because what the state says of the tables is only true of one warehouse. A state that was deleted beside a filled warehouse, a warehouse that was deleted beside its state, or files of two projects are refused before anything is written.',
  },
  'state.newer': {
    severity: 'error',
    message:
      'The state file {file} was written by a newer Plinth: its version is {version}, this program knows {known}.',
    hint: 'update Plinth',
    explain: 'A newer version has changed the layout of the state. Nothing was read or changed.',
  },
  'state.no-adapter': {
    severity: 'error',
    message: 'The state cannot be kept in {engine}.',
    hint: 'use one of these for state_connection: {known}',
    explain:
      'What was planned, applied and run is kept in a database of its own, which need not be the warehouse. This version knows the kinds the hint lists.',
  },
  'state.not-empty': {
    severity: 'error',
    message: 'The state {file} is not empty, so nothing can be imported or rebuilt in it.',
    hint: 'move the file away first, with those beside it that begin with its name',
    explain:
      'An import makes a state equal to the exported one, a rebuild one that says what the warehouse shows. Mixing two of them would be wrong about both.',
  },
  'state.snapshot-differs': {
    severity: 'error',
    message: 'The snapshot {fingerprint} of {model} is stored with other content: {detail}.',
    hint: 'report this as a bug, with the output of plinth state export',
    explain:
      'A fingerprint is a hash of all that a model is. The same fingerprint with different content means that the hash was made wrongly or that the state was edited. Nothing was applied.',
  },
  'state.unreadable': {
    severity: 'error',
    message: 'The state file {file} cannot be read: {detail}.',
    hint: 'move it away and restore it from a copy, from an export (plinth state import) or from the warehouse (plinth state rebuild)',
    explain:
      'The file is damaged, or it is not a state file of Plinth. The warehouse has the data and its own ledger of what was filled.',
  },
  'state.write-failed': {
    severity: 'error',
    message: 'The state file {file} cannot be written: {detail}.',
    hint: 'make room on the disk, check its permissions, and run the command again',
    explain:
      'The disk is full, read-only or failing. The change that could not be written did not happen; the next plan or run goes on from what was stored.',
  },
} as const satisfies Catalog;

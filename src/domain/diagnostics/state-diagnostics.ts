import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const stateDiagnostics = {
  'state.bad-import': {
    severity: 'error',
    message: 'Line {line} of the exported state cannot be read: {detail}.',
    hint: 'import a file that plinth state export wrote, whole and unchanged',
    explain:
      'An export is one JSON text per line; the first line says what it is, the last one how many there are. Nothing was imported.',
  },
  'state.cannot-connect': {
    severity: 'error',
    message: 'The state of the gateway {gateway} at {place} cannot be reached: {detail}.',
    hint: 'check that the server runs, and host, port, database and sslmode in gateways.{gateway}.state_connection',
    explain:
      'Plinth remembers what was planned, applied and run in a database of its own. Its server does not answer at this address, does not have this database, or does not accept the connection as sslmode asks for it.',
  },
  'state.cannot-open': {
    severity: 'error',
    message: 'The state file {file} cannot be opened: {detail}.',
    hint: 'check that the folder exists and is writable, or choose another file for the state in config.yaml',
    explain:
      'Plinth remembers what was planned, applied and run in a SQLite file, which it must be able to write.',
  },
  'state.connection-lost': {
    severity: 'error',
    message: 'The connection to the state of the gateway {gateway} at {place} was lost: {detail}.',
    hint: 'check that the server runs and can be reached, and run the command again',
    explain:
      'Plinth has tried for 15 seconds to connect again. A change that was under way happened whole or not at all; the next plan or run goes on from what was stored.',
  },
  'state.lease-lost': {
    severity: 'error',
    message: 'The run {run} no longer has the right to change the environment {environment}: {detail}.',
    hint: 'run the command again',
    explain:
      'A run says every two seconds that it is alive. This one was silent for more than seven (the machine slept, or the process was stopped), so others took it for dead and went on. What it had finished is kept; the rest is done by the next plan or run.',
  },
  'state.locked': {
    severity: 'error',
    message: 'The state file {file} has been locked by another program for {seconds} seconds.',
    hint: 'close the program that has it open for writing, and try again',
    explain:
      'Plinth itself holds the lock for milliseconds. A backup tool, a database browser with an open transaction or a stopped process can hold it for longer.',
  },
  'state.login-refused': {
    severity: 'error',
    message: 'The state of the gateway {gateway} at {place} refused the user {user}: {detail}.',
    hint: 'check user and password in gateways.{gateway}.state_connection',
    explain:
      'The server of the state does not know this user, the password is wrong, or its rules of access do not let this user in from this machine.',
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
      'The state {file} was written by a newer Plinth: its version is {version}, this program knows {known}.',
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
  'state.no-rights': {
    severity: 'error',
    message: 'The user {user} lacks a right on the state of the gateway {gateway} at {place}: {detail}.',
    hint: 'let an administrator create the schema for this user: CREATE SCHEMA … AUTHORIZATION {user}',
    explain:
      'Plinth makes its tables in a schema of its own, which its user has to own, and makes that schema itself where the user may create one in the database.',
  },
  'state.not-empty': {
    severity: 'error',
    message: 'The state {file} is not empty, so nothing can be imported or rebuilt in it.',
    hint: 'move the file away first, with those beside it that begin with its name',
    explain:
      'An import makes a state equal to the exported one, a rebuild one that says what the warehouse shows. Mixing two of them would be wrong about both.',
  },
  'state.old-server': {
    severity: 'error',
    message:
      'The server of the state of the gateway {gateway} at {place} has version {version}; version {needed} or later is needed.',
    hint: 'update the server, or name another one in gateways.{gateway}.state_connection',
    explain: 'Plinth was not tested with earlier versions of this server. Nothing was read or changed.',
  },
  'state.read-only': {
    severity: 'error',
    message: 'The state of the gateway {gateway} at {place} can only be read: {detail}.',
    hint: 'name the primary server in gateways.{gateway}.state_connection',
    explain:
      'The server is a standby that follows another one, or the database or the user is set to transactions that only read. Plinth writes to its state with every plan, run and statement.',
  },
  'state.snapshot-differs': {
    severity: 'error',
    message: 'The snapshot {fingerprint} of {model} is stored with other content: {detail}.',
    hint: 'report this as a bug, with the output of plinth state export',
    explain:
      'A fingerprint is a hash of all that a model is. The same fingerprint with different content means that the hash was made wrongly or that the state was edited. Nothing was applied.',
  },
  'state.too-many-connections': {
    severity: 'error',
    message: 'The state of the gateway {gateway} at {place} has no connection left: {detail}.',
    hint: 'lower pool_size in gateways.{gateway}.state_connection, or raise max_connections of the server',
    explain:
      'Each process keeps up to pool_size connections (4 if not set). Plinth waited for 15 seconds for one to become free.',
  },
  'state.unreadable': {
    severity: 'error',
    message: 'The state {file} cannot be read: {detail}.',
    hint: 'move it away and restore it from a copy, from an export (plinth state import) or from the warehouse (plinth state rebuild)',
    explain:
      'The file is damaged, or it is not a state file of Plinth. The warehouse has the data and its own ledger of what was filled.',
  },
  'state.write-failed': {
    severity: 'error',
    message: 'The state {file} cannot be written: {detail}.',
    hint: 'make room on the disk, check its permissions, and run the command again',
    explain:
      'The disk is full, read-only or failing. The change that could not be written did not happen; the next plan or run goes on from what was stored.',
  },
} as const satisfies Catalog;

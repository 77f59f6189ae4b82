import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const runDiagnostics = {
  'run.lease-lost': {
    severity: 'error',
    message: 'The run {run} on {environment} was stopped: {detail}.',
    hint: 'look at plinth runs, then run the command again',
    explain:
      'A run says every two seconds that it is alive. When it could not for seven seconds (the process was paused, the machine slept, the state store was out of reach), others may take over its work, so it stops. What it had committed stays, what it had not is rolled back.',
  },
  'run.cancelled': {
    severity: 'error',
    message: 'The run was interrupted before {what} was done.',
    hint: 'run the command again: it goes on with what is left',
    explain:
      'Ctrl-C once lets what is running come to its end and begins nothing new; twice gives it up. Whatever was committed stays, everything else is rolled back.',
  },
  'run.snapshot-missing': {
    severity: 'error',
    message: 'The snapshot {fingerprint} that this plan builds on is no longer in state.',
    hint: 'make the plan again',
    explain:
      'A plan names snapshots that were known when it was made. The janitor has forgotten this one since, because no environment showed it.',
  },
  'run.nothing-restated': {
    severity: 'error',
    message:
      '{model} was to be filled again, but the warehouse says that this was done before it was asked for.',
    hint: 'run the command again: it compares state and warehouse first',
    explain:
      'A restatement is done where the ledger has rows of a later holder of the table. Here it has such rows although nothing else held the table since: the state is from an earlier time than the warehouse. The rows of the model were left as they are.',
  },
  'run.rows-outside': {
    severity: 'warning',
    message:
      'The query of {model} returned {rows} whose time is NULL or outside the interval; they were left out.',
    hint: "filter the query with @start_at and @end_before, or set strict_time 'error' to stop such a write",
    explain:
      'An incremental model replaces the rows of the interval that is processed. Rows of another time cannot be put there, so they are counted and left out. Rows without a time belong to no interval and never arrive.',
  },
  'run.bug': {
    severity: 'error',
    message: 'A bug in Plinth stopped {what}: {detail}.',
    hint: 'please report it with the output of the command under --verbose',
    explain:
      'Something happened that the program holds to be impossible. The transaction was rolled back, so the data is what it was before.',
  },
} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const statementDiagnostics = {
  'statement.unknown': {
    severity: 'error',
    message: 'There is no statement {id}.',
    hint: 'statements are kept for a day after they ended; those of others are not shown',
    explain:
      'There never was such a statement, it was removed after its time, or it belongs to another caller. The answer is the same in all three cases.',
  },
  'statement.not-finished': {
    severity: 'error',
    message: 'The statement {id} has no result yet: it is {status}.',
    hint: 'ask again when its status is SUCCESS',
    explain: 'A result can be fetched when the statement has ended.',
  },
  'statement.no-result': {
    severity: 'error',
    message: 'The statement {id} has no result: it is {status}{why}.',
    explain: 'Statements that failed or were cancelled leave no rows; the statement says why.',
  },
  'statement.expired': {
    severity: 'error',
    message: 'The result of the statement {id} has expired.',
    hint: 'submit it again',
    explain:
      'Results are kept for a day after the statement ended, unless server.limits.result_hours says otherwise.',
  },
  'statement.too-many': {
    severity: 'error',
    message: 'Too many statements are waiting: {queued}.',
    hint: 'try again in a moment',
    explain:
      'A product executes a few statements at a time, and its queue is bounded (back-pressure). This statement was not accepted.',
  },
  'statement.suspended': {
    severity: 'error',
    message: 'Statements of yours brought the engine down several times: none is accepted until {until}.',
    hint: 'look at your statements that failed with statement.out-of-resources, and change them',
    explain:
      'A statement that brings the engine down interrupts all others. It is blamed when the engine is lost twice while it runs alone. Three blames within ten minutes suspend the caller for ten minutes.',
  },
  'statement.closing': {
    severity: 'error',
    message: 'The server is shutting down and accepts no statements.',
    hint: 'try again in a moment',
    explain: 'Statements that were accepted before are finished, by this process or the next one.',
  },
  'statement.out-of-resources': {
    severity: 'error',
    message: 'The statement needs more than the server has: {detail}.',
    hint: 'ask for less: aggregate, filter or limit earlier; the same statement is not tried again for a while',
    explain:
      'It ran out of memory, brought the engine down, or found the disk full. What ran out of memory or brought the engine down is refused for an hour over the same data, so that it cannot do so again and again.',
  },
  'statement.worker-lost': {
    severity: 'error',
    message: 'The statement was given up: the process that worked on it was lost twice.',
    hint: 'submit it again; if it is lost once more, ask for less',
    explain:
      'When the process of a statement dies, the next process executes the statement once more. After the second loss it is given up.',
  },
  'statement.bug': {
    severity: 'error',
    message: 'The statement failed in a way that is a bug of Plinth: {detail}.',
    hint: 'report it, with the statement',
    explain: 'Every known failure of an engine or a disk has its own code. This one has none.',
  },
  'statement.timed-out': {
    severity: 'error',
    message: 'The statement was stopped after {seconds} seconds.',
    hint: 'ask for less, or set a longer timeout',
    explain: 'Every statement has a time limit, its own or that of the server.',
  },
  'statement.too-many-rows': {
    severity: 'error',
    message: 'The result has more than {limit} rows.',
    hint: 'ask for less, or let it be cut with on_limit: truncate',
    explain: 'The statement was submitted with a row limit that must not cut its result.',
  },
  'statement.result-too-large': {
    severity: 'error',
    message: 'The result has more than {bytes_max} bytes.',
    hint: 'ask for less: aggregate, filter or limit',
    explain:
      'A server keeps results on disk for a while, and a command holds its result in memory, so the size of a result is bounded.',
  },
  'statement.bad-option': {
    severity: 'error',
    message: '{name} is {value}; expected {expected}.',
    explain: 'An option of a statement has a value that it cannot have.',
  },
  'statement.bad-parameters': {
    severity: 'error',
    message: 'The parameters do not fit the SQL: {detail}.',
    hint: 'give one value for each ? or for each of $1, $2, …; a value is a text, a number, true, false or null',
    explain:
      'Values of parameters are put into the query as constants of their own type, never as pieces of its text.',
  },
  'statement.not-semantic': {
    severity: 'error',
    message: 'The query reads no semantic model and no metric.',
    hint: 'name one as a table; SQL over models is submitted as a plain statement',
    explain: 'Semantic SQL has semantic models and metrics as its tables.',
  },
  'statement.unknown-column': {
    severity: 'error',
    message: 'The result has no column {name}.',
    explain: 'The columns of a result are named as its statement lists them.',
  },
} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong in an audit file, or in what a model asks of an audit. */
export const auditDiagnostics = {
  'audit.missing-block': {
    severity: 'error',
    message: 'The file {file} does not begin with an AUDIT block.',
    hint: 'begin with AUDIT (name my_audit);',
    explain:
      'Files in audits/ define audits: an AUDIT block with a name, followed by a query whose rows are failures.',
  },
  'audit.missing-name': {
    severity: 'error',
    message: 'The AUDIT block has no name.',
    hint: 'add name my_audit',
    explain: 'Models ask for an audit by its name, so an audit without one could never be used.',
  },
  'audit.no-query': {
    severity: 'error',
    message: 'The audit {name} has no query.',
    hint: 'write a SELECT after the AUDIT block; every row it returns is a failure',
    explain: 'An audit is a query over the model whose rows are failures.',
  },
  'audit.several-queries': {
    severity: 'error',
    message: 'The audit {name} has more than one query; this is the second.',
    hint: 'combine the queries with UNION ALL, or begin another AUDIT block',
    explain: 'An audit is exactly one query. Only @DEF lines may stand before it.',
  },
  'audit.duplicate-name': {
    severity: 'error',
    message: 'The audit {name} is defined twice: here and in {other}.',
    hint: 'rename one of the two audits',
    explain:
      'Models ask for an audit by its name, so it must be unique. An audit inside a model file is visible only there and may have the name of another.',
  },
  'audit.shadows-built-in': {
    severity: 'warning',
    message: 'The audit {name} has the name of a built-in audit and is used instead of it.',
    explain:
      'A project may replace a built-in audit. It is a warning because models that ask for it may have meant the built-in one.',
  },
  'audit.standalone-blocks': {
    severity: 'error',
    message: 'The audit {name} is standalone, so it cannot block.',
    hint: 'write blocking false, or leave it out',
    explain:
      'A standalone audit watches tables of its own after they were published; there is nothing left that it could hold back.',
  },
  'audit.unknown': {
    severity: 'error',
    message: 'The model {model} asks for the audit {name}, which does not exist.',
    explain: 'An audit is built in, defined in audits/, or defined in the model file itself.',
  },
  'audit.unknown-argument': {
    severity: 'error',
    message: '{argument} is not an argument of the audit {name}.',
    explain: 'A misspelt argument would otherwise be ignored and the audit would check something else.',
  },
  'audit.missing-argument': {
    severity: 'error',
    message: 'The audit {name} needs the argument {argument}.',
    hint: '{name}({argument} := …)',
    explain: 'The audit cannot be written without this argument.',
  },
  'audit.unnamed-argument': {
    severity: 'error',
    message: '{value} is an argument without a name.',
    hint: 'arguments are written as name := value',
    explain: 'Audits and signals take their arguments by name.',
  },
  'audit.unused-argument': {
    severity: 'warning',
    message: 'The argument {argument} is never used by the audit {name}.',
    explain:
      "The audit's query does not mention the argument, so giving it changes nothing; most likely its name is misspelt.",
  },
  'audit.unknown-column': {
    severity: 'error',
    message: 'The audit {audit} of {model} names {column}, which is no column of the model.',
    explain:
      'An audit is run on the rows of its model before they are published. A column that the model does not have would make every write fail, so it is found when the project is loaded.',
  },
  'audit.bad-argument': {
    severity: 'error',
    message: 'The argument {argument} of the audit {audit} of {model} cannot be read: {problem}.',
    explain: 'Arguments of audits are SQL: columns, lists of columns, values or conditions.',
  },
} as const satisfies Catalog;

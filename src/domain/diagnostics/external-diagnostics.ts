import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const externalDiagnostics = {
  'external.bad-name': {
    severity: 'error',
    message: '{name} is not the name of a table; expected table, schema.table or catalog.schema.table.',
    explain: 'External models name tables that something else fills. Each part may be quoted as in SQL.',
  },
  'external.bad-type': {
    severity: 'error',
    message: '{type} is not a type of the dialect {dialect}: {detail}.',
    hint: 'write it as in a CAST, for instance DECIMAL(10, 2)',
    explain:
      'The types of external tables are where type checking of the whole project begins, so a type that cannot be read is an error instead of an unknown.',
  },
  'external.duplicate': {
    severity: 'error',
    message: 'The external table {name} is already described in {other}.',
    hint: 'keep one of them, or give them different gateways',
    explain:
      'A table may be described once for all gateways and once for each gateway; the description of the gateway in use wins. Two descriptions for the same gateway contradict each other.',
  },
  'external.not-a-list': {
    severity: 'error',
    message: '{path} is not a list with one table below the other, so nothing can be added to it.',
    hint: 'write each table as an entry of its own that begins with "- name:"',
    explain:
      'plinth external adds entries to the text of the file and leaves everything else in it as it is. It cannot do so in a list that is written in brackets, or in a file that is not a list.',
  },
  'external.unknown-gateway': {
    severity: 'warning',
    message: '{name} is not a gateway of this project, so this description is never used.',
    explain:
      'An external table with a gateway is seen only when that gateway is in use. Gateways are the keys under `gateways` in config.yaml.',
  },
} as const satisfies Catalog;

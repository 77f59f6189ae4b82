import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const graphqlDiagnostics = {
  'graphql.syntax': {
    severity: 'error',
    message: 'The GraphQL document cannot be read: {detail}.',
    explain: 'The text is not valid GraphQL; the location says where reading stopped.',
  },
  'graphql.invalid': {
    severity: 'error',
    message: 'The GraphQL request does not fit the schema: {detail}',
    hint: 'introspection, or the page at the same address, shows what there is',
    explain:
      'A field, argument, fragment or variable is not what the schema of the caller says. That schema leaves out semantic models that a policy denies.',
  },
  'graphql.too-large': {
    severity: 'error',
    message: 'The GraphQL request has more than {max} {what}.',
    hint: 'ask in several requests',
    explain:
      'Documents have at most 100 kB, 10 root fields and 1,000 fields, nested at most 15 deep, with fragments written out. The answer to a request has at most 2,000,000 cells and about 64 MB, all root fields and aliases counted. What a document makes of the schema is bounded as well.',
  },
  'graphql.bad-compare': {
    severity: 'error',
    message: 'compareDateRange names exactly one time.',
    hint: 'give one time, and a list of its ranges',
    explain: 'Rows of several ranges are put below each other, so the ranges are all of the same time.',
  },
  'graphql.bad-order': {
    severity: 'error',
    message: 'Each entry of orderBy names exactly one column.',
    hint: 'give a list of objects with one field each, in the order wanted',
    explain:
      'GraphQL does not keep the order of the fields of an object, so each column is an entry of its own.',
  },
} as const satisfies Catalog;

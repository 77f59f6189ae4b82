import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const policyDiagnostics = {
  'policy.no-access': {
    severity: 'error',
    message: 'You have no access to {name}.',
    hint: 'ask its owner for a policy for one of your groups',
    explain:
      'A semantic model with policies is open to the groups they name only. The question reads it, directly or on the way to another.',
  },
  'policy.model-restricted': {
    severity: 'error',
    message: 'The model {name} cannot be read as a table: policies restrict what you may see of its data.',
    hint: 'ask an owner of the product; `access` in config.yaml opens a model by name',
    explain:
      'A policy protects data, not a name. It concerns callers with a row filter, and callers in none of the groups that the policies of a semantic model name. For them the model, what feeds it and what derives from it are closed as tables, and so is every column that carries a column of theirs. A mask closes its model and every column that carries what the masked member is made of. A semantic model with policies of its own over the model decides alone; `access` in config.yaml opens a model by name. A star reads all columns, so name the columns that you need.',
  },
  'policy.environment': {
    severity: 'error',
    message: 'You may not ask the environment {environment}.',
    hint: 'leave the environment out to ask the default one',
    explain:
      'Consumers ask the default environment. `environments` of an entry of `access` in config.yaml names others for a principal or a group; editors and owners may ask every one. The answer is the same for an environment that does not exist.',
  },
  'policy.unreadable': {
    severity: 'error',
    message: 'The policies of {environment} cannot be read, so nothing is shown that they could restrict.',
    hint: 'plan the environment again',
    explain:
      'An environment stores the semantic models it was planned with. Their record is missing or damaged, and what it said is not known. It does not count as no policies: only callers who are exempt from policies are answered.',
  },
} as const satisfies Catalog;

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
    message:
      'The model {name} cannot be read as a table: policies of {semantic} restrict what you may see of it.',
    hint: 'ask the semantic model instead',
    explain:
      'Policies belong to semantic models. Reading the model below would go around them, so who is restricted there may not.',
  },
} as const satisfies Catalog;

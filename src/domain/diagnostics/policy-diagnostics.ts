import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const policyDiagnostics = {
  'policy.no-access': {
    severity: 'error',
    message: 'You have no access to {name}.',
    hint: 'ask its owner for a policy for one of your groups',
    explain:
      'A semantic model with policies is open to the groups they name only. The question reads it, directly or on the way to another.',
  },
} as const satisfies Catalog;

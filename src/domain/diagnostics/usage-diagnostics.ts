import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const usageDiagnostics = {
  'usage.unknown-subject': {
    severity: 'warning',
    message: '{name} is neither a model, a semantic model nor a metric of this project.',
    explain:
      'A statement in usage.yaml may name what it is about with `applies_to`. A statement with an unknown name is never shown.',
  },
} as const satisfies Catalog;

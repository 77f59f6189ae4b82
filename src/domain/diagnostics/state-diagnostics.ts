import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const stateDiagnostics = {} as const satisfies Catalog;

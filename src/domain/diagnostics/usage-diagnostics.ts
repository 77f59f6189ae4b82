import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const usageDiagnostics = {} as const satisfies Catalog;

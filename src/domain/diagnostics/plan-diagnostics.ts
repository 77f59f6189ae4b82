import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const planDiagnostics = {} as const satisfies Catalog;

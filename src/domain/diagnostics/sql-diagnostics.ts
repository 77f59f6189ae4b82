import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const sqlDiagnostics = {} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const auditDiagnostics = {} as const satisfies Catalog;

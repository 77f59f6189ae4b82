import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const runDiagnostics = {} as const satisfies Catalog;

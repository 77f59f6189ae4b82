import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const testDiagnostics = {} as const satisfies Catalog;

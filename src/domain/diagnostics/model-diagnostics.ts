import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const modelDiagnostics = {} as const satisfies Catalog;

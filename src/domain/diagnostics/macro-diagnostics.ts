import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const macroDiagnostics = {} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const lintDiagnostics = {} as const satisfies Catalog;

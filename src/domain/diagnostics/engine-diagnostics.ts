import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const engineDiagnostics = {} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const semanticDiagnostics = {} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const queryDiagnostics = {} as const satisfies Catalog;

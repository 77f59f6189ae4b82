import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const fileDiagnostics = {} as const satisfies Catalog;

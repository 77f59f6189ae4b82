import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const projectDiagnostics = {} as const satisfies Catalog;

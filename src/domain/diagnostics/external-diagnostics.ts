import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const externalDiagnostics = {} as const satisfies Catalog;

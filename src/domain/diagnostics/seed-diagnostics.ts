import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const seedDiagnostics = {} as const satisfies Catalog;

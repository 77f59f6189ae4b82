import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const metricDiagnostics = {} as const satisfies Catalog;

import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const configDiagnostics = {} as const satisfies Catalog;

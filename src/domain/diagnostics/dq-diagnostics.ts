import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const dqDiagnostics = {} as const satisfies Catalog;

import { catalog } from '../../domain/diagnostics/catalog.ts';
import type { CatalogEntry } from '../../foundation/diagnostics/catalog.ts';

/** A catalog entry under its code. */
export interface ExplainedCode extends CatalogEntry {
  readonly code: string;
}

/** One entry of the catalog of diagnostics; codes are compared without regard to case. */
export function explainCode(code: string): ExplainedCode | undefined {
  const wanted = code.toLowerCase();
  return explainAll().find((entry) => entry.code === wanted);
}

/** The whole catalog, sorted by code. */
export function explainAll(): readonly ExplainedCode[] {
  return Object.entries<CatalogEntry>(catalog)
    .map(([code, entry]) => ({ code, ...entry }))
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

import type { Diagnostic } from './diagnostic.ts';
import { linePosition } from './render-diagnostic.ts';

/** A diagnostic as machines get it: lines and columns instead of offsets, absent things as null. */
export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: Diagnostic['severity'];
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly end_line: number | null;
  readonly end_column: number | null;
  readonly hint: string | null;
}

export function jsonDiagnostic(diagnostic: Diagnostic, sources: ReadonlyMap<string, string>): JsonDiagnostic {
  const { code, severity, message, hint, at } = diagnostic;
  const text = at === undefined ? undefined : sources.get(at.file);
  const start = at === undefined || text === undefined ? undefined : linePosition(text, at.start);
  const end = at === undefined || text === undefined ? undefined : linePosition(text, at.end);
  return {
    code,
    severity,
    message,
    file: at?.file ?? null,
    line: start?.line ?? null,
    column: start?.column ?? null,
    end_line: end?.line ?? null,
    end_column: end?.column ?? null,
    hint: hint ?? null,
  };
}

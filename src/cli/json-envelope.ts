import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { linePosition } from '../foundation/diagnostics/render-diagnostic.ts';

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

type Sources = ReadonlyMap<string, string>;

export function jsonDiagnostic(diagnostic: Diagnostic, sources: Sources): JsonDiagnostic {
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

/** What the last line of `--json` says: data (in pieces of JSON text), the error that left none, or both when work failed in part. */
export interface Envelope {
  readonly command: string;
  readonly isOk: boolean;
  readonly data?: Iterable<string> | undefined;
  readonly error?: Diagnostic | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Sources;
}

/** The one line, in pieces and with its line end: nothing of a large answer is held twice. */
export function* envelopePieces({
  command,
  isOk,
  data,
  error,
  diagnostics,
  sources,
}: Envelope): Generator<string> {
  yield `{"schema":"plinth.${command}/1","ok":${isOk}`;
  if (data !== undefined) {
    yield ',"data":';
    yield* data;
  }
  if (error !== undefined) {
    const {
      severity: _severity,
      end_line: _line,
      end_column: _column,
      ...shown
    } = jsonDiagnostic(error, sources);
    yield `,"error":${JSON.stringify(shown)}`;
  }
  yield ',"diagnostics":[';
  let separator = '';
  for (const found of diagnostics) {
    yield `${separator}${JSON.stringify(jsonDiagnostic(found, sources))}`;
    separator = ',';
  }
  yield ']}\n';
}

const PIECE_CHARACTERS = 1 << 16;

/** Hands pieces on in larger ones: a write per model would cost more than making its text. */
export function writePieces(pieces: Iterable<string>, write: (text: string) => void): void {
  let pending = '';
  for (const piece of pieces) {
    pending += piece;
    if (pending.length < PIECE_CHARACTERS) continue;
    write(pending);
    pending = '';
  }
  if (pending !== '') write(pending);
}

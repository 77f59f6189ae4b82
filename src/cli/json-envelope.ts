import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { jsonDiagnostic } from '../foundation/diagnostics/json-diagnostic.ts';

type Sources = ReadonlyMap<string, string>;

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

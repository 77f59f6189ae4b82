import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { LexicalError } from '../../foundation/sql/token.ts';

/** A file that cannot even be cut into tokens. */
export function lexicalDiagnostic(error: LexicalError, file: string): Diagnostic {
  return diagnostic(
    'sql.lexical',
    { problem: error.message },
    { at: { file, start: error.start, end: error.end } },
  );
}

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { SqlError } from '../../foundation/sql/sql-error.ts';
import type { LexicalError } from '../../foundation/sql/token.ts';

/** A diagnostic of SQL that could not be read; its place is found from where the piece of SQL begins in its file. */
export function sqlDiagnostic(error: SqlError, sql: SqlText, file: string): Diagnostic {
  const at = { file, start: sql.start + error.span.start, end: sql.start + error.span.end };
  const hint = error.expected === undefined ? undefined : `expected ${error.expected}`;
  return diagnostic(`sql.${error.kind}`, { problem: error.message }, { at, hint });
}

/** The same for a file that could not even be cut into tokens. */
export function lexicalDiagnostic(error: LexicalError, file: string): Diagnostic {
  return diagnostic(
    'sql.lexical',
    { problem: error.message },
    { at: { file, start: error.start, end: error.end } },
  );
}

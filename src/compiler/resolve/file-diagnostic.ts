import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { FileProblem } from '../../domain/file-source.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { UserCodeProblem } from '../../domain/user-code.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';

const MIB = 1024 * 1024;

/** The diagnostic of a file that could not be used. */
export function fileDiagnostic({ path, kind, detail }: FileProblem): Diagnostic {
  const at = { file: path, start: 0, end: 0 };
  switch (kind) {
    case 'escapes-project':
      return diagnostic('file.escapes-project', { path }, { at });
    case 'not-utf8':
      return diagnostic('file.not-utf8', { path, detail }, { at });
    case 'too-large':
      return diagnostic(
        'file.too-large',
        {
          path,
          size: `${(Number(detail) / MIB).toFixed(1)} MiB`,
          limit: /\.ya?ml$/.test(path) ? '1 MiB' : '8 MiB',
        },
        { at },
      );
    case 'unreadable':
      return diagnostic('file.unreadable', { path, detail }, { at });
  }
}

const MESSAGE_MAX = 300;

/** The diagnostic when Plinth fails on one model: never the author's mistake. */
export function internalError({ name, file, ranges }: ModelDefinition, error: unknown): Diagnostic {
  const problem = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(
    0,
    MESSAGE_MAX,
  );
  const at = ranges['name'] ?? { file, start: 0, end: 0 };
  return diagnostic('model.internal-error', { model: name, problem }, { at });
}

/** The diagnostic of user code that cannot be used at all; what fails when called is reported at the call. */
export function userCodeDiagnostic(
  { file, message, line }: UserCodeProblem,
  text: string | undefined,
): Diagnostic {
  const lines = (text ?? '').split('\n');
  const start = lines.slice(0, Math.max(0, (line ?? 1) - 1)).reduce((sum, each) => sum + each.length + 1, 0);
  const end = start + (lines[(line ?? 1) - 1]?.length ?? 0);
  return diagnostic('macro.import-outside', { file, problem: message }, { at: { file, start, end } });
}

import { dialectInText } from '../../compiler/load/dialect-in-text.ts';
import type { Config } from '../../domain/config.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { FormatOptions } from '../../foundation/sql/format/format-options.ts';
import { formatSql } from '../../foundation/sql/format/format-sql.ts';
import type { LoadedWorkspace } from './load-project.ts';

/** A file with its text before and after. */
export interface FormattedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Every file looked at, those that change, and a diagnostic for each that is left as it is because it cannot be formatted. */
export interface FormatResult {
  readonly files: number;
  readonly changed: readonly FormattedFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Lays out the models and audits of a project; `isWanted` picks by path. Writes nothing. */
export function formatFiles(loaded: LoadedWorkspace, isWanted: (path: string) => boolean): FormatResult {
  const changed: FormattedFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const paths = formattablePaths(loaded).filter(isWanted);
  for (const path of paths) {
    const before = loaded.sources.get(path) as string;
    const dialect = dialectInText(before) ?? loaded.project.config.modelDefaults.dialect;
    const result = formatSql(before, dialect, formatOptions(loaded.project.config));
    if (result.ok) {
      const after = withLineEnds(before, result.value);
      if (after !== before && result.value !== '') changed.push({ path, before, after });
      continue;
    }
    const { message, span } = result.error;
    const at = { file: path, start: span.start, end: span.end };
    diagnostics.push(diagnostic('cli.not-formatted', { path, detail: message.replace(/\.$/, '') }, { at }));
  }
  return { files: paths.length, changed, diagnostics };
}

/** `format` of config.yaml as the formatter takes it. */
export function formatOptions({ format }: Config): FormatOptions {
  return {
    indent: format.indent,
    width: format.maxTextWidth,
    hasLeadingCommas: format.leadingComma,
    endsWithLine: format.appendNewline,
    foldsNames: format.normalize,
    functionCase: format.normalizeFunctions,
    rewritesCasts: format.rewriteCasts,
  };
}

/** Paths of all files that the formatter is for. */
export function formattablePaths({ sources }: LoadedWorkspace): readonly string[] {
  return [...sources.keys()].filter((path) => /^(?:models|audits)\/.*\.sql$/.test(path)).sort();
}

/** A file whose line ends are all Windows' keeps them. */
function withLineEnds(before: string, after: string): string {
  const isWindows = before.includes('\r\n') && !/(?<!\r)\n/.test(before);
  return isWindows ? after.replace(/\r?\n/g, '\r\n') : after;
}

/** `note` informs, `warning` is shown, `error` stops what would act on the files. */
export type Severity = 'error' | 'warning' | 'note';

/** Where in a file: character offsets into its text as read, half-open. */
export interface SourceRange {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The author's files or query are wrong in one place. Returned and collected, never thrown; plain data, so it can be cached, stored and sent.
 * Lines and columns are not kept here: they are derived from the text when it is rendered.
 */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly at?: SourceRange;
}

/** Whether anything in the list stops work. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error');
}

/** The one order in which diagnostics are shown: by file, then position, then code; those without a place come first. Equal ones stay as they came. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      compareText(a.at?.file ?? '', b.at?.file ?? '') ||
      (a.at?.start ?? 0) - (b.at?.start ?? 0) ||
      (a.at?.end ?? 0) - (b.at?.end ?? 0) ||
      compareText(a.code, b.code),
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

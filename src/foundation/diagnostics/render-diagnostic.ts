import type { Diagnostic } from './diagnostic.ts';

/** A displayed position: 1-based line and column (in characters). */
export interface LinePosition {
  readonly line: number;
  readonly column: number;
}

/** The 1-based line and column of an offset. Windows line ends count as one line end. */
export function linePosition(text: string, offset: number): LinePosition {
  const end = Math.min(Math.max(offset, 0), text.length);
  let line = 1;
  let lineStart = 0;
  for (let i = text.indexOf('\n'); i >= 0 && i < end; i = text.indexOf('\n', i + 1)) {
    line++;
    lineStart = i + 1;
  }
  return { line, column: end - lineStart + 1 };
}

/** Paints parts of a rendered diagnostic; the identity when there is no colour. */
export interface DiagnosticStyle {
  readonly severity: (severity: Diagnostic['severity'], text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

export const plainStyle: DiagnosticStyle = {
  severity: (_, text) => text,
  faint: (text) => text,
  strong: (text) => text,
};

const EXCERPT_MAX = 160;

/** Message, place, the source line with a caret under the place, and the hint: as conventions.md draws it. */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  text: string | undefined,
  style: DiagnosticStyle = plainStyle,
): string {
  const head = `${style.severity(diagnostic.severity, `${diagnostic.severity} ${diagnostic.code}`)}: ${style.strong(diagnostic.message)}`;
  const lines = [head];
  if (diagnostic.at !== undefined) {
    if (text === undefined) lines.push(style.faint(`  --> ${diagnostic.at.file}`));
    else lines.push(...excerpt(diagnostic.at.file, text, diagnostic.at, style));
  }
  if (diagnostic.hint !== undefined) lines.push(`  hint: ${diagnostic.hint}`);
  return lines.join('\n');
}

function excerpt(
  file: string,
  text: string,
  range: { start: number; end: number },
  style: DiagnosticStyle,
): string[] {
  const { line, column } = linePosition(text, range.start);
  const lineStart = range.start - (column - 1);
  const newline = text.indexOf('\n', lineStart);
  const whole = text.slice(lineStart, newline < 0 ? text.length : newline).replace(/\r$/, '');
  const skipped = Math.max(0, column - 1 - Math.floor(EXCERPT_MAX / 2));
  const shown = whole.slice(skipped, skipped + EXCERPT_MAX);
  const gutter = `${String(line).padStart(5)} | `;
  const before = shown.slice(0, column - 1 - skipped).replace(/[^\t]/g, ' ');
  const width = Math.max(1, Math.min(range.end - range.start, shown.length - (column - 1 - skipped)));
  return [
    style.faint(`  --> ${file}:${line}:${column}`),
    `${style.faint(gutter)}${printable(shown)}`,
    `${' '.repeat(gutter.length)}${before}${style.strong('^'.repeat(width))}`,
  ];
}

/** Control characters of a hostile file must not reach the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�');
}

import { type Diagnostic, hasErrors } from '../foundation/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../foundation/diagnostics/render-diagnostic.ts';
import type { CommandAnswer } from './command.ts';
import { exitCodeOf, exitCodeOfDiagnostics } from './exit-code.ts';
import { envelopePieces, writePieces } from './json-envelope.ts';
import { printable } from './render/printable.ts';
import type { Terminal } from './terminal.ts';

/** In text, further diagnostics of a broken project are counted instead of shown. */
const SHOWN_MAX = 50;

/** Prints how a command ended and returns its exit code: the one place where text and JSON part. */
export function showAnswer(terminal: Terminal, command: string, answer: CommandAnswer): number {
  const diagnostics = answer.diagnostics ?? [];
  const exitCode =
    answer.exitCode ??
    (answer.error === undefined ? exitCodeOfDiagnostics(diagnostics) : exitCodeOf(answer.error.code));
  if (terminal.mode === 'json') showJson(terminal, command, answer, diagnostics);
  else showText(terminal, answer, diagnostics);
  return exitCode;
}

function showJson(
  terminal: Terminal,
  command: string,
  answer: CommandAnswer,
  diagnostics: readonly Diagnostic[],
): void {
  const isOk = answer.error === undefined && !hasErrors(diagnostics) && (answer.exitCode ?? 0) === 0;
  const data =
    answer.dataPieces?.() ?? (answer.data === undefined ? undefined : [JSON.stringify(answer.data)]);
  const error = answer.error ?? (isOk ? undefined : diagnostics.find(({ severity }) => severity === 'error'));
  const sources = answer.sources ?? new Map<string, string>();
  const envelope = {
    command,
    isOk,
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error }),
    diagnostics,
    sources,
  };
  writePieces(envelopePieces(envelope), (text) => terminal.write(text));
}

function showText(terminal: Terminal, answer: CommandAnswer, diagnostics: readonly Diagnostic[]): void {
  answer.print?.(terminal);
  const shown = diagnostics.filter(({ severity }) => severity === 'error' || !terminal.isQuiet);
  const render = ({ message, hint, ...found }: Diagnostic): string =>
    renderDiagnostic(
      { ...found, message: printable(message), ...(hint === undefined ? {} : { hint: printable(hint) }) },
      found.at === undefined ? undefined : answer.sources?.get(found.at.file),
      terminal.diagnosticStyle,
    );
  const sorted = shown.toSorted(bySeverityAndPlace);
  const hidden = Math.max(0, sorted.length - SHOWN_MAX);
  if (hidden > 0) terminal.error(`${hidden} further diagnostics are not shown; --json prints all of them.`);
  const all = [...sorted.slice(hidden), ...(answer.error === undefined ? [] : [answer.error])];
  // Eyes need air between them, a log does not.
  const gap = terminal.mode === 'rich' && all.length > 1 ? '\n' : '';
  for (const found of all) terminal.error(`${gap}${render(found)}`);
}

const ORDER = { note: 0, warning: 1, error: 2 } as const;

/** The most severe last: that is where the eyes are when the command ends. Among equals, file by file. */
function bySeverityAndPlace(a: Diagnostic, b: Diagnostic): number {
  const severity = ORDER[a.severity] - ORDER[b.severity];
  if (severity !== 0) return severity;
  const [fileA, fileB] = [a.at?.file ?? '', b.at?.file ?? ''];
  if (fileA !== fileB) return fileA < fileB ? -1 : 1;
  return (a.at?.start ?? 0) - (b.at?.start ?? 0);
}

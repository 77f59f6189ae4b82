import { type Diagnostic, hasErrors, sortDiagnostics } from '../foundation/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../foundation/diagnostics/render-diagnostic.ts';
import type { CommandAnswer } from './command.ts';
import { exitCodeOf, exitCodeOfDiagnostics } from './exit-code.ts';
import { envelopePieces, writePieces } from './json-envelope.ts';
import { printable } from './render/printable.ts';
import { counted } from './render/table.ts';
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
  const hasData = answer.error === undefined || answer.data !== undefined;
  const pieces = answer.dataPieces?.() ?? [JSON.stringify(answer.data ?? null)];
  const sources = answer.sources ?? new Map<string, string>();
  const envelope = {
    command,
    isOk,
    data: hasData ? pieces : undefined,
    error: answer.error,
    diagnostics: sortDiagnostics(diagnostics),
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
  const hidden = Math.max(0, shown.length - SHOWN_MAX);
  if (hidden > 0)
    terminal.error(`${counted(hidden, 'further diagnostic')} not shown; --json prints all of them.`);
  const all = [...sortDiagnostics(mostSevere(shown)), ...(answer.error === undefined ? [] : [answer.error])];
  // Eyes need air between them, a log does not.
  const gap = terminal.mode === 'rich' && all.length > 1 ? '\n' : '';
  for (const found of all) terminal.error(`${gap}${render(found)}`);
}

const RANK = { error: 0, warning: 1, note: 2 } as const;

/** What is left out of a long list are its notes and warnings, as long as there are any. */
function mostSevere(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= SHOWN_MAX) return diagnostics;
  return sortDiagnostics(diagnostics)
    .toSorted((a, b) => RANK[a.severity] - RANK[b.severity])
    .slice(0, SHOWN_MAX);
}

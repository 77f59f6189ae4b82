import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { type ExplainedCode, explainAll, explainCode } from '../../operations/project/explain-code.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { renderTable, wrap } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

export async function run({ arguments: [code] }: CommandContext): Promise<CommandAnswer> {
  if (code === undefined) return listAll();
  const entry = explainCode(code);
  if (entry === undefined) {
    const hint = didYouMean(
      code,
      explainAll().map((known) => known.code),
    );
    return { error: diagnostic('cli.unknown-code', { code }, { hint }) };
  }
  return { data: jsonOf(entry), print: (terminal) => print(entry, terminal) };
}

function listAll(): CommandAnswer {
  const all = explainAll();
  return {
    data: { codes: all.map(jsonOf) },
    print: (terminal) =>
      terminal.out(
        renderTable(
          terminal,
          [{ title: 'code' }, { title: 'severity' }, { title: 'message', isElastic: true }],
          all.map(({ code, severity, message }) => [code, severity, message]),
        ),
      ),
  };
}

function print({ code, severity, message, hint, explain }: ExplainedCode, terminal: Terminal): void {
  const width = Math.min(terminal.width, 100);
  terminal.out(`${terminal.style('bold', code)} (${severity})`);
  terminal.out(`\n${message}\n`);
  for (const line of wrap(explain, width)) terminal.out(line);
  if (hint !== undefined) terminal.out(`\nHint: ${hint}`);
}

const jsonOf = ({ code, severity, message, hint, explain }: ExplainedCode): unknown => ({
  code,
  severity,
  message,
  hint: hint ?? null,
  explain,
});

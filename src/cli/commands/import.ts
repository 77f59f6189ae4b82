import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import { type ImportReport, importChecks } from '../../operations/project/import-checks.ts';
import { openFolder, openGivenFiles } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { counted } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, values, lists } = context;
  const [tool = 'soda', path = '.'] = context.arguments;
  const variables = pairsOf('--variable', 'NAME=VALUE', lists.get('variable') ?? []);
  const tables = pairsOf('--table', 'NAME=MODEL', lists.get('table') ?? []);
  if (tool === 'soda' && values.get('as') === 'audits')
    throw badValue('--as', 'audits', 'checks, because checks of Soda never block');
  const { project } = await loadForCommand(context);
  const workspace = await context.workspace();
  const report = importChecks(
    { given: openGivenFiles(), writer: openFolder(workspace.folder) },
    { project },
    {
      tool: tool === 'soda' ? 'soda' : 'dbt-tests',
      path,
      as: values.get('as') === 'audits' ? 'audits' : 'checks',
      variables,
      tables,
      isDry: switches.has('dry-run'),
      isForced: switches.has('force'),
    },
  );
  const isKept = report.files.some(({ status }) => status === 'kept');
  return {
    data: dataOf(report, switches.has('dry-run')),
    print: (terminal) => print(terminal, report, switches.has('dry-run')),
    exitCode: isKept ? EXIT.workFailed : EXIT.ok,
  };
}

function pairsOf(option: string, form: string, written: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    written.map((each) => {
      const at = each.indexOf('=');
      if (at <= 0) throw badValue(option, each, form);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

const badValue = (name: string, value: string, expected: string): Failure =>
  new Failure(diagnostic('cli.bad-value', { name, value, expected }));

function countsOf({
  checks,
}: ImportReport): Readonly<Record<'imported' | 'approximated' | 'refused', number>> {
  const count = (outcome: string): number => checks.filter((check) => check.outcome === outcome).length;
  return { imported: count('imported'), approximated: count('approximated'), refused: count('refused') };
}

function dataOf(report: ImportReport, isDry: boolean): unknown {
  return {
    counts: { checks: report.checks.length, ...countsOf(report) },
    files: report.files.map(({ path, status, text }) => ({ path, status, ...(isDry ? { text } : {}) })),
    checks: report.checks.map(({ at, table, outcome, files, rules, differs, why, next }) => ({
      file: at.file,
      line: at.line,
      check: at.text,
      table: table ?? null,
      outcome,
      written_to: files,
      rules,
      differs,
      why: why ?? null,
      next: next ?? null,
    })),
    unknown_tables: report.unknownTables.map(({ name, why }) => ({ name, why })),
  };
}

const WORDS = {
  written: 'written',
  'would-write': 'would be written',
  same: 'as it was',
  kept: 'left alone: it exists with another content, or its pack stands in another file; --force overwrites a file',
} as const;

function print(terminal: Terminal, report: ImportReport, isDry: boolean): void {
  for (const { path, text, status } of report.files) {
    if (isDry) terminal.out(`# ${path}\n${text}`);
    terminal.out(`${path}  ${WORDS[status]}`);
  }
  for (const { at, outcome, differs, why, next } of report.checks) {
    if (outcome === 'imported') continue;
    const words = outcome === 'refused' ? `${why}; ${next}` : differs.join('; ');
    terminal.out(`${at.file}:${at.line}  ${outcome}  ${at.text}\n    ${words}`);
  }
  for (const { name, why } of report.unknownTables) terminal.out(`table ${name}: ${why}`);
  const { imported, approximated, refused } = countsOf(report);
  terminal.out(
    `${counted(report.checks.length, 'check')}: ${imported} imported, ${approximated} approximated, ${refused} refused`,
  );
}

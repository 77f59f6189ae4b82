import { relative } from 'node:path';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import { applyFixes } from '../../operations/project/apply-fixes.ts';
import { lint, type ProjectLint } from '../../operations/project/lint.ts';
import type { LoadedWorkspace } from '../../operations/project/load-project.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { lintReport } from '../render/lint-report.ts';
import { counted } from '../render/table.ts';

/** One fix can make room for the next; more rounds than this would be two fixes that undo each other. */
const FIX_ROUNDS_MAX = 10;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const workspace = await context.workspace();
  const { loaded, result, applied, fixed } = await linted(context);
  const diagnostics = sortDiagnostics([...result.loading, ...result.diagnostics]);
  const answer: CommandAnswer = {
    data: {
      rules: result.ran,
      rules_known: result.rulesKnown,
      unread: result.unread,
      fixable: result.fixes.length,
      fixed: { count: applied, files: fixed },
    },
    print: (terminal) => {
      if (applied > 0) terminal.note(`fixed ${counted(applied, 'finding')} in ${fixed.join(', ')}`);
      terminal.note(summary(diagnostics, result));
    },
    diagnostics,
    sources: loaded.sources,
  };
  const prefix = prefixOf(relative(process.env['GITHUB_WORKSPACE'] ?? process.cwd(), workspace.folder));
  const report = lintReport(context.values.get('format'), { diagnostics, sources: loaded.sources, prefix });
  if (report === undefined || context.terminal.mode === 'json') return answer;
  // The report has every diagnostic, so stderr does not say them again.
  return {
    exitCode: hasErrors(diagnostics) ? EXIT.usage : EXIT.ok,
    print: (terminal) => {
      answer.print?.(terminal);
      terminal.write(workspace.secrets.hide(report));
    },
  };
}

interface Linted {
  readonly loaded: LoadedWorkspace;
  readonly result: ProjectLint;
  readonly applied: number;
  readonly fixed: readonly string[];
}

/** With `--fix`, what is left after it: fixed files are read again. */
async function linted(context: CommandContext): Promise<Linted> {
  const workspace = await context.workspace();
  const fixed = new Set<string>();
  let applied = 0;
  for (let round = 0; ; round++) {
    const loaded = await loadForCommand(context);
    const result = await lint(workspace, loaded);
    const isDone = !context.switches.has('fix') || result.fixes.length === 0 || round === FIX_ROUNDS_MAX;
    if (isDone) return { loaded, result, applied, fixed: [...fixed] };
    const done = applyFixes(openFolder(workspace.folder), loaded.sources, result.fixes);
    if (done.applied === 0) return { loaded, result, applied, fixed: [...fixed] };
    for (const file of done.files) fixed.add(file);
    applied += done.applied;
  }
}

/** Of a project outside the repository the paths stay those of the project. */
function prefixOf(path: string): string {
  return path === '' || path.startsWith('..') ? '' : `${path.replaceAll('\\', '/')}/`;
}

function summary(
  diagnostics: readonly Diagnostic[],
  { ran, rulesKnown, fixes, unread }: ProjectLint,
): string {
  const count = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((found) => found.severity === severity).length;
  const fixable = fixes.length === 0 ? '' : `; plinth lint --fix fixes ${fixes.length}`;
  const notSeen =
    unread.length === 0
      ? ''
      : `; rules of SQL could not look at ${counted(unread.length, 'model')} (${unread.slice(0, 3).join(', ')}${unread.length > 3 ? ', …' : ''})`;
  return `${ran.length} of ${counted(rulesKnown, 'rule')}: ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}${fixable}${notSeen}`;
}

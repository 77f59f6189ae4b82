import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { applyFixes } from '../../operations/project/apply-fixes.ts';
import { lint, type ProjectLint } from '../../operations/project/lint.ts';
import { openFolder } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { counted } from '../render/table.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const workspace = await context.workspace();
  let loaded = await loadForCommand(context);
  let result = await lint(workspace, loaded);
  let fixed: readonly string[] = [];
  let applied = 0;
  if (context.switches.has('fix') && result.fixes.length > 0) {
    const done = applyFixes(openFolder(workspace.folder), loaded.sources, result.fixes);
    fixed = done.files;
    applied = done.applied;
    // The summary counts what is left: the fixed files are read again.
    loaded = await loadForCommand(context);
    result = await lint(workspace, loaded);
  }
  const diagnostics = [...result.loading, ...result.diagnostics];
  return {
    data: {
      rules: result.ran,
      rules_known: result.rulesKnown,
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
}

function summary(diagnostics: readonly Diagnostic[], { ran, rulesKnown, fixes }: ProjectLint): string {
  const count = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((found) => found.severity === severity).length;
  const fixable = fixes.length === 0 ? '' : `; plinth lint --fix fixes ${fixes.length}`;
  return `${ran.length} of ${counted(rulesKnown, 'rule')}: ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}${fixable}`;
}

import { customRule } from '../../compiler/lint/custom-rule.ts';
import { type LintResult, lintProject } from '../../compiler/lint/lint-project.ts';
import { pythonRules } from '../../compiler/lint/python-rules.ts';
import { userCodeDiagnostic } from '../../compiler/resolve/file-diagnostic.ts';
import { type Diagnostic, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import type { Workspace } from '../workspace.ts';
import type { LoadedWorkspace } from './load-project.ts';

/** What the rules found, and what loading found that no rule says again. */
export interface ProjectLint extends LintResult {
  readonly loading: readonly Diagnostic[];
}

/** Runs the project's lint rules, built in and its own, on top of what loading found. */
export async function lint(workspace: Workspace, loaded: LoadedWorkspace): Promise<ProjectLint> {
  const { functions, problems } = await workspace.userCode.functions('linter');
  // A file that cannot be used is reported once, not again by each of its rules.
  const unusable = new Set(problems.map(({ file }) => file));
  const usable = functions.filter(({ file }) => !unusable.has(file));
  const rules = usable.map((rule) =>
    customRule(rule, {
      call: (call) => workspace.userCode.call('linter', call),
      sources: loaded.sources,
    }),
  );
  const result = await lintProject(
    {
      project: loaded.project,
      found: loaded.diagnostics,
      hits: ({ name }) => loaded.analyses.get(name)?.hits,
      tables: ({ name }) => loaded.analyses.get(name)?.tables ?? [],
    },
    rules,
    pythonRules(loaded.sources),
  );
  const ofFiles = problems.map((problem) => userCodeDiagnostic(problem, loaded.sources.get(problem.file)));
  const diagnostics = sortDiagnostics([...ofFiles, ...result.diagnostics]);
  return { ...result, diagnostics, loading: withoutRepeated(loaded.diagnostics, diagnostics) };
}

/** Rules that make a warning of loading their own business. */
const REPEATS: Readonly<Record<string, readonly string[]>> = {
  'lint.ambiguous-or-invalid-column': ['sql.unknown-column', 'sql.ambiguous-column', 'sql.unknown-alias'],
  'lint.invalid-select-star-expansion': ['sql.star-not-expanded'],
  'lint.no-missing-external': ['model.undeclared-external'],
};

function withoutRepeated(
  loading: readonly Diagnostic[],
  found: readonly Diagnostic[],
): readonly Diagnostic[] {
  const key = (code: string, at: Diagnostic['at']): string => `${code} ${at?.file}:${at?.start}-${at?.end}`;
  const said = new Set(
    found.flatMap(({ code, at }) => (REPEATS[code] ?? []).map((repeated) => key(repeated, at))),
  );
  return loading.filter(({ code, severity, at }) => severity === 'error' || !said.has(key(code, at)));
}

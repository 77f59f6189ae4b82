import { customRule } from '../compiler/lint/custom-rule.ts';
import { type LintResult, lintProject } from '../compiler/lint/lint-project.ts';
import { analyzeModel } from '../compiler/resolve/analyze-model.ts';
import { userCodeDiagnostic } from '../compiler/resolve/file-diagnostic.ts';
import type { LoadedWorkspace } from './load-project.ts';
import type { Workspace } from './workspace.ts';

/** Runs the project's lint rules, built in and its own, on top of what loading found. */
export async function lint(workspace: Workspace, loaded: LoadedWorkspace): Promise<LintResult> {
  const { functions, problems } = await workspace.userCode.functions('linter');
  const rules = functions.map((rule) => customRule(rule, (call) => workspace.userCode.call('linter', call)));
  const columns = new Map(loaded.project.models.map((model) => [model.name, model.columns]));
  const result = await lintProject(
    {
      project: loaded.project,
      found: loaded.diagnostics,
      parsed: async (model) =>
        (await analyzeModel(model, loaded.surroundings, (table) => columns.get(table))).parsed,
    },
    rules,
  );
  const ofFiles = problems.map((problem) => userCodeDiagnostic(problem, loaded.sources.get(problem.file)));
  return { ...result, diagnostics: [...ofFiles, ...result.diagnostics] };
}

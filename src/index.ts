/** The public face of the package: types for macros and lint rules, and the operations that commands use. */

export type { Model } from './domain/model.ts';
export type { Project } from './domain/project.ts';
export type { LintedModel, LintedProject, LintFinding, UserLintRule } from './domain/user-lint-rule.ts';
export type { MacroArgument, MacroContext, MacroReturn, MacroVariable } from './domain/user-macro.ts';
export { lint } from './operations/project/lint.ts';
export { type LoadedWorkspace, loadProject } from './operations/project/load-project.ts';
export { openWorkspace, type Workspace, type WorkspaceOptions } from './operations/workspace.ts';

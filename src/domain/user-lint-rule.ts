import type { Column } from './model.ts';

/** What a rule in `linter/*.ts` is given: the project as plain data. */
export interface LintedProject {
  readonly name: string;
  readonly models: readonly LintedModel[];
  readonly semanticModels: readonly {
    readonly name: string;
    readonly model: string;
    readonly description?: string;
  }[];
  readonly metrics: readonly { readonly name: string }[];
}

/** A model as rules see it. */
export interface LintedModel {
  readonly name: string;
  readonly kind: string;
  readonly file: string;
  readonly cron: string;
  readonly owner?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly grains: readonly (readonly string[])[];
  readonly audits: readonly string[];
  readonly columns: readonly Column[];
  readonly dependencies: readonly string[];
  /** The query as written, macros included. */
  readonly query?: string;
}

/** What a rule returns for each place where it does not hold. */
export interface LintFinding {
  readonly message: string;
  readonly model?: string;
  readonly hint?: string;
}

/** A rule of your own: `export const everyMartHasAnOwner: LintRule = (project) => …`. */
export type UserLintRule = (
  project: LintedProject,
) => readonly LintFinding[] | Promise<readonly LintFinding[]>;

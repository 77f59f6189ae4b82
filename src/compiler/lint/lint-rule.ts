import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { ModelTableUse } from '../resolve/model-facts.ts';
import type { RuleHit } from '../resolve/rule-hit.ts';
import type { InspectedQuery, QueryHit } from './inspected-query.ts';

/** What a rule may look at. */
export interface LintContext {
  readonly project: Project;
  /** What loading already found. */
  readonly found: readonly Diagnostic[];
  /** What rules saw in the query of a model when it was read; undefined where its text could not be looked at. */
  readonly hits: (model: Model) => readonly RuleHit[] | undefined;
  /** Tables that the query of a model names, with their first places. */
  readonly tables: (model: Model) => readonly ModelTableUse[];
}

/** A change of a file that makes a finding go away. */
export interface Fix extends SourceRange {
  readonly text: string;
}

/** One place where a rule does not hold. `model` decides whether its `ignored_rules` switch it off. */
export interface Finding {
  readonly diagnostic: Diagnostic;
  readonly model?: string;
  readonly fix?: Fix;
}

/** Texts by path; `«…»` marks the places of findings. */
export type ExampleFiles = Readonly<Record<string, string>>;

/** Small projects that show a rule: on its page, and in the test that walks all rules. They may read raw.orders and raw.customers. */
export interface RuleExamples {
  readonly bad: ExampleFiles;
  readonly good: ExampleFiles;
  /** What looks like the bad one and is not found. */
  readonly unless?: readonly { readonly because: string; readonly files: ExampleFiles }[];
}

/** Rules are named in kebab-case; SQLMesh's names without dashes mean the same rules. */
export interface LintRule {
  readonly name: string;
  /** What happens when config says nothing about the rule. */
  readonly byDefault: 'error' | 'warning' | 'off';
  readonly why: string;
  /** Absent for rules of users. */
  readonly examples?: RuleExamples;
  /** What `plinth lint --fix` does, and what of the model changes by it; absent without a fix. */
  readonly fixes?: string;
  /** Looks at one query as it is read; what it saw is kept with the query and comes back as hits. */
  readonly inspect?: (query: InspectedQuery) => Iterable<QueryHit>;
  readonly check: (context: LintContext) => Promise<readonly Finding[]> | readonly Finding[];
}

/** Models a person writes and can change: not external tables. */
export function ownModels({ models }: Project): readonly Model[] {
  return models.filter(({ source }) => source.kind !== 'external');
}

/** The range of a model's name in its block, or the start of its file. */
export function nameRange(model: Model): SourceRange {
  return model.ranges['name'] ?? { file: model.file, start: 0, end: 1 };
}

import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { ParsedModel } from '../resolve/parsed-model.ts';

/** What a rule may look at. */
export interface LintContext {
  readonly project: Project;
  /** What loading already found. */
  readonly found: readonly Diagnostic[];
  /** The parsed query of a SQL model; undefined where it cannot be read. */
  readonly parsed: (model: Model) => Promise<ParsedModel | undefined>;
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

/** Rules are named in kebab-case; SQLMesh's names without dashes mean the same rules. */
export interface LintRule {
  readonly name: string;
  /** What happens when config says nothing about the rule. */
  readonly byDefault: 'error' | 'warning' | 'off';
  readonly why: string;
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

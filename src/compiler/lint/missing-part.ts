import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import { type LintRule, nameRange, ownModels, type RuleExamples } from './lint-rule.ts';

type Part = 'audits' | 'owner' | 'description' | 'unit-test' | 'grain';

/** The codes whose words these rules use: all take the model alone. */
type PartCode = `lint.no-missing-${Part}`;

/** Rules of one form: every model of the project's own has a certain part. */
export function missingPart(
  part: Part,
  rule: {
    readonly why: string;
    readonly examples: RuleExamples;
    readonly has: (model: Model, project: Project) => boolean;
    readonly applies?: (model: Model) => boolean;
  },
): LintRule {
  const { why, examples, has, applies = () => true } = rule;
  return {
    name: `no-missing-${part}`,
    byDefault: 'off',
    why,
    examples,
    check: ({ project }) =>
      ownModels(project)
        .filter((model) => applies(model) && !has(model, project))
        .map((model) => ({
          model: model.name,
          diagnostic: diagnostic<PartCode>(
            `lint.no-missing-${part}`,
            { model: model.name },
            { at: nameRange(model) },
          ),
        })),
  };
}

/** An embedded model has no table: its text becomes a part of its readers. */
export const isStored = ({ kind }: Model): boolean => kind.kind !== 'embedded';

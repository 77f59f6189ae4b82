import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import type { Project } from '../../../domain/project.ts';
import { type LintRule, nameRange, ownModels } from '../lint-rule.ts';

type Part = 'audits' | 'owner' | 'description' | 'unit-test' | 'grain';

/** The codes whose words these rules use: all take the model alone. */
type PartCode = `lint.no-missing-${Part}`;

/** Rules of one form: every model of the project's own has a certain part. */
function missingPart(
  part: Part,
  why: string,
  has: (model: Model, project: Project) => boolean,
  applies: (model: Model) => boolean = () => true,
): LintRule {
  return {
    name: `no-missing-${part}`,
    byDefault: 'off',
    why,
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

const isStored = ({ kind }: Model): boolean => kind.kind !== 'embedded';

export const noMissingAudits = missingPart(
  'audits',
  'Without audits a model publishes whatever its query returns.',
  ({ audits }) => audits.length > 0,
  isStored,
);
export const noMissingOwner = missingPart(
  'owner',
  'When a model breaks, its owner has to know.',
  ({ owner }) => owner !== undefined,
);
export const noMissingDescription = missingPart(
  'description',
  'People and agents choose models by what is written about them.',
  ({ description }) => description !== undefined && description.trim() !== '',
);
export const noMissingGrain = missingPart(
  'grain',
  'The grain says which columns identify a row.',
  ({ grains }) => grains.length > 0,
  isStored,
);
export const noMissingUnitTest = missingPart(
  'unit-test',
  'A test pins down what a query means.',
  (model, project) =>
    project.tests.some(
      (test) => test.subject.kind === 'model' && test.subject.model.value.toLowerCase() === model.name,
    ),
  ({ source }) => source.kind === 'sql',
);

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Project } from '../../../domain/project.ts';
import { hasErrors } from '../../../foundation/diagnostics/diagnostic.ts';
import { type LintRule, nameRange, ownModels } from '../lint-rule.ts';

export const unusedModel: LintRule = {
  name: 'unused-model',
  byDefault: 'off',
  why: 'A model that nothing reads costs a run and an explanation each day.',
  examples: {
    bad: { 'models/a.sql': 'MODEL (name «marts.a», kind FULL);\nSELECT order_id FROM raw.orders\n' },
    good: {
      'models/a.sql': 'MODEL (name marts.a, kind FULL, grain order_id);\nSELECT order_id FROM raw.orders\n',
      'models/semantics/a.yml': 'kind: semantic\nname: a\ndepends_on: marts.a\n',
    },
    unless: [
      {
        because: 'another model reads it, and that one is opened to a group',
        files: {
          'config.yaml': 'access:\n  - {principal: analysts, role: consumer, models: [marts.b]}\n',
          'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT order_id FROM raw.orders\n',
          'models/b.sql': 'MODEL (name marts.b, kind FULL);\nSELECT order_id FROM marts.a\n',
        },
      },
    ],
  },
  check({ project, found }) {
    // A file that cannot be read may be the reader.
    if (hasErrors(found)) return [];
    const used = usedNames(project);
    return ownModels(project)
      .filter(({ name }) => !used.has(name))
      .map((model) => ({
        model: model.name,
        diagnostic: diagnostic('lint.unused-model', { model: model.name }, { at: nameRange(model) }),
      }));
  },
};

function usedNames({
  models,
  audits,
  auditReads = {},
  semanticModels,
  config,
}: Project): ReadonlySet<string> {
  const own = models.flatMap(({ name, dependencies }) => dependencies.filter((each) => each !== name));
  return new Set(
    [
      ...own,
      ...audits.flatMap(({ dependsOn }) => dependsOn),
      ...Object.values(auditReads).flatMap((reads) => Object.values(reads).flat()),
      ...semanticModels.map(({ model }) => model.value.toLowerCase()),
      ...config.access.flatMap((access) => access.models.map(({ value }) => value.toLowerCase())),
      config.slo.freshness?.model?.toLowerCase() ?? '',
    ].filter((name) => name !== ''),
  );
}

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Finding, LintContext, LintRule } from '../lint-rule.ts';

/** What loading left as a warning, made the business of a rule. */
function fromLoading(
  context: LintContext,
  codes: readonly string[],
  make: (model: string, found: Diagnostic) => Diagnostic,
): readonly Finding[] {
  const modelOfFile = new Map(context.project.models.map((model) => [model.file, model.name]));
  return context.found
    .filter(({ code, severity, at }) => codes.includes(code) && severity !== 'error' && at !== undefined)
    .map((found) => {
      const model = modelOfFile.get(found.at?.file ?? '') ?? found.at?.file ?? '';
      return { model, diagnostic: make(model, found) };
    });
}

export const ambiguousOrInvalidColumn: LintRule = {
  name: 'ambiguous-or-invalid-column',
  byDefault: 'off',
  why: 'A column that cannot be tied to one table is a mistake waiting for the engine to find it.',
  check: (context) =>
    fromLoading(
      context,
      ['sql.unknown-column', 'sql.ambiguous-column', 'sql.unknown-alias'],
      (model, { message, at }) =>
        diagnostic('lint.ambiguous-or-invalid-column', { model, problem: message }, { at }),
    ),
};

export const invalidSelectStarExpansion: LintRule = {
  name: 'invalid-select-star-expansion',
  byDefault: 'off',
  why: 'A star that cannot be expanded hides the columns of a model from everything downstream.',
  check: (context) =>
    fromLoading(context, ['sql.star-not-expanded'], (model, { message, at }) =>
      diagnostic('lint.invalid-select-star-expansion', { model, problem: message }, { at }),
    ),
};

export const noMissingExternal: LintRule = {
  name: 'no-missing-external',
  byDefault: 'off',
  why: 'Declared external tables have known columns, so lineage reaches the source.',
  check: ({ project, found }) => {
    const known = new Set(project.models.map(({ name }) => name));
    const places = new Map(
      found.filter(({ code }) => code === 'model.undeclared-external').map(({ at }) => [at?.file, at]),
    );
    return project.models.flatMap((model) =>
      model.dependencies
        .filter((table) => !known.has(table))
        .map((table) => ({
          model: model.name,
          diagnostic: diagnostic(
            'lint.no-missing-external',
            { model: model.name, table },
            { at: places.get(model.file) ?? model.ranges['query'] },
          ),
        })),
    );
  },
};

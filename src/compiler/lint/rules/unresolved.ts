import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { tableUses } from '../../../foundation/sql/table-uses.ts';
import type { Identifier } from '../../../foundation/sql/tree.ts';
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
  why: 'A column that cannot be resolved to one table fails later, in the engine.',
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
  async check({ project, parsed }) {
    const known = new Set(project.models.map(({ name }) => name));
    const findings: Finding[] = [];
    for (const model of project.models) {
      const missing = model.dependencies.filter((table) => !known.has(table));
      const read = missing.length === 0 ? undefined : await parsed(model);
      for (const table of missing) {
        const use =
          read === undefined || read.hasForeignSpans
            ? undefined
            : tableUses(read.query).find(({ parts }) => namesTable(parts, table));
        const at =
          use === undefined || read === undefined
            ? model.ranges['query']
            : { file: model.file, ...read.map.original(use.nameSpan.start, use.nameSpan.end) };
        findings.push({
          model: model.name,
          diagnostic: diagnostic('lint.no-missing-external', { model: model.name, table }, { at }),
        });
      }
    }
    return findings;
  },
};

/** Whether a name in a query is that table: the gateway's own catalog may stand before it. */
function namesTable(parts: readonly Identifier[], table: string): boolean {
  const written = parts.map(({ name }) => name.toLowerCase()).join('.');
  return written === table || written.endsWith(`.${table}`);
}

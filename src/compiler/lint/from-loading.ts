import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Finding, LintContext } from './lint-rule.ts';

/** What loading left as a warning, made the business of a rule. */
export function fromLoading(
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

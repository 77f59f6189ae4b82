import type { Config } from '../../../domain/config.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';

/** Models that `access` opens must be there. */
export function checkAccess(
  { access, file = 'config.yaml' }: Pick<Config, 'access' | 'file'>,
  models: readonly { readonly name: string }[],
): readonly Diagnostic[] {
  const names = new Set(models.map(({ name }) => name.toLowerCase()));
  return access.flatMap(({ principal, models: opened }) =>
    opened
      .filter(({ value }) => !names.has(value))
      .map((model) =>
        diagnostic(
          'config.unknown-model',
          { principal, name: model.value },
          {
            ...(model.end > model.start ? { at: rangeOf(file, model) } : {}),
            hint: didYouMean(model.value, names) ?? 'models are named schema.model',
          },
        ),
      ),
  );
}

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { type Model, readsItself } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';

/** Models that read themselves: those that have no rows to read, and options that cannot hold for intervals made of one another. */
export function checkOwnPast(models: readonly Model[]): readonly Diagnostic[] {
  return models.filter(readsItself).flatMap((model) => {
    const { name, kind, ranges } = model;
    if (kind.kind === 'view' || kind.kind === 'embedded')
      return [
        diagnostic(
          'model.reads-itself',
          { model: name, kind: kind.kind.toUpperCase() },
          { at: ranges['query'] ?? ranges['name'] },
        ),
      ];
    return ignoredOptions(model).map((option) =>
      diagnostic('model.own-past-in-order', { model: name, option }, { at: ranges[`kind.${option}`] }),
    );
  });
}

/** Defaults of the project are for all models; only what this one says itself is reported. */
function ignoredOptions({ kind, ranges }: Model): readonly string[] {
  if (!('lookback' in kind)) return [];
  const options = {
    batch_size: (kind.batchSize ?? 1) > 1,
    batch_concurrency: (kind.batchConcurrency ?? 1) > 1,
    lookback: kind.lookback > 0 && kind.kind !== 'incremental-by-time-range',
  };
  return Object.entries(options).flatMap(([option, isIgnored]) =>
    isIgnored && ranges[`kind.${option}`] !== undefined ? [option] : [],
  );
}

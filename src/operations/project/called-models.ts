import type { CheckedModel } from '../../compiler/load/yaml/semantic-world.ts';
import type { ImportedModel } from '../../compiler/quality/import/imported-model.ts';
import { failure } from '../../domain/failure.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';

/** The models of a project with what the caller says that another tool calls them; `tables` has a model for each such name. */
export function calledModels(
  models: readonly CheckedModel[],
  tables: ReadonlyMap<string, string>,
): readonly ImportedModel[] {
  const names = models.map(({ name }) => name);
  const called = [...tables].map(([table, written]) => {
    const name = names.find((each) => each.toLowerCase() === written.toLowerCase());
    if (name !== undefined) return { table, name };
    throw failure(
      'cli.bad-value',
      { name: '--table', value: `${table}=${written}`, expected: 'NAME=MODEL with a model of the project' },
      { hint: didYouMean(written, names) ?? 'plinth info lists the models' },
    );
  });
  return models.map((model) => ({
    ...model,
    alsoCalled: called.flatMap(({ table, name }) => (name === model.name ? [table] : [])),
  }));
}

import type { Model } from '../../domain/model.ts';
import type { ModelTest } from '../../domain/model-test.ts';
import type { Change } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import { reachable } from '../../foundation/graph.ts';

/**
 * The tests that changes can make pass or fail: those that are new or changed themselves, those of changed models and of models that write out
 * a changed embedded model, and semantic tests where semantics or the models of their inputs changed.
 */
export function touchedTests(
  { tests, models }: Pick<Project, 'tests' | 'models'>,
  changes: readonly Change[],
): readonly ModelTest[] {
  const own = changes.filter(({ change }) => change === 'added' || change === 'direct');
  const namesOf = (kind: Change['kind']): ReadonlySet<string> =>
    new Set(own.flatMap((each) => (each.kind === kind ? [each.name] : [])));
  const changedTests = namesOf('test');
  const changedModels = namesOf('model');
  const hasSemantics = changes.some(({ kind }) => kind === 'semantic' || kind === 'metric');
  const touched = withReaders(models, changedModels);
  return tests.filter(({ name, subject, inputs }) => {
    if (changedTests.has(name)) return true;
    if (subject.kind === 'model') return touched.has(subject.model.value.toLowerCase());
    return hasSemantics || inputs.some((input) => changedModels.has(input.name.value.toLowerCase()));
  });
}

/** Changed models, with those that write them out because they are embedded. */
function withReaders(models: readonly Model[], changed: ReadonlySet<string>): ReadonlySet<string> {
  const embedded = new Map(
    models.flatMap((model) => (model.kind.kind === 'embedded' ? [[model.name, model]] : [])),
  );
  if (![...changed].some((name) => embedded.has(name))) return changed;
  const inlined = ({ dependencies }: Model): readonly string[] =>
    dependencies.filter((name) => embedded.has(name));
  const byName = new Map(models.map((model) => [model.name, model]));
  const readers = models.filter(({ name }) =>
    [...reachable([name], (each) => inlined(byName.get(each) as Model))].some((each) => changed.has(each)),
  );
  return new Set([...changed, ...readers.map(({ name }) => name)]);
}

import type { Config } from '../../domain/config.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import type { Metric } from '../../domain/metric.ts';
import type { Model } from '../../domain/model.ts';
import type { ModelTest } from '../../domain/model-test.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Usage } from '../../domain/usage.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { checkAccess } from '../load/config/check-access.ts';
import type { FilePurpose } from '../load/project-files.ts';
import { checkDqPacks } from '../load/yaml/check-dq.ts';
import { checkModelTests } from '../load/yaml/check-model-tests.ts';
import { checkSemantics } from '../load/yaml/check-semantics.ts';
import { loadDefinition } from '../load/yaml/load-definition.ts';
import { loadModelTests } from '../load/yaml/load-model-tests.ts';
import { checkUsage, loadUsage } from '../load/yaml/usage.ts';

/** What surrounds the models: everything that refers to them and is checked against them. */
export interface References {
  readonly nouns: {
    readonly semanticModels: readonly SemanticModel[];
    readonly metrics: readonly Metric[];
    readonly dqPacks: readonly DqPack[];
    readonly tests: readonly ModelTest[];
    readonly usage?: Usage;
  };
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReferenceContext {
  readonly models: readonly Model[];
  readonly config: Config;
  readonly dialect: Dialect;
  readonly defaultCatalog: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `var()` answers in tests. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Models that were meant and could not be loaded: references to them are not reported again. */
  readonly brokenNames: ReadonlySet<string>;
}

/** Loads semantics, metrics, quality packs, tests and usage, and checks every reference they make. */
export function loadReferences(
  filesOf: (purpose: FilePurpose) => readonly SourceFile[],
  context: ReferenceContext,
): References {
  const diagnostics: Diagnostic[] = [];
  const collect = <Loaded extends { readonly diagnostics: readonly Diagnostic[] }>(
    loaded: Loaded,
  ): Loaded => {
    diagnostics.push(...loaded.diagnostics);
    return loaded;
  };
  const { environment, variables, dialect } = context;
  const definitions = filesOf('definition').map((file) => collect(loadDefinition(file)));
  const semanticModels = definitions.flatMap(({ semanticModel }) => semanticModel ?? []);
  const metrics = definitions.flatMap(({ metric }) => metric ?? []);
  const dqPacks = definitions.flatMap(({ dqPack }) => dqPack ?? []);
  const tests = filesOf('test').flatMap(
    (file) => collect(loadModelTests(file, { environment, variables, dialect })).tests,
  );
  const [usage] = filesOf('usage').flatMap((file) => collect(loadUsage(file)).usage ?? []);

  const models = [...context.models, ...standIns(context)];
  const groups = new Set(context.config.users.flatMap((user) => user.groups));
  diagnostics.push(
    ...checkSemantics({ semanticModels, metrics, models, tests, ...(groups.size === 0 ? {} : { groups }) }),
    ...checkAccess(context.config, models),
    ...checkDqPacks(dqPacks, models),
    ...checkModelTests(tests, models, context.defaultCatalog, groups.size === 0 ? undefined : groups),
  );
  if (usage !== undefined) {
    const named = [
      ...models.map(({ name }) => name),
      ...semanticModels.map(({ name }) => name.value),
      ...metrics.map(({ name }) => name.value),
    ];
    diagnostics.push(...checkUsage(usage, new Set(named)));
  }
  return {
    nouns: { semanticModels, metrics, dqPacks, tests, ...(usage === undefined ? {} : { usage }) },
    diagnostics,
  };
}

/** Models that could not be loaded, as models of which nothing is known. */
function standIns({
  brokenNames,
  dialect,
}: ReferenceContext): readonly Pick<
  Model,
  'name' | 'columns' | 'hasAllColumns' | 'grains' | 'dependencies' | 'dialect'
>[] {
  return [...brokenNames].map((name) => ({
    name,
    columns: [],
    hasAllColumns: false,
    grains: [],
    dependencies: [],
    dialect,
  }));
}

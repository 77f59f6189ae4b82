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
import type { FilePurpose } from '../load/project-files.ts';
import { loadModelTests } from '../load/yaml/model-tests.ts';

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
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Models that were meant and could not be loaded: references to them are not reported again. */
  readonly brokenNames: ReadonlySet<string>;
}

/** Loads semantics, metrics, quality packs, tests and usage, and checks every reference they make. */
export function loadReferences(
  filesOf: (purpose: FilePurpose) => readonly SourceFile[],
  context: ReferenceContext,
): References {
  const diagnostics: Diagnostic[] = [];
  const tests = filesOf('test').flatMap((file) => {
    const loaded = loadModelTests(file, { environment: context.environment, dialect: context.dialect });
    diagnostics.push(...loaded.diagnostics);
    return loaded.tests;
  });
  return { nouns: { semanticModels: [], metrics: [], dqPacks: [], tests }, diagnostics };
}

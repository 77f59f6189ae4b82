/*
 * Semantic tests: given rows of models, a semantic query answers with expected rows. Each runs in a schema of its own of the
 * gateway's test connection, in memory unless that says otherwise, and leaves nothing there.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelTest, TestResult } from '../../domain/model-test.ts';
import type { Project } from '../../domain/project.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import type { Workspace } from '../workspace.ts';
import { runSemanticTest } from './run-semantic-test.ts';

/** Runs the semantic tests that are chosen, in the order of the project; tests of models are only named, as not run. */
export async function* testSemantics(
  workspace: Workspace,
  project: Project,
  tests: readonly ModelTest[],
): AsyncGenerator<TestResult> {
  const { gateways, defaultGateway } = project.config;
  const context = { database: ':memory:' };
  for (const [index, test] of tests.entries()) {
    if (test.subject.kind !== 'semantic-query') {
      yield { kind: 'not-run', test };
      continue;
    }
    const gateway = gateways[test.gateway ?? workspace.gateway ?? defaultGateway];
    if (gateway === undefined) {
      const at = rangeOf(test.file, test);
      const hint = didYouMean(test.gateway ?? '', Object.keys(gateways));
      const unknown = diagnostic('config.unknown-gateway', { name: test.gateway ?? '' }, { at, hint });
      yield { kind: 'broken', test, diagnostics: [unknown] };
      continue;
    }
    const connection = gateway.testConnection;
    const engine = await workspace.engine({ ...connection, options: { ...context, ...connection.options } });
    const place = { folder: workspace.folder, file: test.file };
    yield await runSemanticTest(
      { engine, project, place, schema: test.schema ?? `plinth_test_${index}`, now: workspace.executionTime },
      test,
    );
  }
}

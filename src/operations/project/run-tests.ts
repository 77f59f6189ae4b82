/*
 * Tests: given rows of tables, a model or a semantic query answers with expected rows. All run in one database, in memory unless the test
 * connection of their gateway says otherwise, each in a schema and a transaction of its own that is taken back: it leaves nothing there.
 */
import type { Gateway } from '../../domain/config.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Engine } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { ModelTest, TestDifference, TestResult } from '../../domain/model-test.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import type { Workspace } from '../workspace.ts';
import { answerModelTest } from './answer-model-test.ts';
import { answerSemanticTest } from './answer-semantic-test.ts';
import { compareOutput } from './compare-output.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { refusedInput } from './refused-input.ts';
import { type TestContext, takenBack } from './test-context.ts';

/** Runs the tests that are chosen, several at a time; results come in the order of the tests. */
export async function* runTests(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  tests: readonly ModelTest[],
): AsyncGenerator<TestResult> {
  const running: Promise<TestResult>[] = [];
  let next = 0;
  const start = (): void => {
    const index = next++;
    const test = tests[index];
    if (test !== undefined) running[index] = testOn(workspace, loaded, { test, index });
  };
  for (let begun = 0; begun < AT_ONCE; begun++) start();
  for (let index = 0; index < tests.length; index++) {
    yield await (running[index] as Promise<TestResult>);
    delete running[index];
    start();
  }
}

/** Queries of tests are small: what takes time is the way to the engine and back. */
const AT_ONCE = 4;

async function testOn(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  { test, index }: { readonly test: ModelTest; readonly index: number },
): Promise<TestResult> {
  const { gateways, defaultGateway } = loaded.project.config;
  const gateway = gateways[test.gateway?.value ?? workspace.gateway ?? defaultGateway];
  if (gateway === undefined) {
    const name = test.gateway?.value ?? '';
    const at = rangeOf(test.file, test.gateway ?? test);
    const hint = didYouMean(name, Object.keys(gateways));
    const unknown = diagnostic('config.unknown-gateway', { name }, { at, hint });
    return { kind: 'broken', test, diagnostics: [unknown] };
  }
  const place = { folder: workspace.folder, file: test.file };
  const schema = test.schema ?? `plinth_test_${index}`;
  const broken = (found: Diagnostic): TestResult => ({
    kind: 'broken',
    test,
    diagnostics: [placed(found, test)],
  });
  try {
    const engine = await openTestEngine(workspace, gateway);
    const context = { engine, loaded, place, schema, now: workspace.executionTime };
    try {
      return await runTest(context, test);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return broken((await refusedInput(context, test, error)) ?? error.diagnostic);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return broken(error.diagnostic);
  }
}

/** What runs the tests of a gateway: a database in memory, unless its test connection names one. */
export function openTestEngine(workspace: Workspace, { testConnection }: Gateway): Promise<Engine> {
  const options = { database: ':memory:', ...testConnection.options };
  return workspace.engine({ ...testConnection, options });
}

/** Runs one test, and leaves nothing behind. */
async function runTest(context: TestContext, test: ModelTest): Promise<TestResult> {
  const began = performance.now();
  const broken = (diagnostics: readonly Diagnostic[]): TestResult => ({
    kind: 'broken',
    test,
    diagnostics: diagnostics.map((each) => placed(each, test)),
  });
  return takenBack(context.engine, async (session) => {
    const answered =
      test.subject.kind === 'model'
        ? await answerModelTest(session, context, test)
        : await answerSemanticTest(session, context, test);
    if (!answered.ok) return broken(answered.diagnostics);
    const differences: TestDifference[] = [];
    for (const output of answered.outputs) {
      const verdict = await compareOutput(session, context, output);
      if (verdict.kind === 'broken') return broken(verdict.diagnostics);
      if (verdict.kind === 'different') differences.push(verdict.difference);
    }
    const ms = performance.now() - began;
    if (differences.length > 0) return { kind: 'failed', test, differences, ms };
    const rows = answered.outputs.reduce((sum, { answer }) => sum + answer.rows.length, 0);
    return { kind: 'passed', test, rows, ms };
  });
}

/** What is wrong with the query of a test is wrong there. */
function placed(found: Diagnostic, { file, subject, start, end }: ModelTest): Diagnostic {
  return found.at === undefined
    ? { ...found, at: rangeOf(file, subject.kind === 'semantic-query' ? subject : { start, end }) }
    : found;
}

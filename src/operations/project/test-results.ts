import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelTest, TestResult } from '../../domain/model-test.ts';
import { testProblems } from '../../domain/test-problems.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Workspace } from '../workspace.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { runTests } from './run-tests.ts';

/** How tests end, in their order; without tests nothing is opened. */
export async function testResults(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  tests: readonly ModelTest[],
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  if (tests.length > 0) for await (const result of runTests(workspace, loaded, tests)) results.push(result);
  return results;
}

/** Why tests stop a plan: how many fail, then what is wrong with each. */
export function failingTests(results: readonly TestResult[]): readonly Diagnostic[] {
  const failing = results.filter(({ kind }) => kind !== 'passed');
  if (failing.length === 0) return [];
  const tests = failing.length === 1 ? '1 test fails' : `${failing.length} tests fail`;
  return [diagnostic('plan.tests-fail', { tests }), ...failing.flatMap(testProblems)];
}

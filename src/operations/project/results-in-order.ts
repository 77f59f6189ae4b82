import type { ModelTest, TestResult } from '../../domain/model-test.ts';
import type { Workspace } from '../workspace.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { testResults } from './test-results.ts';
import type { TestableProject } from './testable-project.ts';

/** How each of the tests ends, in their order: those that cannot run, too. */
export async function resultsInOrder(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  { tests, testable }: { readonly tests: readonly ModelTest[]; readonly testable: TestableProject },
): Promise<readonly TestResult[]> {
  const { broken, notRun } = testable;
  const runnable = tests.filter((test) => !notRun.has(test) && !broken.has(test));
  const ended = await testResults(workspace, loaded, runnable);
  const results = new Map(ended.map((result) => [result.test, result]));
  return tests.map((test): TestResult => {
    const diagnostics = broken.get(test);
    if (diagnostics !== undefined) return { kind: 'broken', test, diagnostics };
    return results.get(test) ?? { kind: 'not-run', test };
  });
}

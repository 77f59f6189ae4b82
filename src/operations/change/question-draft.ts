/** What can be known of a drafted plan without doing it: what the engine, the names in the warehouse and the tests that it touches say. */
import { touchedTests } from '../../compiler/plan/touched-tests.ts';
import type { TestResult } from '../../domain/model-test.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import { failingTests, testResults } from '../project/test-results.ts';
import type { Workspace } from '../workspace.ts';
import { explainQueries } from './explain-queries.ts';
import { namesTaken } from './names-taken.ts';

export async function questionDraft(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  {
    world,
    plan,
    skipTests,
  }: { readonly world: OpenedWorld; readonly plan: Plan; readonly skipTests: boolean },
): Promise<{ readonly tests: readonly TestResult[]; readonly diagnostics: readonly Diagnostic[] }> {
  const touched = skipTests ? [] : touchedTests(loaded.project, plan.changes);
  const [refused, taken, tests] = await Promise.all([
    explainQueries(world, plan),
    namesTaken(world, plan),
    testResults(workspace, loaded, touched),
  ]);
  return { tests, diagnostics: [...taken, ...refused, ...failingTests(tests)] };
}

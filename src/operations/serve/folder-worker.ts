/** The process that lints and tests the folder of a product for a server: both compile the project, which blocks a thread for seconds. */
import { apiWords } from '../../domain/diagnostics/api-words.ts';
import { Failure } from '../../domain/failure.ts';
import { testProblems } from '../../domain/test-problems.ts';
import { testResultJson } from '../../domain/test-result-json.ts';
import { hasErrors, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import { jsonDiagnostic } from '../../foundation/diagnostics/json-diagnostic.ts';
import { lint } from '../project/lint.ts';
import { type LoadedWorkspace, loadProject } from '../project/load-project.ts';
import { resultsInOrder } from '../project/results-in-order.ts';
import { testableProject } from '../project/testable-project.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';
import type { FolderAnswer, FolderWork } from './served-folder.ts';

async function answerTo({ kind, ...opened }: FolderWork): Promise<FolderAnswer> {
  const workspace = openWorkspace(opened);
  try {
    const loaded = await loadProject(workspace, undefined);
    return kind === 'lint' ? await linted(workspace, loaded) : await tested(workspace, loaded);
  } finally {
    await workspace.close();
  }
}

async function linted(workspace: Workspace, loaded: LoadedWorkspace): Promise<FolderAnswer> {
  const { loading, diagnostics, ran, rulesKnown } = await lint(workspace, loaded);
  const found = sortDiagnostics([...loading, ...diagnostics]);
  const items = found.map((each) => jsonDiagnostic(apiWords(each), loaded.sources));
  return { kind: 'looked', body: JSON.stringify({ rules: ran.length, rules_known: rulesKnown, items }) };
}

async function tested(workspace: Workspace, loaded: LoadedWorkspace): Promise<FolderAnswer> {
  const testable = testableProject(loaded);
  const errors = testable.diagnostics.filter((each) => hasErrors([each]));
  if (errors.length > 0) return { kind: 'refused', diagnostics: errors };
  const { tests } = loaded.project;
  const results = await resultsInOrder(workspace, loaded, { tests, testable });
  const items = results.map((result) => {
    const [problem] = testProblems(result).map(apiWords);
    return {
      ...testResultJson(result, loaded.sources),
      error: problem === undefined ? null : { code: problem.code, message: problem.message },
    };
  });
  return { kind: 'looked', body: JSON.stringify({ items }) };
}

async function answered(work: FolderWork): Promise<FolderAnswer> {
  try {
    return await answerTo(work);
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', diagnostic: error.diagnostic };
    return { kind: 'bug', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// The caller has disconnected.
process.once('disconnect', () => process.exit());
process.once('message', async (work: FolderWork) => {
  const answer = await answered(work);
  process.send?.(answer, () => process.disconnect());
});

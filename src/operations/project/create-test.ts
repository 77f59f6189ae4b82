/*
 * A test out of live data:
 *
 *   queries in the warehouse ─▶ rows of the inputs ─▶ the model runs on them as in a test ─▶ rows that it expects ─▶ a file
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import { splitModelName } from '../../domain/model-name.ts';
import { testRowsOf, testYaml } from '../../domain/test-yaml.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { openFolder, type Workspace } from '../workspace.ts';
import { answerModelTest } from './answer-model-test.ts';
import { emptyTest } from './empty-test.ts';
import { liveInputs } from './live-inputs.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { openTestEngine } from './run-tests.ts';
import { takenBack } from './test-context.ts';

export interface TestRequest {
  readonly model: Model;
  /** Table, and the query that gives its rows. */
  readonly queries: readonly { readonly table: string; readonly sql: string }[];
  readonly variables: Readonly<Record<string, string>>;
  readonly name?: string;
  /** Below `tests/`. */
  readonly path?: string;
  readonly includeCtes: boolean;
  readonly mayOverwrite: boolean;
}

/** Writes the test and answers with the path of its file. */
export async function createTest(
  workspace: Workspace,
  { world, loaded }: { readonly world: OpenedWorldReader; readonly loaded: LoadedWorkspace },
  request: TestRequest,
): Promise<{ readonly file: string; readonly name: string; readonly rows: number }> {
  const { model, variables } = request;
  const name = request.name ?? `test_${splitModelName(model.name).table}`;
  const file = `tests/${withExtension(request.path ?? name)}`;
  const folder = openFolder(workspace.folder);
  if (!request.mayOverwrite && folder.contents(file) !== undefined)
    throw failure('test.file-exists', { file });
  const inputs = await liveInputs(world, loaded, { ...request, name });
  const test = emptyTest(request, { name, file, inputs });
  const engine = await openTestEngine(workspace, world.gateway);
  const place = { folder: workspace.folder, file };
  const context = { engine, loaded, place, schema: 'plinth_test', now: workspace.executionTime };
  const answered = await takenBack(engine, (session) => answerModelTest(session, context, test));
  if (!answered.ok) throw new Failure(answered.diagnostics[0] ?? diagnostic('test.no-outputs', { name }));
  const rowsOf = (output: string) =>
    answered.outputs.flatMap((each) => (each.output === output ? testRowsOf(each.answer) : []));
  const query = rowsOf('query');
  const ctes = test.outputs.ctes.map(({ name: cte }) => ({ name: cte.value, rows: rowsOf(cte.value) }));
  folder.replace(file, testYaml({ name, model: model.name, variables, inputs, ctes, query }));
  return { file, name, rows: query.length };
}

const withExtension = (path: string): string => (/\.ya?ml$/i.test(path) ? path : `${path}.yaml`);

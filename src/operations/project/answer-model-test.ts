import { testVariables } from '../../compiler/load/test-variables.ts';
import { renderTest } from '../../compiler/render/render-test.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Answer, WriteSession } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { ModelTest, TestTable } from '../../domain/model-test.ts';
import { withCells } from '../../domain/with-cells.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import type { TestAnswer } from './answer-semantic-test.ts';
import type { ComparedOutput } from './compare-output.ts';
import {
  createInputs,
  foldedName,
  inputsOf,
  type TestContext,
  type TestInputs,
  testTableSql,
} from './test-context.ts';

/** Runs the query of the model of a test, and its common table expressions that the test names. */
export async function answerModelTest(
  session: WriteSession,
  context: TestContext,
  test: ModelTest,
): Promise<TestAnswer> {
  const { engine, loaded, schema } = context;
  const model = testedModel(context, test);
  const given = inputsOf(context, test);
  let readsItself = false;
  const { times, executionTime, variables } = testVariables(test.variables, context.now);
  const rendered = await renderTest(model, {
    models: loaded.project.models,
    compileContext: loaded.compileContext,
    times,
    variables,
    now: executionTime ?? context.now,
    dialect: engine.dialect,
    tableSql(name, dialect) {
      readsItself ||= name === model.name;
      return given.has(name) || name === model.name ? testTableSql(schema, name, dialect) : undefined;
    },
  });
  if (rendered.ctes === undefined && (test.outputs.ctes.length > 0 || executionTime !== undefined))
    throw failure('test.unread-query', { model: model.name });
  await createInputs(session, context, readsItself ? withOwnTable(model, given) : given);
  const outputs: ComparedOutput[] = [];
  for (const { name, rows, isPartial } of test.outputs.ctes) {
    const cte = rendered.ctes?.get(name.value.toLowerCase());
    if (cte === undefined)
      return {
        ok: false,
        diagnostics: [
          diagnostic(
            'test.unknown-cte',
            { model: model.name, name: name.value },
            { at: rangeOf(test.file, name) },
          ),
        ],
      };
    const answer = withCells(await session.query(cte.sql));
    const { isOrdered } = cte;
    outputs.push({
      output: name.value,
      answer,
      expected: rows,
      isPartial,
      isOrdered,
      grain: [],
      isStrict: true,
    });
  }
  if (test.outputs.query !== undefined) {
    const answer = withJson(withCells(await session.query(rendered.query.sql)), model);
    const [grain = []] = model.grains;
    const { isOrdered } = rendered.query;
    outputs.push({
      output: 'query',
      answer,
      expected: test.outputs.query.rows,
      isPartial: test.outputs.query.isPartial,
      isOrdered,
      grain,
      isStrict: true,
    });
  }
  return { ok: true, outputs };
}

/** The engine says VARCHAR of JSON; the model knows better. */
function withJson(answer: Answer, { columns }: Model): Answer {
  const json = new Set(columns.flatMap(({ name, type }) => (type === 'JSON' ? [name.toLowerCase()] : [])));
  if (json.size === 0) return answer;
  return {
    ...answer,
    columns: answer.columns.map((column) =>
      json.has(column.name.toLowerCase()) ? { ...column, type: 'JSON' } : column,
    ),
  };
}

export function testedModel({ loaded }: TestContext, { name, subject }: ModelTest): Model {
  if (subject.kind !== 'model') throw new Error('the test is one of a semantic query');
  const { project, compileContext } = loaded;
  const wanted = foldedName(
    subject.model.value,
    project.config.modelDefaults.dialect,
    compileContext.defaultCatalog,
  );
  const found = project.models.find((model) => model.name === wanted);
  if (found === undefined) throw failure('test.unknown-model', { name, model: subject.model.value });
  return found;
}

/** A model that reads its own table finds it empty, unless the test gives rows. */
function withOwnTable(model: Model, inputs: TestInputs): TestInputs {
  if (inputs.has(model.name)) return inputs;
  const own: TestTable = {
    name: { value: model.name, start: 0, end: 0 },
    rows: { kind: 'rows', rows: [], start: 0, end: 0 },
    columns: [],
  };
  return new Map([...inputs, [model.name, own]]);
}

/** Where a test runs, and the tables that it makes there. */
import { typeText } from '../../compiler/load/yaml/column-types.ts';
import { tableNameOf } from '../../compiler/load/yaml/external-models.ts';
import type { AnswerColumn, Engine, WriteSession } from '../../domain/engine.ts';
import type { ModelTest, TestTable } from '../../domain/model-test.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { type InputColumns, type TestPlace, tableStatements } from './test-tables.ts';

export interface TestContext {
  readonly engine: Engine;
  readonly loaded: LoadedWorkspace;
  readonly place: TestPlace;
  readonly schema: string;
  readonly now: number;
}

/** Tables of a test by the name of what they stand for. */
export type TestInputs = ReadonlyMap<string, TestTable>;

/** The tables that a test gives, by the names under which models are known. */
export function inputsOf({ loaded }: TestContext, { inputs }: ModelTest): TestInputs {
  const catalog = loaded.compileContext.defaultCatalog;
  return new Map(
    inputs.map((input) => [
      foldedName(input.name.value, loaded.project.config.modelDefaults.dialect, catalog),
      input,
    ]),
  );
}

/** A name in a test, as models are known. */
export function foldedName(written: string, dialect: Dialect, defaultCatalog: string | undefined): string {
  return tableNameOf(written, dialect, defaultCatalog) ?? written.toLowerCase();
}

/** Input tables with the columns of their models, so that what a row leaves out is NULL. */
export async function createInputs(
  session: WriteSession,
  context: TestContext,
  inputs: TestInputs,
): Promise<void> {
  const { engine, schema, place } = context;
  await session.createSchemas([{ schema }]);
  const statements = [...inputs].flatMap(([model, input]) =>
    tableStatements(testRelation(schema, model), input, {
      ...inputColumns(context, model, input),
      place,
      dialect: engine.dialect,
    }),
  );
  if (statements.length > 0) await session.execute(statements.join(';\n'));
}

/** The columns of an input, as its model and the test say. */
export function inputColumns({ loaded }: TestContext, name: string, input: TestTable): InputColumns {
  const { dialect } = loaded.project.config.modelDefaults;
  const own = input.columns.map((column) => ({
    name: column.name.value,
    type: writtenType(column.type.value, dialect),
  }));
  const model = loaded.project.models.find((each) => each.name === name);
  return { columns: typesOf(model?.columns ?? [], own), hasAllColumns: model?.hasAllColumns === true };
}

/** `array(int)` as the engine writes it; a type that is not known here may be one of the engine. */
function writtenType(written: string, dialect: Dialect): string {
  const { type } = typeText(written, dialect);
  return isWholeType(type) ? type : written;
}

/** Types of the test are stronger than those of the model. */
function typesOf(
  columns: readonly AnswerColumn[],
  written: readonly AnswerColumn[],
): readonly AnswerColumn[] {
  const own = new Map(written.map((column) => [column.name.toLowerCase(), column]));
  const known = new Set(columns.map(({ name }) => name.toLowerCase()));
  return [
    ...columns.map(({ name, type }) => ({ name, type: own.get(name.toLowerCase())?.type ?? type })),
    ...[...own].filter(([key]) => !known.has(key)).map(([, column]) => column),
  ];
}

/** The table that stands for a model. */
export const testRelation = (schema: string, model: string): Relation => ({
  schema,
  name: model.replaceAll('.', '__'),
});

/** Its name in SQL. */
export const testTableSql = (schema: string, model: string, dialect: Dialect): string =>
  relationSql(testRelation(schema, model), dialect);

/** Thrown to take back what work wrote. */
class TakenBack extends Error {}

/** Work in a transaction that is taken back, whatever came of it: it leaves nothing, even when the process is killed. */
export async function takenBack<Result>(
  engine: Engine,
  work: (session: WriteSession) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  try {
    await engine.write([], async (session) => {
      results.push(await work(session));
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
  return results[0] as Result;
}

/** Tables of one semantic test: its inputs, and the rows that it expects. */
import { tableNameOf } from '../../compiler/load/yaml/external-models.ts';
import type { AnswerColumn, Engine } from '../../domain/engine.ts';
import type { ModelTest, TestTable } from '../../domain/model-test.ts';
import type { Project } from '../../domain/project.ts';
import { type Relation, relationSql, relationText } from '../../domain/relation.ts';
import { withCells } from '../../domain/with-cells.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { createTestTable, namedColumns, type TestPlace } from './test-tables.ts';

/** Where one test runs. */
export interface TestContext {
  readonly engine: Engine;
  readonly project: Project;
  readonly place: TestPlace;
  readonly schema: string;
  readonly now: number;
}

/** Input tables with the columns of their models, so that what a row leaves out is NULL. */
export async function createInputs(
  { engine, project, schema, place }: TestContext,
  inputs: ReadonlyMap<string, TestTable>,
): Promise<void> {
  const models = new Map(project.models.map((model) => [model.name, model]));
  await engine.write([], async (session) => {
    await session.createSchemas([{ schema }]);
    for (const [model, input] of inputs)
      await createTestTable(
        session,
        {
          relation: testRelation(schema, model),
          columns: typesOf(models.get(model)?.columns ?? [], input),
          rows: input.rows,
        },
        place,
      );
  });
}

/** What was made for the test, with its schema. */
export async function removeTables({ engine, schema }: TestContext, { inputs }: ModelTest): Promise<void> {
  const wanted = [
    ...inputs.map(({ name }) => testRelation(schema, foldedName(name.value))),
    expectedIn(schema),
  ];
  const there = await engine.columnsOf(wanted);
  const made = wanted.filter((relation) => there.has(relationText(relation)));
  await engine.write([], async (session) => {
    await session.drop(made.map((relation) => ({ relation, object: 'table' })));
    await session.dropSchemas([{ schema }]);
  });
}

/** Types of the test are stronger than those of the model. */
function typesOf(columns: readonly AnswerColumn[], { columns: written }: TestTable): readonly AnswerColumn[] {
  const own = new Map(
    written.map(({ name, type }) => [name.value.toLowerCase(), { name: name.value, type: type.value }]),
  );
  const known = new Set(columns.map(({ name }) => name.toLowerCase()));
  return [
    ...columns.map(({ name, type }) => ({ name, type: own.get(name.toLowerCase())?.type ?? type })),
    ...[...own].filter(([key]) => !known.has(key)).map(([, column]) => column),
  ];
}

/** Expected rows as the engine reads them with the types of the answer: 40.0 is 40.00, and a date is a date. */
export async function expectedRows(
  { engine, schema, place }: TestContext,
  { outputs }: ModelTest,
  answer: readonly AnswerColumn[],
): Promise<{ readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }> {
  const rows = outputs.query;
  if (rows === undefined) return { columns: [], rows: [] };
  const columns = namedColumns(rows, place) ?? answer.map(({ name }) => name);
  const relation = expectedIn(schema);
  await engine.write([], (session) => createTestTable(session, { relation, columns: answer, rows }, place));
  const list = answer.map(({ name }) => quoteName(name, engine.dialect)).join(', ');
  // Rows keep the order they were written in: nothing else wrote to the table.
  const read = await engine.query(
    `SELECT ${list} FROM ${relationSql(relation, engine.dialect)} ORDER BY rowid`,
  );
  return { columns, rows: withCells(read).rows };
}

const expectedIn = (schema: string): Relation => ({ schema, name: 'plinth expected rows' });

/** The table that stands for a model. */
export const testRelation = (schema: string, model: string): Relation => ({
  schema,
  name: model.replaceAll('.', '__'),
});

/** A name as the engine of tests compares it. */
export function foldedName(written: string): string {
  return tableNameOf(written, 'duckdb') ?? written.toLowerCase();
}

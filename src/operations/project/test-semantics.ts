/*
 * Semantic tests: given rows of models, a semantic query answers with expected rows. Each runs in a schema of its own of the
 * gateway's test connection, in memory unless that says otherwise, and leaves nothing there.
 */
import { tableNameOf } from '../../compiler/load/yaml/external-models.ts';
import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import { withCells } from '../../domain/answer-cells.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { AnswerColumn, Engine } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { ModelTest, TestTable } from '../../domain/model-test.ts';
import type { Project } from '../../domain/project.ts';
import { type Relation, relationSql, relationText } from '../../domain/relation.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { parseTime } from '../../foundation/time/relative-date.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import { indexOf } from '../ask/query.ts';
import { OWNER, readQuestion } from '../ask/query-semantic.ts';
import type { Workspace } from '../workspace.ts';
import { createTestTable, namedColumns, type TestPlace } from './test-tables.ts';

/** How a test ended. `missing` rows were expected and did not come, `unexpected` came. */
export type TestResult =
  | { readonly kind: 'passed'; readonly test: ModelTest; readonly rows: number; readonly ms: number }
  | {
      readonly kind: 'failed';
      readonly test: ModelTest;
      readonly columns: readonly string[];
      readonly missing: readonly (readonly unknown[])[];
      readonly unexpected: readonly (readonly unknown[])[];
      /** The same rows, in another order than the query asks for. */
      readonly isOrder: boolean;
      readonly ms: number;
    }
  | { readonly kind: 'broken'; readonly test: ModelTest; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'not-run'; readonly test: ModelTest };

/** Runs the semantic tests that are chosen, in the order of the project; tests of models are only named, as not run. */
export async function* testSemantics(
  workspace: Workspace,
  project: Project,
  tests: readonly ModelTest[],
): AsyncGenerator<TestResult> {
  const { gateways, defaultGateway } = project.config;
  const around = { database: ':memory:' };
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
    const engine = await workspace.engine({ ...connection, options: { ...around, ...connection.options } });
    const place = { folder: workspace.folder, file: test.file };
    yield await runTest(
      { engine, project, place, schema: test.schema ?? `plinth_test_${index}`, now: workspace.executionTime },
      test,
    );
  }
}

interface Around {
  readonly engine: Engine;
  readonly project: Project;
  readonly place: TestPlace;
  readonly schema: string;
  readonly now: number;
}

async function runTest(around: Around, test: ModelTest): Promise<TestResult> {
  const began = performance.now();
  try {
    return await answerTest(around, test, () => performance.now() - began);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'broken', test, diagnostics: [placed(error.diagnostic, test)] };
  } finally {
    await removeTables(around, test);
  }
}

async function answerTest(around: Around, test: ModelTest, ms: () => number): Promise<TestResult> {
  const { engine, project, schema } = around;
  const broken = (diagnostics: readonly Diagnostic[]): TestResult => ({
    kind: 'broken',
    test,
    diagnostics: diagnostics.map((each) => placed(each, test)),
  });
  const { subject, outputs } = test;
  if (subject.kind !== 'semantic-query') throw new Error('only semantic tests are run');
  const read = readQuestion(subject.query);
  if (!read.ok) return broken(read.diagnostics);
  const compiled = compileQuery(indexOf(project), read.query, {
    dialect: 'duckdb',
    relationOf: (model) => relationOf(schema, model),
    caller: OWNER,
    now: nowOf(test, around.now),
  });
  if (!compiled.ok) return broken(compiled.diagnostics);
  const inputs = new Map(test.inputs.map((input) => [foldedName(input.name.value), input]));
  const lacking = compiled.compiled.reads.filter((model) => !inputs.has(model));
  if (lacking.length > 0)
    return broken(lacking.map((model) => diagnostic('test.no-input', { name: test.name, model })));
  await createInputs(around, inputs);
  const answer = withCells(await engine.query(compiled.compiled.sql));
  const expected = await expectedRows(around, test, answer.columns);
  const unknown = expected.columns.filter(
    (column) => !answer.columns.some(({ name }) => name.toLowerCase() === column.toLowerCase()),
  );
  if (unknown.length > 0)
    return broken(
      unknown.map((column) =>
        diagnostic(
          'test.unknown-column',
          { table: 'the answer', column },
          { hint: `its columns are ${answer.columns.map(({ name }) => name).join(', ')}` },
        ),
      ),
    );
  const compared = answer.columns
    .map(({ name }, index) => ({ name, index }))
    .filter(
      ({ name }) =>
        !outputs.isPartial || expected.columns.some((column) => column.toLowerCase() === name.toLowerCase()),
    );
  const cut = (rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] =>
    rows.map((row) => compared.map(({ index }) => row[index] ?? null));
  const columns = compared.map(({ name }) => name);
  const isOrdered = (read.query.order ?? []).length > 0;
  const difference = compareRows(cut(expected.rows), cut(answer.rows), isOrdered);
  return difference === undefined
    ? { kind: 'passed', test, rows: answer.rows.length, ms: ms() }
    : { kind: 'failed', test, columns, ...difference, ms: ms() };
}

/** Input tables with the columns of their models, so that what a row leaves out is NULL. */
async function createInputs(
  { engine, project, schema, place }: Around,
  inputs: ReadonlyMap<string, TestTable>,
): Promise<void> {
  const models = new Map(project.models.map((model) => [model.name, model]));
  await engine.write([], async (session) => {
    await session.createSchemas([{ schema }]);
    for (const [model, input] of inputs)
      await createTestTable(
        session,
        {
          relation: relationOf(schema, model),
          columns: typesOf(models.get(model)?.columns ?? [], input),
          rows: input.rows,
        },
        place,
      );
  });
}

async function removeTables({ engine, schema }: Around, { inputs }: ModelTest): Promise<void> {
  const wanted = [
    ...inputs.map(({ name }) => relationOf(schema, foldedName(name.value))),
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
async function expectedRows(
  { engine, schema, place }: Around,
  { outputs }: ModelTest,
  answer: readonly AnswerColumn[],
): Promise<{ readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }> {
  const rows = outputs.query;
  if (rows === undefined) return { columns: [], rows: [] };
  const columns = namedColumns(rows, place) ?? answer.map(({ name }) => name);
  const relation = expectedIn(schema);
  await engine.write([], (session) => createTestTable(session, { relation, columns: answer, rows }, place));
  const list = answer.map(({ name }) => quoteName(name, 'duckdb')).join(', ');
  // Rows keep the order they were written in: nothing else wrote to the table.
  const read = await engine.query(`SELECT ${list} FROM ${relationSql(relation, 'duckdb')} ORDER BY rowid`);
  return { columns, rows: withCells(read).rows };
}

/** Undefined when they are the same; without an order of the query, rows are compared as a bag. */
export function compareRows(
  expected: readonly (readonly unknown[])[],
  answer: readonly (readonly unknown[])[],
  isOrdered: boolean,
):
  | {
      readonly missing: readonly (readonly unknown[])[];
      readonly unexpected: readonly (readonly unknown[])[];
      readonly isOrder: boolean;
    }
  | undefined {
  const left = new Map<string, number>();
  for (const row of answer) left.set(JSON.stringify(row), (left.get(JSON.stringify(row)) ?? 0) + 1);
  const take = (row: readonly unknown[], bag: Map<string, number>): boolean => {
    const key = JSON.stringify(row);
    const count = bag.get(key) ?? 0;
    if (count > 0) bag.set(key, count - 1);
    return count > 0;
  };
  const missing = expected.filter((row) => !take(row, left));
  const unexpected = answer
    .toReversed()
    .filter((row) => take(row, left))
    .toReversed();
  if (missing.length > 0 || unexpected.length > 0) return { missing, unexpected, isOrder: false };
  const isSame = expected.every((row, index) => JSON.stringify(row) === JSON.stringify(answer[index]));
  return !isOrdered || isSame ? undefined : { missing: expected, unexpected: answer, isOrder: true };
}

const expectedIn = (schema: string): Relation => ({ schema, name: 'plinth expected rows' });

const relationOf = (schema: string, model: string): Relation => ({
  schema,
  name: model.replaceAll('.', '__'),
});

function foldedName(written: string): string {
  return tableNameOf(written, 'duckdb') ?? written.toLowerCase();
}

/** `execution_time` of the test is what relative dates count from. */
function nowOf({ variables }: ModelTest, now: number): number {
  const written = variables['execution_time'] ?? variables['execution_ts'] ?? variables['execution_date'];
  const time = typeof written === 'string' ? parseTime(written, now) : undefined;
  return time?.kind === 'time' ? time.at : now;
}

/** What is wrong with the query of a test is wrong there. */
function placed(found: Diagnostic, { file, subject, start, end }: ModelTest): Diagnostic {
  return found.at === undefined
    ? { ...found, at: rangeOf(file, subject.kind === 'semantic-query' ? subject : { start, end }) }
    : found;
}

import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import { readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { compareRows } from '../../domain/compare-rows.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure } from '../../domain/failure.ts';
import type { ModelTest, TestResult } from '../../domain/model-test.ts';
import { OWNER } from '../../domain/semantic-query.ts';
import { withCells } from '../../domain/with-cells.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { parseTime } from '../../foundation/time/relative-date.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import {
  createInputs,
  expectedRows,
  foldedName,
  removeTables,
  type TestContext,
  testRelation,
} from './semantic-test-tables.ts';

/** Runs one test, and leaves nothing behind. */
export async function runSemanticTest(context: TestContext, test: ModelTest): Promise<TestResult> {
  const began = performance.now();
  try {
    return await answerTest(context, test, () => performance.now() - began);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'broken', test, diagnostics: [placed(error.diagnostic, test)] };
  } finally {
    await removeTables(context, test);
  }
}

async function answerTest(context: TestContext, test: ModelTest, ms: () => number): Promise<TestResult> {
  const { engine, project, schema } = context;
  const broken = (diagnostics: readonly Diagnostic[]): TestResult => ({
    kind: 'broken',
    test,
    diagnostics: diagnostics.map((each) => placed(each, test)),
  });
  const { subject, outputs } = test;
  if (subject.kind !== 'semantic-query') throw new Error('only semantic tests are run');
  const read = readSemanticQuery(subject.query);
  if (!read.ok) return broken(read.diagnostics);
  const compiled = compileQuery(indexOf(project), read.query, {
    dialect: 'duckdb',
    relationOf: (model) => testRelation(schema, model),
    caller: OWNER,
    now: nowOf(test, context.now),
  });
  if (!compiled.ok) return broken(compiled.diagnostics);
  const inputs = new Map(test.inputs.map((input) => [foldedName(input.name.value), input]));
  const lacking = compiled.compiled.reads.filter((model) => !inputs.has(model));
  if (lacking.length > 0)
    return broken(lacking.map((model) => diagnostic('test.no-input', { name: test.name, model })));
  await createInputs(context, inputs);
  const answer = withCells(await engine.query(compiled.compiled.sql));
  const expected = await expectedRows(context, test, answer.columns);
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

/** Which input of a test the engine refuses, and where the test says so. */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { ModelTest, TestTable, TestValue } from '../../domain/model-test.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import {
  createInputs,
  inputColumns,
  inputsOf,
  type TestContext,
  takenBack,
  testRelation,
  testTableSql,
} from './test-context.ts';
import { cellOf, literal, placeOfRows, writtenRows } from './test-tables.ts';

/** Undefined where it is not an input that the engine refuses. Each is made again, alone, because a test makes all of them in one statement. */
export async function refusedInput(
  context: TestContext,
  test: ModelTest,
  { message, diagnostic: found }: Failure,
): Promise<Diagnostic | undefined> {
  if (!found.code.startsWith('engine.') || found.at !== undefined) return undefined;
  for (const [name, input] of inputsOf(context, test)) {
    const refusal = await refusalOf(context, name, input);
    if (refusal === undefined) continue;
    const value = await wrongValue(context, { name, input, file: test.file }, message);
    if (value !== undefined) return value;
    // A value of a column that the query does not read does not explain it.
    if (refusal.code === 'engine.type-mismatch' && input.rows.kind !== 'query') continue;
    const words = refusal.message.replaceAll(testRelation(context.schema, name).name, input.name.value);
    return { ...refusal.diagnostic, message: words, at: rangeOf(test.file, placeOf(input, words)) };
  }
  return undefined;
}

/** Why the engine does not take an input. */
async function refusalOf(context: TestContext, name: string, input: TestTable): Promise<Failure | undefined> {
  const { engine, schema } = context;
  try {
    await takenBack(engine, async (session) => {
      await createInputs(session, context, new Map([[name, input]]));
      await session.query(`SELECT * FROM ${testTableSql(schema, name, engine.dialect)}`);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The place of the words in which an input says what the engine does not know. */
function placeOf({ name, rows, columns }: TestTable, message: string) {
  const type = columns.find((column) => message.includes(column.type.value));
  return type?.type ?? (rows.kind === 'query' ? rows.query : name);
}

interface PlacedInput {
  readonly name: string;
  readonly input: TestTable;
  readonly file: string;
}

/** A value that its column cannot have, and that the engine names. */
async function wrongValue(
  context: TestContext,
  { name, input, file }: PlacedInput,
  message: string,
): Promise<Diagnostic | undefined> {
  const { rows } = input;
  if (rows.kind === 'query') return undefined;
  const written = writtenRows(rows, context.place);
  for (const column of inputColumns(context, name, input).columns) {
    for (const row of written) {
      const cell = cellOf(row, column.name) ?? null;
      const text = textOf(cell);
      if (text === undefined || !message.includes(text) || (await fits(context, cell, column))) continue;
      const place = row.find((each) => each.column.toLowerCase() === column.name.toLowerCase());
      const words = { value: text, column: column.name, table: input.name.value, type: column.type };
      const at = place === undefined || place.end === 0 ? placeOfRows(input.name, rows) : place;
      return diagnostic('test.bad-value', words, { at: rangeOf(file, at) });
    }
  }
  return undefined;
}

const textOf = (value: TestValue): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null && 'text' in value
      ? value.text
      : undefined;

async function fits({ engine }: TestContext, value: TestValue, { type }: AnswerColumn): Promise<boolean> {
  try {
    await engine.query(`SELECT CAST(${literal(value, engine.dialect)} AS ${type})`);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'engine.type-mismatch') return false;
    throw error;
  }
}

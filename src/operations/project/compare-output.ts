/** The rows of one output of a test, against those that it expects. */
import { closestRows, type RowPair } from '../../domain/closest-rows.ts';
import { comparableCell, shownCell } from '../../domain/comparable-cell.ts';
import { compareRows } from '../../domain/compare-rows.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Answer, AnswerColumn, WriteSession } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { DifferentRow, TestDifference, TestRow, TestRows, TestValue } from '../../domain/model-test.ts';
import { plainCell } from '../../domain/plain-cell.ts';
import { withCells } from '../../domain/with-cells.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { type Located, rangeOf } from '../../foundation/yaml/located.ts';
import type { TestContext } from './test-context.ts';
import { cellOf, literal, namedColumns, writtenRows } from './test-tables.ts';

/** What is compared with what. */
export interface ComparedOutput {
  /** `query`, or the name of a common table expression. */
  readonly output: string;
  /** As `withCells` gives it. */
  readonly answer: Answer;
  readonly expected: TestRows;
  readonly isPartial: boolean;
  readonly isOrdered: boolean;
  /** Columns that identify a row, where the model says so. */
  readonly grain: readonly string[];
  /** Whether a number is another value than the text with its digits: so in tests of models, as in SQLMesh. */
  readonly isStrict: boolean;
}

export type OutputVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'different'; readonly difference: TestDifference }
  | { readonly kind: 'broken'; readonly diagnostics: readonly Diagnostic[] };

export async function compareOutput(
  session: WriteSession,
  context: TestContext,
  compared: ComparedOutput,
): Promise<OutputVerdict> {
  const { answer, isPartial, isOrdered } = compared;
  const expected = await expectedRows(session, context, compared);
  const has = (columns: readonly string[], wanted: string): boolean =>
    columns.some((column) => column.toLowerCase() === wanted.toLowerCase());
  const names = answer.columns.map(({ name }) => name);
  const unknown = expected.columns.filter((column) => !has(names, column));
  if (unknown.length > 0)
    return { kind: 'broken', diagnostics: unknown.map((column) => unknownColumn(compared, column)) };
  const at = answer.columns.flatMap(({ name }, index) =>
    !isPartial || has(expected.columns, name) ? [index] : [],
  );
  const typeAt = (index: number): string => answer.columns[index]?.type ?? '';
  const cut = (rows: readonly (readonly unknown[])[], cellOf: typeof shownCell) =>
    rows.map((row) => at.map((index) => cellOf(row[index] ?? null, typeAt(index))));
  const [wanted, came] = [cut(expected.rows, shownCell), cut(answer.rows, shownCell)];
  const [left, right] = [cut(expected.rows, comparableCell), cut(answer.rows, comparableCell)];
  const isFloat = at.map((index) => /\b(?:DOUBLE|FLOAT|REAL)\b/i.test(typeAt(index)));
  const found = compareRows(left, right, { isOrdered, isFloat });
  if (found === undefined) return { kind: 'same' };
  const columns = at.map((index) => names[index] as string);
  const missing = found.missing.map((row) => ({
    cells: wanted[row] as readonly unknown[],
    ...expected.places[row],
  }));
  const unexpected = found.unexpected.map((row) => ({ cells: came[row] as readonly unknown[] }));
  const whole = { output: compared.output, columns, isOrder: found.isOrder };
  if (found.isOrder) return { kind: 'different', difference: { ...whole, missing, unexpected, changed: [] } };
  const grain = compared.grain.map((name) => columns.findIndex((column) => has([column], name)));
  const pairs = closestRows(
    found.missing.map((row) => left[row] as readonly unknown[]),
    found.unexpected.map((row) => right[row] as readonly unknown[]),
    { grain: grain.includes(-1) ? [] : grain, isFloat },
  );
  return { kind: 'different', difference: { ...whole, ...paired(missing, unexpected, pairs) } };
}

/** Rows that belong together as one that changed; `pairs` are their places. */
function paired(
  missing: readonly DifferentRow[],
  unexpected: readonly DifferentRow[],
  pairs: readonly RowPair[],
): Pick<TestDifference, 'missing' | 'unexpected' | 'changed'> {
  const [expected, came] = [
    new Set(pairs.map((pair) => pair.expected)),
    new Set(pairs.map((pair) => pair.came)),
  ];
  return {
    missing: missing.filter((_, at) => !expected.has(at)),
    unexpected: unexpected.filter((_, at) => !came.has(at)),
    changed: pairs.map((pair) => ({
      expected: missing[pair.expected] as DifferentRow,
      came: unexpected[pair.came] as DifferentRow,
      cells: pair.cells,
    })),
  };
}

function unknownColumn({ output, answer }: ComparedOutput, column: string): Diagnostic {
  const table = output === 'query' ? 'the answer' : output;
  const hint = `its columns are ${answer.columns.map(({ name }) => name).join(', ')}`;
  return diagnostic('test.unknown-column', { table, column }, { hint });
}

interface ExpectedRows {
  readonly columns: readonly string[];
  /** In the order of the columns of the answer. */
  readonly rows: readonly (readonly unknown[])[];
  /** Where each row is written, in the order of the rows. */
  readonly places: readonly Pick<DifferentRow, 'at'>[];
}

/** Expected rows as the engine reads them with the types of the answer: 40.0 is 40.00, and a date is a date. */
async function expectedRows(
  session: WriteSession,
  { engine, place }: TestContext,
  { answer, expected, isStrict }: ComparedOutput,
): Promise<ExpectedRows> {
  const { dialect } = engine;
  if (expected.kind === 'query') {
    const given = withCells(await expectedAnswer(session, expected.query, place.file));
    const at = answer.columns.map(({ name }) =>
      given.columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase()),
    );
    return {
      columns: given.columns.map(({ name }) => name),
      rows: given.rows.map((row) => at.map((index) => row[index] ?? null)),
      places: [],
    };
  }
  const written = writtenRows(expected, place);
  const columns = namedColumns(written);
  const places = written.map(placeOf);
  if (written.length === 0) return { columns, rows: [], places };
  const plain = written.map((row) =>
    answer.columns.map(({ name, type }) => plainCell(cellOf(row, name) ?? null, type)),
  );
  const isStrictText = (row: TestRow): boolean =>
    answer.columns.some(({ name, type }) => isLost(cellOf(row, name) ?? null, '', type, isStrict));
  if (plain.every((row) => !row.includes(undefined)) && !written.some(isStrictText))
    return { columns, rows: plain, places };
  const row = (cells: TestRow, index: number): string =>
    `(${[
      String(index),
      ...answer.columns.map(({ name, type }) => {
        const value = literal(cellOf(cells, name) ?? null, dialect);
        return value === 'NULL' ? value : `TRY_CAST(${value} AS ${type})`;
      }),
    ].join(', ')})`;
  const list = answer.columns.map((_, index) => quoteName(`c${index}`, dialect));
  const read = await session.query(
    `SELECT ${list.map((name, index) => `CAST(${name} AS ${answer.columns[index]?.type}) AS ${name}`).join(', ')}
FROM (VALUES\n${written.map(row).join(',\n')}\n) AS expected (${[quoteName('at', dialect), ...list].join(', ')})
ORDER BY ${quoteName('at', dialect)}`,
  );
  const rows = withCells(read).rows.map((cells, at) =>
    cells.map((cell, index) => {
      const column = answer.columns[index] as AnswerColumn;
      const value = cellOf(written[at] as TestRow, column.name) ?? null;
      return isLost(value, cell, column.type, isStrict) ? shownValue(value, column.type) : cell;
    }),
  );
  return { columns, rows, places };
}

/** What the engine refuses of a query is wrong where the test says the query. */
async function expectedAnswer(session: WriteSession, query: Located<string>, file: string): Promise<Answer> {
  try {
    return await session.query(query.value);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure({ ...error.diagnostic, at: rangeOf(file, query) }, { cause: error });
  }
}

function placeOf(row: TestRow): Pick<DifferentRow, 'at'> {
  const [first, last] = [row[0], row.at(-1)];
  return first === undefined || last === undefined || first.end === 0
    ? {}
    : { at: { start: first.start, end: last.end } };
}

const INTEGER = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/i;

/** Whether a written value is none of the type: it must not become another value on the way. */
function isLost(value: TestValue, cell: unknown, type: string, isStrict: boolean): boolean {
  if (value === null) return false;
  if (cell === null) return true;
  const text =
    typeof value === 'string' ? value : typeof value === 'object' && 'text' in value ? value.text : '';
  if (INTEGER.test(type)) return /\.\d*[1-9]/.test(text) && !/e/i.test(text);
  const scale = /^DECIMAL\(\d+,\s*(\d+)\)$/i.exec(type)?.[1];
  if (scale !== undefined) return new RegExp(`\\.\\d{${scale}}\\d*[1-9]`).test(text) && !/e/i.test(text);
  if (/^DATE$/i.test(type)) return /[1-9]/.test(text.slice(10));
  if (isStrict && /^VARCHAR/i.test(type))
    return typeof value === 'boolean' || (typeof value === 'object' && value.kind === 'number');
  return false;
}

/** A value that is none of the column's type, as it was written. */
function shownValue(value: TestValue, type: string): string {
  if (typeof value === 'object' && value !== null && 'text' in value)
    return /^VARCHAR/i.test(type) ? `${value.text} (a number)` : value.text;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

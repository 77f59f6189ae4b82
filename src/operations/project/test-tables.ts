/*
 * Rows of tests as tables of an engine.
 *
 *   rows, CSV text, a file beside the test, a query ──▶ CREATE TABLE with the types the model (or the test) says ──▶ INSERT
 */
import { dirname, resolve } from 'node:path';
import { csvRows } from '../../compiler/load/csv-rows.ts';
import { cellValue } from '../../compiler/load/yaml/cell-value.ts';
import type { AnswerColumn, WriteSession } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import type { TestRow, TestRows, TestValue } from '../../domain/model-test.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import { quoteName, quoteText } from '../../foundation/sql/quote.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import { readYaml } from '../../foundation/yaml/read-yaml.ts';
import { openGivenFiles } from '../workspace.ts';

/** Where a test lies. */
export interface TestPlace {
  /** Of the project. */
  readonly folder: string;
  /** Of the test, relative to the project. */
  readonly file: string;
}

const text = (value: string): string => quoteText(value, 'duckdb');
const name = (value: string): string => quoteName(value, 'duckdb');
const isUnknown = (type: string | undefined): boolean => type === undefined || !isWholeType(type);

/** Makes a table with these columns and the rows of a test; columns that rows name beyond them get a type from their values. */
export async function createTestTable(
  session: WriteSession,
  table: { readonly relation: Relation; readonly columns: readonly AnswerColumn[]; readonly rows: TestRows },
  place: TestPlace,
): Promise<void> {
  const { relation, rows } = table;
  const into = relationSql(relation, 'duckdb');
  const written = writtenRows(rows, place);
  if (written === undefined) {
    if (rows.kind !== 'query') throw new Error('rows that are written down are not a source');
    await session.execute(`CREATE TABLE ${into} (${declared(table.columns, []).map(columnSql).join(', ')})`);
    await session.execute(`INSERT INTO ${into} BY NAME SELECT * FROM (\n${rows.query.value}\n) AS given`);
    return;
  }
  const columns = declared(table.columns, written);
  await session.execute(`CREATE TABLE ${into} (${columns.map(columnSql).join(', ')})`);
  if (written.length === 0) return;
  const values = written.map(
    (row) => `(${columns.map((column) => literal(cellOf(row, column.name) ?? null)).join(', ')})`,
  );
  await session.execute(`INSERT INTO ${into} VALUES\n${values.join(',\n')}`);
}

/** Columns that rows name, in the order of their first mention; undefined when only the engine can say. */
export function namedColumns(rows: TestRows, place: TestPlace): readonly string[] | undefined {
  const written = writtenRows(rows, place);
  return written && [...new Set(written.flatMap((row) => row.map(({ column }) => column)))];
}

function cellOf(row: TestRow, column: string): TestValue | undefined {
  const wanted = column.toLowerCase();
  return row.find((cell) => cell.column.toLowerCase() === wanted)?.value;
}

const columnSql = ({ name: column, type }: AnswerColumn): string => `${name(column)} ${type}`;

/** Those of the model with a type from the values where none is known, and those that only the rows name. */
function declared(columns: readonly AnswerColumn[], rows: readonly TestRow[]): readonly AnswerColumn[] {
  const known = new Set(columns.map((column) => column.name.toLowerCase()));
  const more = new Map<string, string>();
  for (const row of rows)
    for (const { column } of row)
      if (!known.has(column.toLowerCase()) && !more.has(column.toLowerCase()))
        more.set(column.toLowerCase(), column);
  return [
    ...columns.map((column) =>
      isUnknown(column.type) ? { ...column, type: typeOf(rows, column.name) } : column,
    ),
    ...[...more.values()].map((column) => ({ name: column, type: typeOf(rows, column) })),
  ];
}

function typeOf(rows: readonly TestRow[], column: string): string {
  const values = rows.flatMap((row) => cellOf(row, column) ?? []);
  const numbers = values.flatMap((value) =>
    typeof value === 'object' && value !== null && value.kind === 'number' ? [value.text] : [],
  );
  if (values.length === 0) return 'VARCHAR';
  if (numbers.length === values.length) {
    if (numbers.some((number) => /[eE]/.test(number))) return 'DOUBLE';
    const scale = Math.max(...numbers.map((number) => number.split('.')[1]?.length ?? 0));
    return scale === 0 ? 'BIGINT' : `DECIMAL(38, ${Math.min(scale, 30)})`;
  }
  return values.every((value) => typeof value === 'boolean') ? 'BOOLEAN' : 'VARCHAR';
}

/** Texts and numbers are constants in quotes, so that the column's type reads every digit. */
function literal(value: TestValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  switch (value.kind) {
    case 'number':
      return text(value.text);
    case 'list':
      return `[${value.items.map(literal).join(', ')}]`;
    case 'struct':
      return `{${Object.entries(value.fields)
        .map(([key, field]) => `${text(key)}: ${literal(field)}`)
        .join(', ')}}`;
  }
}

/** The rows that are written down, in the test or in a file beside it; undefined for a query. */
function writtenRows(rows: TestRows, place: TestPlace): readonly TestRow[] | undefined {
  if (rows.kind === 'query') return undefined;
  if (rows.kind === 'rows') return rows.rows;
  if (rows.kind === 'csv-text') return csvRows({ path: place.file, content: rows.text, csv: rows.csv });
  const { path, format, csv } = rows;
  const content = Buffer.from(openGivenFiles().bytes(pathOf(path.value, place), path.value));
  return format === 'csv' ? csvRows({ path: path.value, content, csv }) : yamlRows(path.value, content);
}

function yamlRows(path: string, content: Buffer): readonly TestRow[] {
  const { root } = readYaml(content.toString('utf8'));
  if (root?.kind !== 'list') throw failure('cli.cannot-read', { path, detail: 'it is not a list of rows' });
  return root.items.map((item) =>
    item.kind !== 'map'
      ? []
      : item.entries.map(({ key, value }) => ({
          column: key.text,
          value: cellValue(value),
          start: 0,
          end: 0,
        })),
  );
}

/** What a path in a test names lies beside the test. */
function pathOf(path: string, { folder, file }: TestPlace): string {
  return resolve(folder, dirname(file), path);
}

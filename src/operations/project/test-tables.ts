/*
 * Rows of tests as relations of an engine, with the types that the model or the test says.
 *
 *   rows, CSV text, a file beside the test ──▶ a view over VALUES: a column that the query does not read is not converted, as in SQLMesh
 *   a query ──▶ a table that it fills
 */
import { dirname, resolve, sep } from 'node:path';
import { csvRows } from '../../compiler/load/csv-rows.ts';
import { cellValue } from '../../compiler/load/yaml/cell-value.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { TestRow, TestRows, TestTable, TestValue } from '../../domain/model-test.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName, quoteText } from '../../foundation/sql/quote.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import { type Located, rangeOf } from '../../foundation/yaml/located.ts';
import { readYaml } from '../../foundation/yaml/read-yaml.ts';
import { entryOf } from '../../foundation/yaml/tree.ts';
import { openGivenFiles, realPlace } from '../workspace.ts';

/** Where a test lies. */
export interface TestPlace {
  /** Of the project. */
  readonly folder: string;
  /** Of the test, relative to the project. */
  readonly file: string;
}

/** What is known of the columns of a table. */
export interface InputColumns {
  readonly columns: readonly AnswerColumn[];
  /** Whether it has no others. */
  readonly hasAllColumns: boolean;
}

const isUnknown = (type: string | undefined): boolean => type === undefined || !isWholeType(type);

/** Statements that make a relation with these columns and the rows of a test; columns that rows name beyond them get a type from their values. */
export function tableStatements(
  relation: Relation,
  { name, rows }: TestTable,
  {
    columns: known,
    hasAllColumns,
    place,
    dialect,
  }: InputColumns & { readonly place: TestPlace; readonly dialect: Dialect },
): readonly string[] {
  const into = relationSql(relation, dialect);
  const table = name.value;
  if (rows.kind === 'query') {
    const columns = known.filter(({ type }) => !isUnknown(type));
    if (columns.length === 0) return [`CREATE TABLE ${into} AS\n${rows.query.value}`];
    const list = columns.map((column) => `${quoteName(column.name, dialect)} ${column.type}`);
    return [
      `CREATE TABLE ${into} (${list.join(', ')})`,
      `INSERT INTO ${into} BY NAME SELECT * FROM (\n${rows.query.value}\n) AS given`,
    ];
  }
  const written = writtenRows(rows, place);
  const unknown = hasAllColumns
    ? namedColumns(written).find((column) => !known.some(({ name: each }) => isSameName(each, column)))
    : undefined;
  if (unknown !== undefined) {
    const at = rangeOf(place.file, placeOfRows(name, rows));
    throw new Failure(diagnostic('test.unknown-column', { table, column: unknown }, { at }));
  }
  const columns = declared(known, written, { table, isText: isCsv(rows), dialect });
  if (columns.length === 0) throw failure('test.no-columns', { table });
  return [`CREATE VIEW ${into} AS\n${valuesSql(columns, written, dialect)}`];
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Where rows stand whose cells have no place of their own. */
export const placeOfRows = (name: TestTable['name'], rows: Exclude<TestRows, { readonly kind: 'query' }>) =>
  rows.kind === 'file' ? rows.path : rows.kind === 'csv-text' ? rows : name;

/** Rows with the types of their columns. Texts are converted when they are read; what is written otherwise as it is put down. */
function valuesSql(columns: readonly AnswerColumn[], rows: readonly TestRow[], dialect: Dialect): string {
  const typed = columns.map(({ name, type }) => {
    const cells = rows.map((row) => cellOf(row, name) ?? null);
    const isText = cells.every((cell) => cell === null || isWritten(cell));
    const values = cells.map((cell) => literal(cell, dialect));
    return { name, type, values: isText ? values : values.map((value) => `CAST(${value} AS ${type})`) };
  });
  const cast = ({ name, type }: AnswerColumn, value: string): string =>
    `CAST(${value} AS ${type}) AS ${quoteName(name, dialect)}`;
  if (rows.length === 0) return `SELECT ${typed.map((each) => cast(each, 'NULL')).join(', ')} WHERE FALSE`;
  const aliases = typed.map((_, at) => quoteName(`c${at}`, dialect));
  const shown = typed.map((each, at) => cast(each, aliases[at] as string));
  const values = rows.map((_, row) => `(${typed.map((each) => each.values[row]).join(', ')})`);
  return `SELECT ${shown.join(', ')}\nFROM (VALUES\n${values.join(',\n')}\n) AS given (${aliases.join(', ')})`;
}

/** Columns that rows name, in the order of their first mention. */
export function namedColumns(rows: readonly TestRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => row.map(({ column }) => column)))];
}

export function cellOf(row: TestRow, column: string): TestValue | undefined {
  const wanted = column.toLowerCase();
  return row.find((cell) => cell.column.toLowerCase() === wanted)?.value;
}

const isCsv = (rows: TestRows): boolean =>
  rows.kind === 'csv-text' || (rows.kind === 'file' && rows.format === 'csv');

/** Those with a known type; those of the rows, with a type from their values where none is known. Others are left out, as nothing says what they are. */
function declared(
  columns: readonly AnswerColumn[],
  rows: readonly TestRow[],
  given: { readonly table: string; readonly isText: boolean; readonly dialect: Dialect },
): readonly AnswerColumn[] {
  const known = new Set(columns.map((column) => column.name.toLowerCase()));
  const named = new Map(namedColumns(rows).map((column) => [column.toLowerCase(), column]));
  const typed = (name: string): AnswerColumn => {
    const type = typeOf(rows, name, given);
    if (type === undefined) throw failure('test.unknown-type', { table: given.table, column: name });
    return { name, type };
  };
  return [
    ...columns
      .filter(({ name, type }) => !isUnknown(type) || named.has(name.toLowerCase()))
      .map((column) => (isUnknown(column.type) ? typed(column.name) : column)),
    ...[...named].filter(([key]) => !known.has(key)).map(([, name]) => typed(name)),
  ];
}

/** The type that the values of a column have in common; undefined when all are NULL. The cells of CSV are all text. */
function typeOf(
  rows: readonly TestRow[],
  column: string,
  { isText, dialect }: { readonly isText: boolean; readonly dialect: Dialect },
): string | undefined {
  const values = rows.flatMap((row) => cellOf(row, column) ?? []);
  if (values.length === 0) return undefined;
  const numbers = values.flatMap((value) =>
    isText && typeof value === 'string' && NUMBER.test(value) ? [value] : isNumber(value) ? [value.text] : [],
  );
  if (numbers.length === values.length)
    return numbers.every((number) => /^[+-]?\d+$/.test(number)) ? 'BIGINT' : 'DOUBLE';
  if (values.every((value) => typeof value === 'boolean')) return 'BOOLEAN';
  if (isText && values.every((value) => /^(?:true|false)$/i.test(String(value)))) return 'BOOLEAN';
  const times = values.flatMap((value) => (isTime(value) ? [value.text] : []));
  if (times.length === values.length) return times.every((time) => time.length <= 10) ? 'DATE' : 'TIMESTAMP';
  return nestedType(values, dialect) ?? 'VARCHAR';
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether a value becomes a constant in quotes. */
const isWritten = (value: TestValue): boolean =>
  typeof value === 'string' || isNumber(value) || isTime(value);

const isNumber = (value: TestValue): value is Extract<TestValue, { readonly kind: 'number' }> =>
  typeof value === 'object' && value !== null && value.kind === 'number';
const isTime = (value: TestValue): value is Extract<TestValue, { readonly kind: 'time' }> =>
  typeof value === 'object' && value !== null && value.kind === 'time';

/** A list has the type of all its items, a struct that of each field. */
function nestedType(values: readonly TestValue[], dialect: Dialect): string | undefined {
  const itemType = (items: readonly TestValue[]): string =>
    typeOf(
      items.map((value) => [{ column: 'item', value, start: 0, end: 0 }]),
      'item',
      { isText: false, dialect },
    ) ?? 'VARCHAR';
  const lists = values.flatMap((value) =>
    typeof value === 'object' && value !== null && value.kind === 'list' ? [value.items] : [],
  );
  if (lists.length === values.length) return `${itemType(lists.flat())}[]`;
  const structs = values.flatMap((value) =>
    typeof value === 'object' && value !== null && value.kind === 'struct' ? [value.fields] : [],
  );
  if (structs.length < values.length) return undefined;
  const names = [...new Set(structs.flatMap((fields) => Object.keys(fields)))];
  const fields = names.map(
    (name) => `${quoteName(name, dialect)} ${itemType(structs.flatMap((each) => each[name] ?? []))}`,
  );
  return `STRUCT(${fields.join(', ')})`;
}

/** Texts and numbers are constants in quotes, so that the column's type reads every digit. */
export function literal(value: TestValue, dialect: Dialect): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return quoteText(value, dialect);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  switch (value.kind) {
    case 'number':
    case 'time':
      return quoteText(value.text, dialect);
    case 'list':
      return `[${value.items.map((item) => literal(item, dialect)).join(', ')}]`;
    case 'struct':
      // DuckDB has no constant of an empty struct.
      return Object.keys(value.fields).length === 0
        ? "'{}'"
        : `{${Object.entries(value.fields)
            .map(([key, field]) => `${quoteText(key, dialect)}: ${literal(field, dialect)}`)
            .join(', ')}}`;
  }
}

/** The rows that are written down, in the test or in a file beside it. */
export function writtenRows(
  rows: Exclude<TestRows, { readonly kind: 'query' }>,
  place: TestPlace,
): readonly TestRow[] {
  if (rows.kind === 'rows') return rows.rows;
  if (rows.kind === 'csv-text') return csvRows({ path: place.file, content: rows.text, csv: rows.csv });
  const { path, format, csv } = rows;
  const content = fileOf(path, place);
  return format === 'csv' ? csvRows({ path: path.value, content, csv }) : yamlRows(path.value, content);
}

function yamlRows(path: string, content: Buffer): readonly TestRow[] {
  const { root } = readYaml(content.toString('utf8'));
  const list = root?.kind === 'map' ? entryOf(root, 'rows')?.value : root;
  if (list?.kind !== 'list') throw failure('cli.cannot-read', { path, detail: 'it is not a list of rows' });
  return list.items.map((item) =>
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

/** What a path in a test names lies beside the test, or in the folder of the project, and not outside of it. */
function fileOf({ value: path, ...span }: Located<string>, { folder, file }: TestPlace): Buffer {
  const at = rangeOf(file, span);
  const real = [resolve(folder, dirname(file), path), resolve(folder, path)].flatMap(
    (each) => realPlace(each) ?? [],
  )[0];
  if (real === undefined) throw new Failure(diagnostic('test.no-file', { path }, { at }));
  if (!real.startsWith(`${realPlace(folder)}${sep}`))
    throw new Failure(diagnostic('test.escapes-project', { path }, { at }));
  return Buffer.from(openGivenFiles().bytes(real, path));
}

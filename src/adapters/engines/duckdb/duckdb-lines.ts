/*
 * Rows of an answer as lines of JSON. Of long answers whose columns all have plain types, DuckDB writes the lines itself: its own
 * threads do the work, and one call fetches the lines of a whole chunk, which is five times less than asking for each cell. Short
 * answers (which of them are, says `readLines`) and other types are converted by the driver: both ways give the same text, which
 * a test holds against each other type by type.
 */
import { createRequire } from 'node:module';
import { type DuckDBDataChunk, DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { AnswerColumn } from '../../../domain/engine.ts';
import { withCells } from '../../../domain/with-cells.ts';
import { textSql } from './duckdb-dialect.ts';
import { rowsOfChunk } from './duckdb-types.ts';

/** The driver's lower half, resolved as the driver does it. */
interface Bindings {
  data_chunk_get_vector(chunk: unknown, column: number): unknown;
  vector_get_data(vector: unknown, bytes: number): Uint8Array;
  get_data_from_pointer(buffer: ArrayBufferLike, offset: number, bytes: number): Uint8Array;
}
const requireHere = createRequire(import.meta.url);
const bindings = createRequire(requireHere.resolve('@duckdb/node-api'))('@duckdb/node-bindings') as Bindings;

/** A line is cut from the others when this much has come together. */
const PIECE_BYTES = 256 * 1024;
/** DuckDB's texts: four bytes of length, then the text when it is short, else four of its bytes and its address. */
const TEXT_BYTES = 16;
const SHORT_BYTES = 12;
/** Texts of one chunk lie behind each other, at addresses that eight divides. */
const GAP_BYTES_MAX = 7n;

const DECIMAL_DIGITS_MAX = 38;
/** How DuckDB writes a cell. */
interface CellSql {
  readonly sql: string;
  /** When values are not as usual another expression is right, which takes longer. */
  readonly unless?: { readonly isUsual: string; readonly sql: string };
}

/** Functions and operators of DuckDB, whatever macros of these names a warehouse has. */
const OWN = 'system.main.';
const joined = (a: string, b: string): string => `${OWN}"||"(${a}, ${b})`;

const asText = (column: string): CellSql => ({ sql: `CAST(${column} AS VARCHAR)` });
const asItIs = (column: string): CellSql => ({ sql: column });

const CELLS: Readonly<Partial<Record<DuckDBTypeId, (column: string) => CellSql>>> = {
  [DuckDBTypeId.BOOLEAN]: asItIs,
  [DuckDBTypeId.TINYINT]: asItIs,
  [DuckDBTypeId.SMALLINT]: asItIs,
  [DuckDBTypeId.INTEGER]: asItIs,
  [DuckDBTypeId.UTINYINT]: asItIs,
  [DuckDBTypeId.USMALLINT]: asItIs,
  [DuckDBTypeId.UINTEGER]: asItIs,
  [DuckDBTypeId.BIGINT]: (column) => wholeCell(column, 'BIGINT'),
  [DuckDBTypeId.UBIGINT]: (column) => wholeCell(column, 'UBIGINT'),
  [DuckDBTypeId.HUGEINT]: (column) => wholeCell(column, 'HUGEINT'),
  [DuckDBTypeId.UHUGEINT]: (column) => wholeCell(column, 'UHUGEINT'),
  // Of JSON, too: its text is the cell.
  [DuckDBTypeId.VARCHAR]: asText,
  [DuckDBTypeId.UUID]: asText,
  [DuckDBTypeId.ENUM]: asText,
  [DuckDBTypeId.DATE]: asText,
  [DuckDBTypeId.TIME]: asText,
  [DuckDBTypeId.FLOAT]: (column) => doubleCell(`CAST(${column} AS DOUBLE)`),
  [DuckDBTypeId.DOUBLE]: doubleCell,
  [DuckDBTypeId.TIMESTAMP]: (column) => timeCell(column, ''),
  [DuckDBTypeId.TIMESTAMP_TZ]: (column) => timeCell(column, 'Z'),
};

/** Whether DuckDB can write the lines of an answer with columns of these types. */
export function isForDuckdb(types: readonly DuckDBType[]): boolean {
  return types.every((type) => cellOf(type, 'c') !== undefined);
}

function cellOf(type: DuckDBType, column: string): CellSql | undefined {
  return type instanceof DuckDBDecimalType ? decimalCell(column, type) : CELLS[type.typeId]?.(column);
}

/** A query of one column of texts, the lines of a query's answer; only for types that are for DuckDB. */
export function linesSql(sql: string, types: readonly DuckDBType[]): string {
  const cells = types.flatMap((type, index) => cellOf(type, `c${index}`) ?? []);
  const usual = cells.flatMap(({ unless }) => (unless === undefined ? [] : [`(${unless.isUsual})`]));
  const line = `${OWN}json_array(${cells.map((cell) => cell.sql).join(', ')})`;
  const other = `${OWN}json_array(${cells.map((cell) => cell.unless?.sql ?? cell.sql).join(', ')})`;
  const all = usual.length === 0 ? line : `CASE WHEN ${usual.join(' AND ')} THEN ${line} ELSE ${other} END`;
  const names = types.map((_, index) => `c${index}`).join(', ');
  // As a text the query stays one query, whatever it ends with, and keeps its order.
  return `SELECT ${joined(`CAST(${all} AS VARCHAR)`, "E'\\n'")} FROM ${OWN}query(${textSql(sql)}) AS answer(${names})`;
}

/** What every reader of JSON can hold is a number, the rest its digits. */
function wholeCell(column: string, type: string): CellSql {
  // Bounds of the column's own type: between types of different signs DuckDB compares floating-point numbers.
  const most = `CAST(${Number.MAX_SAFE_INTEGER} AS ${type})`;
  const least = `CAST(${Number.MIN_SAFE_INTEGER} AS ${type})`;
  const isSafe = type.startsWith('U') ? `${column} <= ${most}` : `${column} BETWEEN ${least} AND ${most}`;
  // Of the widest types it would write a floating-point number, too.
  const number = type === 'BIGINT' ? column : `TRY_CAST(${column} AS BIGINT)`;
  return {
    sql: number,
    unless: {
      isUsual: `${column} IS NULL OR ${isSafe}`,
      sql: `CASE WHEN ${column} IS NULL THEN NULL WHEN ${isSafe} THEN ${OWN}to_json(${number}) ELSE ${OWN}to_json(CAST(${column} AS VARCHAR)) END`,
    },
  };
}

/** DuckDB leaves the zero before the point away where the type has no place for it. */
function decimalCell(column: string, { width, scale }: DuckDBDecimalType): CellSql | undefined {
  if (width > scale) return asText(column);
  return width < DECIMAL_DIGITS_MAX
    ? asText(`CAST(${column} AS DECIMAL(${width + 1}, ${scale}))`)
    : undefined;
}

/** JSON has no words for NaN and infinities, and no second zero. */
function doubleCell(column: string): CellSql {
  const number = `CASE WHEN ${column} = 0 THEN 0 ELSE ${column} END`;
  return {
    sql: number,
    unless: {
      isUsual: `${column} IS NULL OR ${OWN}isfinite(${column})`,
      sql: `CASE WHEN ${column} IS NULL THEN NULL WHEN ${OWN}isfinite(${column}) THEN ${OWN}to_json(${number}) WHEN ${OWN}isnan(${column}) THEN ${OWN}to_json('NaN') WHEN ${column} > 0 THEN ${OWN}to_json('Infinity') ELSE ${OWN}to_json('-Infinity') END`,
    },
  };
}

/** What `withCells` makes of times: at least milliseconds; what is out of the calendar of four digits stays as DuckDB spells it. */
function timeCell(column: string, zone: string): CellSql {
  const local = zone === '' ? column : `${OWN}make_timestamp(${OWN}epoch_us(${column}))`;
  const isInCalendar = `${column} >= '0001-01-01' AND ${column} < '10000-01-01'`;
  const form = "'%Y-%m-%dT%H:%M:%S.";
  const short = `${OWN}strftime(${local}, ${form}%g${zone}')`;
  const long = joined(`${OWN}rtrim(${OWN}strftime(${local}, ${form}%f'), '0')`, `'${zone}'`);
  const text = `CASE WHEN ${OWN}"%"(${OWN}epoch_us(${column}), 1000) = 0 THEN ${short} ELSE ${long} END`;
  const spelled = `CAST(${local} AS VARCHAR)`;
  const other = zone === '' ? spelled : joined(spelled, "'+00'");
  return {
    sql: text,
    unless: {
      isUsual: `${column} IS NULL OR (${isInCalendar})`,
      sql: `CASE WHEN ${isInCalendar} THEN ${text} WHEN ${OWN}isfinite(${column}) THEN ${other} ELSE CAST(${column} AS VARCHAR) END`,
    },
  };
}

/** The lines of a chunk of `linesSql`, in pieces. */
export function* linesOfTexts(chunk: DuckDBDataChunk): Generator<Buffer> {
  const count = chunk.rowCount;
  const data = bindings.vector_get_data(bindings.data_chunk_get_vector(chunk.chunk, 0), count * TEXT_BYTES);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const lengthAt = (row: number): number => view.getUint32(row * TEXT_BYTES, true);
  const addressAt = (row: number): bigint => view.getBigUint64(row * TEXT_BYTES + 8, true);
  for (let row = 0; row < count; ) {
    let end = row;
    let bytes = 0;
    while (end < count && (end === row || bytes + lengthAt(end) <= PIECE_BYTES)) bytes += lengthAt(end++);
    const piece = Buffer.allocUnsafe(bytes);
    let written = 0;
    while (row < end) {
      if (lengthAt(row) <= SHORT_BYTES) {
        const start = row * TEXT_BYTES + 4;
        piece.set(data.subarray(start, start + lengthAt(row)), written);
        written += lengthAt(row++);
        continue;
      }
      const begin = addressAt(row);
      let behind = begin + BigInt(lengthAt(row));
      let next = row + 1;
      while (next < end && lengthAt(next) > SHORT_BYTES) {
        const gap = addressAt(next) - behind;
        if (gap < 0n || gap > GAP_BYTES_MAX) break;
        behind = addressAt(next) + BigInt(lengthAt(next));
        next++;
      }
      const run = bindings.get_data_from_pointer(
        data.buffer,
        data.byteOffset + row * TEXT_BYTES + 8,
        Number(behind - begin),
      );
      const source = Buffer.from(run.buffer, run.byteOffset, run.byteLength);
      for (; row < next; row++) {
        const from = Number(addressAt(row) - begin);
        written += source.copy(piece, written, from, from + lengthAt(row));
      }
    }
    yield piece;
  }
}

/** The lines of a chunk of any query, in pieces. */
export function* linesOfRows(chunk: DuckDBDataChunk, columns: readonly AnswerColumn[]): Generator<Buffer> {
  let text = '';
  const floats = columns.map(({ type }) => type === 'DOUBLE' || type === 'FLOAT');
  const hasFloats = floats.includes(true);
  for (const row of withCells({ columns, rows: rowsOfChunk(chunk) }).rows) {
    text += hasFloats
      ? `[${row.map((cell, index) => (floats[index] === true && typeof cell === 'number' ? floatText(cell) : JSON.stringify(cell))).join(',')}]\n`
      : `${JSON.stringify(row)}\n`;
    if (text.length < PIECE_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** As DuckDB writes it: readers that distinguish floating-point numbers from whole ones see which it is. */
function floatText(value: number): string {
  const text = JSON.stringify(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text.replace('e+', 'e');
}

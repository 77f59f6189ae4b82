import {
  type DuckDBDataChunk,
  DuckDBDateValue,
  type DuckDBResult,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import type { AnswerColumn } from '../../../domain/engine.ts';

/** Names and type texts of an answer's columns, in DuckDB's spelling. */
export function columnsOfResult(result: DuckDBResult): readonly AnswerColumn[] {
  const types = result.columnTypes();
  return result.columnNames().map((name, index) => ({ name, type: String(types[index]) }));
}

/** The day that stands for no day, which the driver takes for a day. */
const FOREVER_DAYS = 2 ** 31 - 1;

/** The driver has a year 0, which does not exist: DuckDB correctly says 1 BC. */
const YEAR_ZERO = /^0000-(\d\d-\d\d)/;
const DAYS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
]);

const WHOLE: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
]);

/** What every reader of JSON can hold is a number, the rest its digits. */
function wholeCell(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

const convert: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (
    type.typeId === DuckDBTypeId.DATE &&
    value instanceof DuckDBDateValue &&
    Math.abs(value.days) === FOREVER_DAYS
  )
    return value.days > 0 ? 'infinity' : '-infinity';
  if (typeof value === 'bigint' && WHOLE.has(type.typeId)) return wholeCell(value);
  const cell = JsonDuckDBValueConverter(value, type, converter);
  return typeof cell === 'string' && DAYS.has(type.typeId) ? cell.replace(YEAR_ZERO, '0001-$1 (BC)') : cell;
};

/** A chunk's rows as JSON can carry them: whole numbers beyond 2^53, decimals, dates and times as texts; structs as objects. */
export function rowsOfChunk(chunk: DuckDBDataChunk): readonly (readonly unknown[])[] {
  return chunk.convertRows(convert) as readonly (readonly unknown[])[];
}

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

const convert: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (
    type.typeId === DuckDBTypeId.DATE &&
    value instanceof DuckDBDateValue &&
    Math.abs(value.days) === FOREVER_DAYS
  )
    return value.days > 0 ? 'infinity' : '-infinity';
  return JsonDuckDBValueConverter(value, type, converter);
};

/** A chunk's rows as JSON can carry them: whole numbers beyond 32 bits, decimals, dates and times as texts; structs as objects. */
export function rowsOfChunk(chunk: DuckDBDataChunk): readonly (readonly unknown[])[] {
  return chunk.convertRows(convert) as readonly (readonly unknown[])[];
}

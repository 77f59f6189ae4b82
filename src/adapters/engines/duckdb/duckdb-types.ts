import { type DuckDBDataChunk, type DuckDBResult, JsonDuckDBValueConverter } from '@duckdb/node-api';
import type { AnswerColumn } from '../../../domain/engine.ts';

/** Names and type texts of an answer's columns, in DuckDB's spelling. */
export function columnsOfResult(result: DuckDBResult): readonly AnswerColumn[] {
  const types = result.columnTypes();
  return result.columnNames().map((name, index) => ({ name, type: String(types[index]) }));
}

/** A chunk's rows as JSON can carry them: whole numbers beyond 32 bits, decimals, dates and times as texts; structs as objects. */
export function rowsOfChunk(chunk: DuckDBDataChunk): readonly (readonly unknown[])[] {
  return chunk.convertRows(JsonDuckDBValueConverter) as readonly (readonly unknown[])[];
}

import type { Answer } from './engine.ts';

/** Makes Parquet files of rows, with exact decimals and real dates. */
export interface ParquetExchange {
  /** `rows`: JSON objects, one a line, with members c0, c1, … for the columns. The file is made when its first byte is asked for. */
  file(columns: Answer['columns'], rows: AsyncIterable<Buffer> | Iterable<string>): AsyncIterable<Buffer>;
  /** Takes away what processes that were killed left of files they were making. Before this process makes its first: one of its id may have been among them. */
  sweep(): Promise<void>;
}

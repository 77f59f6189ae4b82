import type { Connection } from './config.ts';

/** Files that a query reads as a table. */
export interface FileTable {
  /** As the query writes it: `read_csv('raw/a.csv', header = true)`, `'raw/a.parquet'`. */
  readonly text: string;
  /** Paths and patterns in it, relative to the project. */
  readonly paths: readonly string[];
}

/** Columns with the engine's own type texts. */
export type FileColumns = readonly { readonly name: string; readonly type: string }[];

/** Columns of files as the engine of a connection reads them, by the text of their tables. Absent: not there, not on this machine, not open, or not readable. */
export type DescribeFiles = (
  connection: Connection,
  tables: readonly FileTable[],
) => Promise<ReadonlyMap<string, FileColumns>>;

import type { ResultFormat } from '../../domain/result-format.ts';
import type { StatementColumn } from '../../domain/statement.ts';
import type { RowFrame } from '../../runtime/statements/row-frame.ts';

/** Some rows of a result. */
export interface ResultPage {
  readonly kind: 'page';
  readonly columns: readonly StatementColumn[];
  /** JSON text of a list of rows, each a list of cells: it goes into an answer as it is. */
  readonly rows: string;
  /** Rows in this page, and in the whole result. */
  readonly count: number;
  readonly rowCount: number;
  readonly isTruncated: boolean;
  /** Where the next page begins; absent after the last row. */
  readonly nextOffset?: number;
}

/** A page that is not held: its rows are read as they are sent. */
export interface LongPage extends Pick<ResultPage, 'columns' | 'rowCount' | 'isTruncated'> {
  readonly kind: 'long-page';
  /** JSON text of a list of rows, in pieces. */
  readonly rows: AsyncIterable<Buffer>;
  /** Where the next page begins, when all rows of this one were read. */
  readonly read: Promise<Pick<ResultPage, 'nextOffset'>>;
  /** Must be called, whether its rows were read or not. */
  readonly close: () => Promise<void>;
}

/** A whole result as a file, in pieces: reading slowly is harmless, breaking off ends it. */
export interface ResultStream {
  readonly kind: 'stream';
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;
}

export interface ResultRequest {
  /** `json` gives a page, everything else a stream. */
  readonly format: ResultFormat;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Names of columns, in the order wanted. */
  readonly columns?: readonly string[] | undefined;
  /** A page may be a `LongPage`. */
  readonly mayBeLong?: boolean | undefined;
}

/** Rows of a result, not read yet. */
export interface ResultRows {
  readonly columns: readonly StatementColumn[];
  readonly rowCount: number;
  /** Of the rows as they are kept. */
  readonly bytes: number;
  /** All of them as JSON in a frame, in pieces of whole rows; throws `statement.expired` when they are gone. */
  readonly framed: (frame: RowFrame) => Promise<AsyncIterable<Buffer>>;
}

/*
 * Where the rows of large results lie: lines as the engine wrote them, one JSON array of cells each, with an index, so
 * that a page in the middle is found without reading what is before it. A result is stored atomically.
 */

/** Writes one result; it is not visible before `finish`. */
export interface ResultWriter {
  /** Whole lines only. */
  write(lines: Buffer): Promise<void>;
  /** From here on the result is durable. */
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

/** A port; names are made of letters, digits, `_` and `.`. */
export interface ResultStore {
  begin(name: string): Promise<ResultWriter>;
  /** Lines `[offset, offset + limit)` in pieces of whole lines; undefined when there is no such result. */
  read(
    name: string,
    range?: { readonly offset?: number; readonly limit?: number },
  ): Promise<AsyncIterable<Buffer> | undefined>;
  /** Idempotent: a missing result is not an error. */
  remove(names: readonly string[]): Promise<void>;
  /** Everything that is there, parts of unfinished results included. */
  names(): Promise<readonly string[]>;
}

/** Facts by content hash. A stale, foreign or corrupt entry is never returned: it is simply not there. */
export interface CompileCache {
  /** Reads all entries of one room (a room is rewritten as a whole). */
  readAll(room: string): Promise<ReadonlyMap<string, unknown>>;
  /** Replaces the entries of a room; failures to write are not errors, the cache is only speed. */
  replaceAll(room: string, entries: ReadonlyMap<string, unknown>): Promise<void>;
}

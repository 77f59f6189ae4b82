/** Facts as JSON texts, by key, in named rooms. A stale, foreign or corrupt room is never returned: it is simply empty. */
export interface CompileCache {
  readAll(room: string): Promise<ReadonlyMap<string, string>>;
  /** Replaces a whole room. That it could not be written is no error of the user's: the cache is only speed. */
  replaceAll(room: string, entries: ReadonlyMap<string, string>): Promise<void>;
}

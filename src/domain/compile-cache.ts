/** Facts as JSON texts, by key, in named rooms. A stale, foreign or corrupt room is never returned: it is simply empty. */
export interface CompileCache {
  readAll(room: string): Promise<ReadonlyMap<string, string>>;
  /** Replaces a whole room. A failed write is not reported to the user: the cache only saves time. */
  replaceAll(room: string, entries: ReadonlyMap<string, string>): Promise<void>;
}

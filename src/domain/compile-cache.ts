/** Facts as JSON texts, by key, in named rooms. A stale, foreign or corrupt room is never returned: it is simply empty. */
export interface CompileCache {
  readAll(room: string): Promise<ReadonlyMap<string, string>>;
  /** Replaces a whole room. A failed write is not reported to the user: the cache only saves time. */
  replaceAll(room: string, entries: ReadonlyMap<string, string>): Promise<void>;
}

/** A cache in a folder of the project. */
export interface FolderCache extends CompileCache {
  /** Removes all rooms; false when there are none. */
  clear(): boolean;
  /** Undefined when there are none; throws when they cannot be looked at. */
  look(): CacheLook | undefined;
}

export interface CacheLook {
  readonly place: string;
  readonly rooms: number;
  /** Files that are ignored. */
  readonly damaged: readonly string[];
  /** Files that commands which were killed have left. */
  readonly leftOver: number;
}

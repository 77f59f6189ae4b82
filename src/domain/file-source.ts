/** A file found in the project folder, before it is read. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

/** Why a file cannot be used; the loader makes diagnostics of them. */
export type FileProblem = {
  readonly path: string;
  readonly kind: 'escapes-project' | 'not-utf8' | 'too-large' | 'unreadable';
  readonly detail: string;
};

/** Where project files come from. Never leaves the project folder, symlinks included. */
export interface FileSource {
  /** Every file that may matter, sorted by path; hidden folders and `node_modules` are left out. */
  list(): Promise<{ readonly files: readonly FileEntry[]; readonly problems: readonly FileProblem[] }>;
  /** Text of files as UTF-8 (a byte-order mark is removed); problems instead of text where that fails. */
  read(
    paths: readonly string[],
  ): Promise<{ readonly files: ReadonlyMap<string, string>; readonly problems: readonly FileProblem[] }>;
  /** SHA-256 (hex) of a file's bytes and its first bytes as text, without holding the whole in memory: for seeds. */
  digest(
    path: string,
    headBytes: number,
  ): Promise<{ readonly hash: string; readonly head: string } | FileProblem>;
}

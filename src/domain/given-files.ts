/** Files that a command line names: anywhere on the machine; pipes and devices too. Throws `cli.cannot-read` and `cli.cannot-write`. */
export interface GivenFiles {
  text(path: string): string;
  /** `shownAs`: how messages name the file. */
  bytes(path: string, shownAs?: string): Uint8Array;
  /** The text of a file, or of the files of a folder whose names end so, in order of their paths; hidden folders and installed packages are left out. */
  texts(
    path: string,
    endings: readonly string[],
  ): readonly { readonly path: string; readonly text: string }[];
  /** Lines of a file as they are read; of standard input without a path. */
  lines(path: string | undefined): AsyncIterable<string>;
  /** Whole or not at all, except into pipes and devices. */
  write(path: string, bytes: Uint8Array | string): void;
}

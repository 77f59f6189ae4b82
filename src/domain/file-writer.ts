/** A file being written piece by piece; it appears under its name when it is finished, and not before. */
export interface FilePieces {
  write(piece: string): void;
  finish(): void;
  /** Leaves nothing behind. */
  discard(): void;
}

/** A folder that commands write into. Paths are relative with `/` and never lead outside; a file is there as a whole or not at all. Throws `cli.cannot-write`. */
export interface FileWriter {
  readonly folder: string;
  /** Names in the folder; undefined when there is none. */
  entries(): readonly string[] | undefined;
  /** Bytes of a file in pieces; undefined when nothing has that name. Throws where something else than a file has it. */
  contents(path: string): Iterable<Uint8Array> | undefined;
  /** Writes a file that is not there yet and says so; one that exists is left alone. */
  create(path: string, text: string): boolean;
  /** Replaces a file in one step and keeps its permissions. */
  replace(path: string, text: string): void;
  open(path: string): FilePieces;
}

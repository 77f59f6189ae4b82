/*
 * A format makes pieces of a file from lines as they come, in memory that does not grow with them.
 *
 *   look(lines) …  ─▶ begin ─▶ write(lines), write() … ─▶ end        `look` only where rows must be seen before the first is written
 *
 * What a format is to do is plain data, so that it can be done in another thread.
 */

export interface FormattedLines {
  readonly pieces: readonly Uint8Array[];
  /** Whether these lines are used up; else `write` without lines goes on with them. */
  readonly isSpent: boolean;
  /** Of pages: how many rows there are so far, and whether no further one has room. */
  readonly rows?: number;
  readonly isFull?: boolean;
}

export interface Format {
  /** False when no further row must be looked at. */
  look(lines: Buffer): boolean;
  begin(): readonly Uint8Array[];
  write(lines?: Buffer): FormattedLines;
  end(): readonly Uint8Array[];
}

/** The check that must find a defect: a vitest file, with what its short form needs. */
export interface Mechanism {
  /** Relative to the repository. */
  readonly file: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A defect that the code once had, as an edit that brings it back. */
export interface Defect {
  readonly name: string;
  /** What a user saw, in one sentence. */
  readonly seen: string;
  readonly mechanism: Mechanism;
  /** The theme of random lives that find it too (`random-lives.ts`). */
  readonly theme?: string;
  readonly edits: readonly Edit[];
}

export interface Edit {
  /** Relative to the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

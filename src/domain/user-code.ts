/** A function a user wrote in `macros/*.ts|js` (or a rule in `linter/`), known by name and by the hash of all the source it can reach. */
export interface UserFunction {
  readonly name: string;
  readonly file: string;
  /** Hash of the file and everything it imports inside its folder. */
  readonly hash: string;
}

/** What went wrong when user code was loaded or called; `line` and `column` are 1-based in `file` when known. */
export interface UserCodeProblem {
  readonly kind: 'cannot-load' | 'threw' | 'timeout' | 'bad-result' | 'import-outside';
  readonly file: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Arguments are plain data (strings of SQL, numbers, booleans, lists); so are results. */
export interface UserCall {
  readonly function: string;
  readonly arguments: readonly unknown[];
  /** What the code may ask about: dialect, variables, gateway, columns of tables. */
  readonly context: Readonly<Record<string, unknown>>;
}

export type UserResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: UserCodeProblem };

/** Runs code written by users in isolation: with a time limit, and without stopping the load when it fails. */
export interface UserCode {
  /** Functions by lower-cased name, found without running any code where possible. */
  functions(
    folder: 'macros' | 'linter' | 'signals',
  ): Promise<{ readonly functions: readonly UserFunction[]; readonly problems: readonly UserCodeProblem[] }>;
  call(folder: 'macros' | 'linter' | 'signals', call: UserCall): Promise<UserResult>;
  close(): Promise<void>;
}

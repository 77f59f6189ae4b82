/**
 * Something that the state store refuses, as it crosses from the thread to the caller: there it becomes a failure with
 * the catalog's words. The thread does not load the catalog, because opening must stay cheap.
 */
export class StateProblem extends Error {
  readonly code: StateProblemCode;
  readonly parameters: Readonly<Record<string, string | number>>;

  constructor(
    code: StateProblemCode,
    parameters: Readonly<Record<string, string | number>>,
    options: { readonly cause?: unknown } = {},
  ) {
    super(`${code} ${JSON.stringify(parameters)}`, options);
    this.name = 'StateProblem';
    this.code = code;
    this.parameters = parameters;
  }
}

/** Codes that this store can throw. */
export type StateProblemCode =
  | 'environment.moved'
  | 'state.bad-import'
  | 'state.cannot-connect'
  | 'state.cannot-open'
  | 'state.connection-lost'
  | 'state.lease-lost'
  | 'state.locked'
  | 'state.login-refused'
  | 'state.newer'
  | 'state.no-rights'
  | 'state.not-empty'
  | 'state.old-server'
  | 'state.read-only'
  | 'state.snapshot-differs'
  | 'state.too-many-connections'
  | 'state.unreadable'
  | 'state.write-failed';

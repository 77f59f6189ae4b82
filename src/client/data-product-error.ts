/** One thing that the server found wrong, and where. */
export interface ProblemEntry {
  readonly path: string;
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
}

/** What is known of an error besides its status and its words. */
export interface ErrorFacts {
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly errors?: readonly ProblemEntry[] | undefined;
  readonly correlationId?: string | undefined;
  readonly cause?: unknown;
}

/** Whatever went wrong. `statusCode` is the HTTP status of the answer; 0 when none came, 400 when a parameter was found wrong before anything was sent, 501 for what comes in a later version. */
export class DataProductError extends Error {
  readonly statusCode: number;
  readonly detail: string;
  readonly code: string | undefined;
  readonly hint: string | undefined;
  readonly errors: readonly ProblemEntry[];
  readonly correlationId: string | undefined;

  constructor(statusCode: number, detail: string, facts: ErrorFacts = {}) {
    super(`${statusCode}: ${detail}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'DataProductError';
    this.statusCode = statusCode;
    this.detail = detail;
    this.code = facts.code;
    this.hint = facts.hint;
    this.errors = facts.errors ?? [];
    this.correlationId = facts.correlationId;
  }
}

/** The value is not shown: it may be a secret. */
export function badParameter(name: string, why: string): DataProductError {
  return new DataProductError(400, `${name} ${why}`, { code: 'client.bad-parameter' });
}

export function requiredText(name: string, value: unknown): string {
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
    throw badParameter(name, 'is missing: give a non-empty string');
  if (typeof value !== 'string') throw badParameter(name, `must be a string, not ${typeof value}`);
  return value;
}

/** A text that can be one segment of a path: `..` would be a way to somewhere else. */
export function requiredSegment(name: string, value: unknown): string {
  const text = requiredText(name, value);
  if (text === '.' || text === '..') throw badParameter(name, 'cannot be a dot or two');
  return text;
}

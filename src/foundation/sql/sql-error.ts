import type { Span } from './tree.ts';

/** SQL that cannot be read: what was found, what was expected, and where in the parsed text. */
export interface SqlError {
  readonly kind: 'lexical' | 'syntax' | 'too-deep' | 'too-long' | 'timeout' | 'unsupported';
  readonly message: string;
  /** What would have fitted at this place, in words, at most a handful. */
  readonly expected?: string;
  readonly span: Span;
}

/** Success or the first error; parsing never throws for bad input. */
export type SqlResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: SqlError };

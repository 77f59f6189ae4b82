import type { FormattedLines } from './format.ts';
import type { FormatSpec } from './format-of.ts';

/** What a thread of formats is asked; a stream asks one thing at a time. */
export type FormatQuestion = { readonly id: number } & (
  | { readonly kind: 'open'; readonly spec: FormatSpec }
  | { readonly kind: 'look'; readonly lines: Uint8Array }
  | { readonly kind: 'begin' | 'end' | 'drop' }
  | { readonly kind: 'write'; readonly lines?: Uint8Array | undefined }
);

/** `open` and `drop` have none. */
export interface FormatReply extends Partial<FormattedLines> {
  readonly id: number;
  readonly pieces: readonly Uint8Array[];
  /** To `look`. */
  readonly isWanting?: boolean;
  readonly error?: unknown;
}

/** One lexical unit; `text` is the raw slice of the source, quotes included. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * `word` is an unquoted name or keyword, `name` a quoted identifier, `at` a macro sign directly followed by a word, `{`, a string or `(`;
 * `parameter` is `?`, `$1`, `:x`; `end` closes every list, so that parsers never run off it.
 */
export type TokenKind = 'word' | 'name' | 'string' | 'number' | 'symbol' | 'at' | 'parameter' | 'end';

/** A comment with its delimiters; comments are kept beside the tokens, never among them. */
export interface Comment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isBlock: boolean;
}

/** Why cutting stopped: an unclosed quote or comment, or a character SQL does not have. */
export interface LexicalError {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly error?: LexicalError;
}

/** How SQL is laid out; every option has the default of `FORMAT_DEFAULTS`. */
export interface FormatOptions {
  /** Blanks a level. */
  readonly indent: number;
  /** The longest line. */
  readonly width: number;
  /** Commas begin lines instead of ending them. */
  readonly hasLeadingCommas: boolean;
  /** The text ends with a line end. */
  readonly endsWithLine: boolean;
  /** Bare names are folded to the case in which the dialect compares them. */
  readonly foldsNames: boolean;
  readonly functionCase: 'upper' | 'lower' | 'off';
  /** `CAST(x AS t)` becomes `x::t` where the dialect knows that. */
  readonly rewritesCasts: boolean;
}

export const FORMAT_DEFAULTS: FormatOptions = {
  indent: 2,
  width: 100,
  hasLeadingCommas: false,
  endsWithLine: true,
  foldsNames: false,
  functionCase: 'off',
  rewritesCasts: false,
};

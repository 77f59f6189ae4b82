/** What crosses between `renderJinja` and its worker: plain data only. */

/** A value a template can use. */
export type JinjaValue =
  | string
  | number
  | boolean
  | null
  | readonly JinjaValue[]
  | { readonly [key: string]: JinjaValue };

export interface JinjaRequest {
  readonly text: string;
  /** Names every template and macro sees. */
  readonly globals: Readonly<Record<string, JinjaValue>>;
  /** Functions of one name that look a value up, by function name: `var` → { x: 1 } makes `var('x', default)`. */
  readonly lookups: Readonly<Record<string, Readonly<Record<string, JinjaValue>>>>;
  /** Files with `{% macro … %}`; all their macros are known everywhere. */
  readonly macros: readonly { readonly file: string; readonly text: string }[];
}

/** `file` is undefined when the error is in the text itself; `line` and columns are 1-based. */
export interface JinjaError {
  /** `crash`: the thread that rendered is lost. */
  readonly kind: 'template' | 'limit' | 'crash';
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly columnEnd?: number;
}

export type JinjaResult =
  | {
      readonly ok: true;
      readonly text: string;
      /** Names given to the look-up functions, found or not, as `function:name`. */
      readonly looked: readonly string[];
    }
  | { readonly ok: false; readonly error: JinjaError; readonly looked: readonly string[] };

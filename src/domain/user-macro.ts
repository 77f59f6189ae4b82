/**
 * What a macro in `macros/*.ts|js` is given and may return.
 *
 *   import type { MacroContext } from 'plinth';
 *   export function cents(this: MacroContext, column: string): string {
 *     return `CAST(${column} * 100 AS BIGINT)`;
 *   }
 *
 * In SQL: `SELECT @cents(o.price) AS price_cents`. Arguments are SQL texts: `o.price`, `'eu'` with its quotes, `1`. `[a, b]` and `(a, b)` are arrays.
 * Arguments given by name (`@f(x, sep := '-')`) come last, as one record.
 */

/** A value of a variable of the config. */
export type MacroVariable =
  | string
  | number
  | boolean
  | null
  | readonly MacroVariable[]
  | { readonly [key: string]: MacroVariable };

/** An argument: SQL text, or a list of arguments. */
export type MacroArgument = string | readonly MacroArgument[];

/** What `this` is inside a macro function; arrow functions have none. Reading it makes the models that call the macro depend on it. */
export interface MacroContext {
  readonly dialect: string;
  readonly gateway: string;
  readonly environment: string;
  /** `loading` while the project is read, then `creating`, `evaluating`, …. */
  readonly runtimeStage: string;
  /** SQL text of the model's own table. */
  readonly thisModel: string;
  /** Variables of config, gateway and command line; keys are lower-case. */
  readonly variables: Readonly<Record<string, MacroVariable>>;
  /** Variables of the blueprint, as SQL texts; keys are lower-case. */
  readonly blueprint: Readonly<Record<string, string>>;
  /** Columns of a model or external table; undefined when they are not known. */
  columnsOf(table: string): readonly { readonly name: string; readonly type: string }[] | undefined;
}

/** SQL text, several texts (items of the list the call stands in), a number, a boolean, or nothing (the item disappears). */
export type MacroReturn = string | number | boolean | null | undefined | readonly MacroReturn[];

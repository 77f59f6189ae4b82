import type { SqlText } from '../../domain/sql-text.ts';
import type { UserCall, UserFunction, UserResult } from '../../domain/user-code.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';

/** A variable's value as config or a flag gave it. */
export type MacroValue =
  | string
  | number
  | boolean
  | null
  | readonly MacroValue[]
  | { readonly [key: string]: MacroValue };

/** Everything an expansion may depend on; nothing else. */
export interface ExpansionContext {
  readonly file: string;
  readonly dialect: Dialect;
  /** Variables of config, gateway and command line, merged; keys lower-case. */
  readonly variables: Readonly<Record<string, MacroValue>>;
  /** Variables of the blueprint and arguments of an audit, as SQL texts; keys lower-case. They win over `variables`. */
  readonly sqlVariables: Readonly<Record<string, string>>;
  /** Epoch milliseconds; the interval is half-open. */
  readonly times: { readonly start: number; readonly end: number; readonly execution: number };
  /** SQL text that `@this_model` stands for. */
  readonly thisModel: string;
  readonly runtimeStage: string;
  readonly gateway: string;
  readonly environment: string;
  /** Columns of a table, for `@STAR` and the like; undefined when not known (yet). */
  readonly columnsOf: (
    table: string,
  ) => readonly { readonly name: string; readonly type: string }[] | undefined;
  /** Functions of `macros/*.ts|js`, by lower-case name. */
  readonly userFunctions: ReadonlyMap<string, UserFunction>;
  /** Macros that exist only in Python: using one is a positioned diagnostic, not an unknown macro. Lower-case names. */
  readonly pythonMacros: ReadonlySet<string>;
  /** Jinja macros of `macros/*.sql`, as texts. */
  readonly jinjaMacros: readonly { readonly file: string; readonly text: string }[];
  /** Answers of user functions, by `callKey`; what is missing comes back in `needs`. */
  readonly answers: ReadonlyMap<string, UserResult>;
}

/** Where a piece of expanded text came from. Pieces are sorted and cover the text. */
export interface OffsetMap {
  /** The range in the original text (of the statement, offsets relative to the file) that produced a range of the expanded text. */
  original(start: number, end: number): { readonly start: number; readonly end: number };
}

/** One statement after expansion. */
export interface ExpandedText {
  /** Empty when the statement only defined something (`@DEF`) or a switch removed it. */
  readonly text: string;
  readonly map: OffsetMap;
}

/** What came out, and what it depended on: the cache asks again only if one of these changed. */
export interface Expansion {
  readonly statements: readonly ExpandedText[];
  readonly diagnostics: readonly Diagnostic[];
  /** Names of variables looked up (found or not), lower-case. */
  readonly usedVariables: readonly string[];
  /** Names of user functions called, lower-case. */
  readonly usedFunctions: readonly string[];
  /** Tables whose columns were asked for. */
  readonly usedTables: readonly string[];
  /** Whether gateway, environment, runtime stage or times were looked at. */
  readonly usedContext: readonly ('gateway' | 'environment' | 'runtime-stage' | 'times')[];
  /** Calls that must be answered before the text is final; then expand again. */
  readonly needs: readonly { readonly key: string; readonly call: UserCall }[];
}

/** Expands statements in order; `@DEF`s of earlier ones are seen by later ones. Pure and synchronous. */
export type ExpandMacros = (statements: readonly SqlText[], context: ExpansionContext) => Expansion;

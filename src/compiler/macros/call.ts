/** What operators are given: one macro call, and the means to work on its arguments. */
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { Token } from '../../foundation/sql/token.ts';
import type { Constant } from './constant.ts';
import type { ExpansionContext } from './expansion.ts';
import type { FilePlace, Fragment } from './fragment.ts';

/** A fragment that was cut into tokens; offsets of tokens are offsets of its text. */
export interface TokenizedFragment extends Fragment {
  readonly tokens: readonly Token[];
}

/** Tokens `[from, to)` of a source. */
export interface TokenRange {
  readonly source: TokenizedFragment;
  readonly from: number;
  readonly to: number;
}

/** A parameter of a lambda with its value, and those around it; a chain, because scopes are made much more often than they are searched. */
export interface LambdaBinding {
  readonly name: string;
  readonly value: Fragment;
  readonly outer: LambdaBinding | undefined;
}

/** The value a parameter has here. */
export function boundValue(binding: LambdaBinding | undefined, name: string): Fragment | undefined {
  for (let at = binding; at !== undefined; at = at.outer) if (at.name === name) return at.value;
  return undefined;
}

/**
 * Names that have a value here, as `@x`; a bare `x` too where `replacesWords`: in the body of a lambda and in lambdas inside it, not in arguments of
 * a macro called there, where `@x` is the way to say it.
 */
export interface MacroScope {
  readonly bindings: LambdaBinding | undefined;
  readonly replacesWords: boolean;
  /** The text will be evaluated: a value with operators in it counts as one. */
  readonly isEvaluated?: boolean;
}

/** One argument as written; `name` when given as `name := value`. */
export interface CallArgument extends TokenRange {
  readonly name?: string;
}

/** `x -> body` or `(x, y) -> body`; parameters are lower-case. */
export interface MacroLambda {
  readonly parameters: readonly string[];
  readonly body: TokenRange;
}

/** A call with its place in the user's file; `name` is lower-case, `written` as the user spelled it. */
export interface MacroCall {
  readonly name: string;
  readonly written: string;
  readonly arguments: readonly CallArgument[];
  /** All tokens between the parentheses. */
  readonly inside: TokenRange;
  /** Nothing else stands in the statement. */
  readonly isWholeStatement: boolean;
  readonly scope: MacroScope;
  readonly place: FilePlace & { readonly file: string };
}

/** One text, several (they become items of the list they stand in), or none (the item disappears). */
export type MacroResult = Fragment | readonly Fragment[] | undefined;

/** The part of the expansion that operators use. */
export interface Expander {
  readonly context: ExpansionContext;
  readonly dialect: Dialect;
  /** The argument's text with its macros expanded; lists are joined with commas. */
  expand(range: TokenRange, scope: MacroScope): Fragment;
  /** The value of a range whose macros are expanded first. */
  evaluateRange(range: TokenRange, call: MacroCall): Constant;
  /** Like `expand`, but a macro that gives several texts gives several items. */
  items(
    range: TokenRange,
    scope: MacroScope,
  ): { readonly items: readonly Fragment[]; readonly isSpliced: boolean };
  /** Text made by a macro, with macros in it expanded once more. */
  again(fragment: Fragment, scope: MacroScope): Fragment;
  apply(lambda: MacroLambda, given: readonly Fragment[], scope: MacroScope): MacroResult;
  evaluate(fragment: Fragment, call: MacroCall): Constant;
  define(name: string, value: Fragment | { readonly lambda: MacroLambda; readonly scope: MacroScope }): void;
  sourceOf(fragment: Fragment): TokenizedFragment;
  /** Bare text of a variable for templates, undefined when it has none. */
  bareValue(name: string, scope: MacroScope): string | undefined;
  /** Value of `@VAR('name')`, looked up in config variables only. */
  configValue(name: string): string | undefined;
  blueprintValue(name: string): string | undefined;
  columnsOf(table: string): ReturnType<ExpansionContext['columnsOf']>;
  report(diagnostic: Diagnostic): void;
}

export type Operator = (call: MacroCall, expander: Expander) => MacroResult;

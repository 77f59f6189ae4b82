import type { Call } from '../tree.ts';

/**
 * How one dialect spells what the tree says; every dialect is one table of this shape in `dialects/`.
 * `functions`, `types` and `reads` are used only when a query moves from one dialect to another: they meet in DuckDB's vocabulary.
 */
export interface DialectSpelling {
  readonly quote: readonly [open: string, close: string];
  /** Lower-case words that need quotes as names. */
  readonly reserved: ReadonlySet<string>;
  /** Where NULLs sort when the query does not say: always last, or as the largest or smallest value. */
  readonly nullsSort: 'last' | 'largest' | 'smallest';
  readonly hasNullsOrder: boolean;
  /** What `/` does with two integers. */
  readonly division: 'float' | 'integer' | 'decimal';
  readonly concat: 'pipes' | 'call' | 'plus';
  readonly hasColonCast: boolean;
  readonly hasTypedLiterals: boolean;
  readonly tryCast?: 'TRY_CAST' | 'SAFE_CAST';
  readonly hasFilter: boolean;
  readonly ignoreNulls?: 'inside' | 'outside';
  readonly hasIlike: boolean;
  readonly hasQualify: boolean;
  readonly hasGroupByAll: boolean;
  readonly hasDistinctOn: boolean;
  readonly hasSemiJoin: boolean;
  readonly hasByName: boolean;
  readonly starExclude?: 'EXCLUDE' | 'EXCEPT';
  readonly hasStarReplace: boolean;
  readonly limit: 'limit-offset' | 'offset-limit' | 'top';
  /** Set operations without ALL must say DISTINCT. */
  readonly setSaysDistinct: boolean;
  readonly distinctFrom: 'words' | 'null-safe-equal' | 'is' | 'none';
  /** `INTERVAL '1 DAY'`, `INTERVAL '1' DAY`, `INTERVAL 1 DAY`, `INTERVAL (x) DAY` besides, or DATEADD. */
  readonly interval: 'string' | 'quoted-number' | 'number' | 'dateadd' | 'none';
  readonly list: 'brackets' | 'array-brackets' | 'array-call' | 'none';
  readonly struct: 'braces' | 'struct-as' | 'object' | 'none';
  /** `LIKE … ESCAPE` is there; backslash escapes by itself where `lexicalRules` says so. */
  readonly power: 'caret' | 'stars' | 'call';
  readonly integerDivision: string;
  /** Templates for the wall clock of the zone `$2` where AT TIME ZONE is not an operator; absent: it is one, or there is no way to say it. */
  readonly wallClock?: { readonly ofUtc: string; readonly ofInstant: string };
  /** `generate_series(1, $2)` as a table `$t` with a column `$c`; `$l` is LATERAL where the table is. */
  readonly series?: string;
  /** DuckDB's type name → this dialect's; absent names are the same. A name mapped to '' does not exist here. */
  readonly types: Readonly<Record<string, string>>;
  /** DuckDB's function (`name` or `name/arguments`) → this dialect's. */
  readonly functions: Readonly<Record<string, FunctionRule>>;
  /** This dialect's function → DuckDB's: a new name, or a rewritten call. */
  readonly reads: Readonly<Record<string, ReadRule>>;
}

/**
 * A name, a template or a function. In a template `$1` is the first argument, `$*` all of them, `$w1` the first as a bare upper-case word,
 * `$d` is DISTINCT and `$o` is ORDER BY where the call has them.
 */
export type FunctionRule = string | ((call: RuleCall) => string | undefined);

/** What a rule written as a function may ask about the call. */
export interface RuleCall {
  readonly call: Call;
  readonly count: number;
  readonly argument: (index: number) => string;
  /** The argument as a lower-case word when it is a string constant or a bare name. */
  readonly word: (index: number) => string | undefined;
  readonly fill: (template: string) => string;
}

/** A new name for the call, or the whole call rewritten; undefined when this shape has no equal. */
export type ReadRule = string | ((call: Call) => Call | undefined);

/**
 * The SQL tree: plain readonly data, one `kind` per node, the same for every dialect.
 *
 *   text ──tokenize──▶ tokens ──parse──▶ Query tree ──┬─▶ resolve: columns, types, lineage
 *                                                     ├─▶ canonical form, hash
 *                                                     └─▶ print in a dialect
 *
 * Spans are offsets into the text that was parsed, so users' text can be edited by splicing and never has to be regenerated.
 * Parentheses are not nodes: the printer puts them where precedence needs them, and a span never includes those around it.
 */

/** A half-open range of character offsets in the parsed text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A name as the user wrote it, without its quotes; `quoted` decides how its case is compared. */
export interface Identifier {
  readonly name: string;
  readonly quoted: boolean;
  readonly span: Span;
}

/** A name that may say whose it is, where usually it does not. */
export interface QualifiedIdentifier extends Identifier {
  readonly qualifiers?: readonly Identifier[];
}

interface Node {
  readonly span: Span;
}

// ───────────────────────────────────────────── expressions

/** `a`, `t.a`, `s.t.a` or a struct path such as `t.a.b`: which part is the table is known only in a scope. */
export interface ColumnReference extends Node {
  readonly kind: 'column';
  readonly name: Identifier;
  readonly qualifiers: readonly Identifier[];
}

/** `*`, `t.*`, with DuckDB's and BigQuery's modifiers. */
export interface Star extends Node {
  readonly kind: 'star';
  readonly qualifiers: readonly Identifier[];
  /** `EXCLUDE (t.a)` has `t` as qualifier. */
  readonly exclude: readonly QualifiedIdentifier[];
  readonly replace: readonly Projection[];
  readonly rename: readonly { readonly from: Identifier; readonly to: Identifier }[];
}

/** A constant; `text` is its value without quotes for strings, as written for numbers. */
export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'bytes' | 'bit';
  readonly text: string;
}

/** `?`, `$1`, `$name`, `:name`. */
export interface Parameter extends Node {
  readonly kind: 'parameter';
  readonly text: string;
}

/** `INTERVAL '1 day'`, `INTERVAL 3 DAYS`, `INTERVAL (n) MONTH`; unit is lower-case as written, `hour to minute` included. */
export interface IntervalLiteral extends Node {
  readonly kind: 'interval';
  readonly value: Expression;
  readonly unit?: string;
}

/** Operator is upper-case: `-`, `+`, `~`, `NOT`, and postfix `!`. */
export interface Unary extends Node {
  readonly kind: 'unary';
  readonly operator: string;
  readonly operand: Expression;
}

/** Operator is upper-case and normalised: `<>` for `!=`, `=` for `==`, `AND`, `OR`, `||`, `->`, `//`, `IS DISTINCT FROM`, `IS NOT DISTINCT FROM`, … */
export interface Binary extends Node {
  readonly kind: 'binary';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

/** `[NOT] LIKE | ILIKE | RLIKE | REGEXP | SIMILAR TO | GLOB`, with ESCAPE; `quantifier` for `LIKE ANY (…)`. */
export interface Like extends Node {
  readonly kind: 'like';
  readonly operator: string;
  readonly negated: boolean;
  readonly operand: Expression;
  readonly pattern: Expression;
  readonly escape?: Expression;
  readonly quantifier?: 'ANY' | 'ALL';
}

export interface Between extends Node {
  readonly kind: 'between';
  readonly negated: boolean;
  readonly symmetric: boolean;
  readonly operand: Expression;
  readonly low: Expression;
  readonly high: Expression;
}

/** `x [NOT] IN (a, b)`, `x IN (SELECT …)`, and DuckDB's `x IN list`. */
export interface In extends Node {
  readonly kind: 'in';
  readonly negated: boolean;
  readonly operand: Expression;
  readonly set:
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    | { readonly kind: 'query'; readonly query: Query }
    | { readonly kind: 'expression'; readonly expression: Expression };
}

/** `IS [NOT] NULL | TRUE | FALSE | UNKNOWN`, also written ISNULL and NOTNULL. */
export interface Is extends Node {
  readonly kind: 'is';
  readonly negated: boolean;
  readonly operand: Expression;
  readonly test: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN' | 'JSON';
}

export interface Case extends Node {
  readonly kind: 'case';
  readonly operand?: Expression;
  readonly whens: readonly { readonly when: Expression; readonly then: Expression }[];
  readonly otherwise?: Expression;
}

/** `CAST(x AS t)`, `x::t`, `TRY_CAST`, `SAFE_CAST` and typed literals such as `DATE '2024-01-01'` (`form: 'literal'`). */
export interface Cast extends Node {
  readonly kind: 'cast';
  readonly form: 'cast' | 'colons' | 'literal';
  readonly isTry: boolean;
  readonly operand: Expression;
  readonly type: TypeName;
  readonly format?: Expression;
}

/** A function call of any sort. `syntax` says how it was spelled where SQL has a spelling of its own. */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: Identifier;
  readonly qualifiers: readonly Identifier[];
  readonly syntax: 'plain' | 'extract' | 'position' | 'substring' | 'trim' | 'overlay' | 'keyword';
  readonly arguments: readonly Argument[];
  /** `count(*)`. */
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  readonly orderBy: readonly OrderItem[];
  readonly withinGroup: readonly OrderItem[];
  readonly filter?: Expression;
  readonly nulls?: 'IGNORE' | 'RESPECT';
  readonly over?: WindowSpec | Identifier;
  /** LEADING | TRAILING | BOTH of trim, SEPARATOR text of group_concat: rare words kept as written, upper-case. */
  readonly modifier?: string;
}

/** A positional argument, or a named one (`name := x`, `name => x`). */
export interface Argument {
  readonly name?: Identifier;
  readonly value: Expression;
}

export interface Exists extends Node {
  readonly kind: 'exists';
  readonly query: Query;
}

/** A scalar subquery, or one after `ANY`/`ALL`/`ARRAY`. */
export interface SubqueryExpression extends Node {
  readonly kind: 'subquery';
  readonly query: Query;
  readonly quantifier?: 'ANY' | 'ALL' | 'SOME' | 'ARRAY';
}

/** `[a, b]`, `ARRAY[a, b]`. */
export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** `(a, b)` and `ROW(a, b)`. */
export interface TupleExpression extends Node {
  readonly kind: 'tuple';
  readonly items: readonly Expression[];
}

/** `{a: 1, 'b': 2}` and BigQuery's `STRUCT(1 AS a)`. */
export interface StructExpression extends Node {
  readonly kind: 'struct';
  readonly fields: readonly { readonly name?: Identifier; readonly value: Expression }[];
}

/** `MAP {k: v}`. */
export interface MapExpression extends Node {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Expression; readonly value: Expression }[];
}

/** `x[i]`, `x[a:b]`, `x[a:b:c]`. */
export interface Subscript extends Node {
  readonly kind: 'subscript';
  readonly operand: Expression;
  readonly isSlice: boolean;
  readonly index?: Expression;
  readonly upper?: Expression;
  readonly step?: Expression;
}

/** `(expr).field`, and Snowflake's `col:path`. */
export interface FieldAccess extends Node {
  readonly kind: 'field';
  readonly operand: Expression;
  readonly field: Identifier;
  readonly isVariantPath: boolean;
}

/** `x -> x + 1`, `(a, b) -> a + b`, `lambda x: x + 1`. */
export interface Lambda extends Node {
  readonly kind: 'lambda';
  readonly parameters: readonly Identifier[];
  readonly body: Expression;
}

/** DuckDB's `[x * 2 FOR x IN list IF x > 0]`. */
export interface ListComprehension extends Node {
  readonly kind: 'comprehension';
  readonly result: Expression;
  readonly variable: Identifier;
  /** The element's position, in `[x FOR x, i IN list]`. */
  readonly index?: Identifier;
  readonly source: Expression;
  readonly condition?: Expression;
}

export interface AtTimeZone extends Node {
  readonly kind: 'at-time-zone';
  readonly operand: Expression;
  readonly zone: Expression;
}

export interface Collate extends Node {
  readonly kind: 'collate';
  readonly operand: Expression;
  readonly collation: readonly Identifier[];
}

/** An expression; every pass over it is a `switch` on `kind`. */
export type Expression =
  | ColumnReference
  | Star
  | Literal
  | Parameter
  | IntervalLiteral
  | Unary
  | Binary
  | Like
  | Between
  | In
  | Is
  | Case
  | Cast
  | Call
  | Exists
  | SubqueryExpression
  | ListExpression
  | TupleExpression
  | StructExpression
  | MapExpression
  | Subscript
  | FieldAccess
  | Lambda
  | ListComprehension
  | AtTimeZone
  | Collate;

/** A type as written: `DECIMAL(10, 2)`, `STRUCT(a INT, b VARCHAR[])`, `ARRAY<STRING>`; `name` is upper-case, multi-word names have single blanks. */
export interface TypeName extends Node {
  readonly name: string;
  /** Numbers as written (precision, scale, length). */
  readonly parameters: readonly string[];
  /** Element types of LIST/ARRAY/MAP, and fields of STRUCT. */
  readonly fields: readonly { readonly name?: Identifier; readonly type: TypeName }[];
}

export interface OrderItem {
  readonly expression: Expression;
  readonly direction?: 'ASC' | 'DESC';
  readonly nulls?: 'FIRST' | 'LAST';
}

export interface WindowSpec {
  readonly base?: Identifier;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: WindowFrame;
}

export interface WindowFrame {
  readonly unit: 'ROWS' | 'RANGE' | 'GROUPS';
  readonly start: FrameBound;
  readonly end?: FrameBound;
  /** CURRENT ROW | GROUP | TIES | NO OTHERS. */
  readonly exclude?: string;
}

export interface FrameBound {
  readonly kind: 'unbounded-preceding' | 'preceding' | 'current-row' | 'following' | 'unbounded-following';
  readonly offset?: Expression;
}

// ───────────────────────────────────────────── queries

/** A whole query: WITH, a body, and what applies to the body's result. */
export interface Query extends Node {
  readonly kind: 'query';
  readonly with?: With;
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[] | 'ALL';
  /** What follows `ORDER BY ALL`. */
  readonly orderAll?: { readonly direction?: 'ASC' | 'DESC'; readonly nulls?: 'FIRST' | 'LAST' };
  readonly limit?: Expression;
  /** `LIMIT 10 PERCENT` / `LIMIT 10%`. */
  readonly limitIsPercent?: boolean;
  /** `FETCH FIRST n ROWS WITH TIES`, `TOP n WITH TIES`. */
  readonly limitHasTies?: boolean;
  readonly offset?: Expression;
}

export interface With {
  readonly recursive: boolean;
  readonly tables: readonly CommonTable[];
}

export interface CommonTable extends Node {
  readonly name: Identifier;
  readonly columns: readonly Identifier[];
  readonly materialized?: boolean;
  /** DuckDB's `USING KEY (…)` of recursive CTEs. */
  readonly usingKey?: readonly Identifier[];
  readonly query: Query;
}

/** `nested` is a parenthesised query with its own ORDER BY or LIMIT; `table` is `FROM t` / `TABLE t`, read as `SELECT * FROM t`. */
export type QueryBody =
  | Select
  | SetOperation
  | Values
  | PivotStatement
  | { readonly kind: 'nested'; readonly query: Query; readonly span: Span };

export interface Select extends Node {
  readonly kind: 'select';
  readonly distinct: 'none' | 'all' | readonly Expression[];
  /** FROM-first without SELECT has no projections in the text; the parser gives one star with an empty span. */
  readonly projections: readonly Projection[];
  /** Comma-separated; empty when there is no FROM. */
  readonly from: readonly TableExpression[];
  readonly where?: Expression;
  readonly groupBy?: GroupBy;
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly windows: readonly { readonly name: Identifier; readonly spec: WindowSpec }[];
  /** `USING SAMPLE …` as written. */
  readonly sample?: string;
  /** SELECT AS STRUCT | VALUE (BigQuery). */
  readonly asKind?: 'STRUCT' | 'VALUE';
}

export interface Projection extends Node {
  readonly expression: Expression;
  readonly alias?: Identifier;
}

export interface GroupBy {
  readonly isAll: boolean;
  readonly items: readonly GroupItem[];
}

export type GroupItem =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'rollup' | 'cube'; readonly items: readonly GroupItem[] }
  | { readonly kind: 'grouping-sets'; readonly items: readonly GroupItem[] }
  | { readonly kind: 'set'; readonly items: readonly GroupItem[] };

export interface SetOperation extends Node {
  readonly kind: 'set-operation';
  readonly operator: 'UNION' | 'EXCEPT' | 'INTERSECT';
  readonly isAll: boolean;
  readonly byName: boolean;
  readonly left: QueryBody;
  readonly right: QueryBody;
}

export interface Values extends Node {
  readonly kind: 'values';
  readonly rows: readonly (readonly Expression[])[];
}

/** DuckDB's `PIVOT t ON x USING sum(y) GROUP BY z` and `UNPIVOT t ON … INTO …` statements. */
export interface PivotStatement extends Node {
  readonly kind: 'pivot-statement';
  readonly pivot: Pivot | Unpivot;
}

// ───────────────────────────────────────────── FROM

export interface TableAlias {
  readonly name: Identifier;
  readonly columns: readonly Identifier[];
  /** PostgreSQL's `AS t(a INT, b TEXT)`: one for each column. */
  readonly columnTypes?: readonly TypeName[];
}

/** `catalog.schema.table`, or a quoted file name (`'data.parquet'`, `isFile`). */
export interface TableReference extends Node {
  readonly kind: 'table';
  readonly parts: readonly Identifier[];
  readonly isFile: boolean;
  readonly alias?: TableAlias;
  /** The name alone, without alias and sample: what splicing replaces. */
  readonly nameSpan: Span;
  /** TABLESAMPLE, AT (VERSION …), FOR SYSTEM_TIME …: as written. */
  readonly suffix?: string;
}

export interface TableFunction extends Node {
  readonly kind: 'table-function';
  readonly call: Call;
  readonly lateral: boolean;
  readonly withOrdinality: boolean;
  readonly alias?: TableAlias;
  /** TABLESAMPLE …: as written. */
  readonly suffix?: string;
}

export interface DerivedTable extends Node {
  readonly kind: 'derived';
  readonly query: Query;
  readonly lateral: boolean;
  readonly alias?: TableAlias;
  /** TABLESAMPLE …: as written. */
  readonly suffix?: string;
}

export interface Join extends Node {
  readonly kind: 'join';
  readonly type: 'inner' | 'left' | 'right' | 'full' | 'cross' | 'semi' | 'anti' | 'positional';
  readonly natural: boolean;
  readonly asof: boolean;
  readonly left: TableExpression;
  readonly right: TableExpression;
  readonly on?: Expression;
  readonly using?: readonly Identifier[];
}

/** A parenthesised table expression with an alias of its own: `(a JOIN b ON …) AS j`. */
export interface AliasedTable extends Node {
  readonly kind: 'aliased';
  readonly table: TableExpression;
  readonly alias: TableAlias;
}

export interface Pivot extends Node {
  readonly kind: 'pivot';
  readonly source: TableExpression;
  readonly aggregates: readonly Projection[];
  readonly on: readonly {
    readonly expression: Expression;
    /** Undefined when the values are found at run time. */
    readonly values?: readonly Projection[];
  }[];
  readonly groupBy: readonly Expression[];
  readonly alias?: TableAlias;
}

export interface Unpivot extends Node {
  readonly kind: 'unpivot';
  readonly source: TableExpression;
  readonly includeNulls: boolean;
  readonly nameColumn: Identifier;
  readonly valueColumns: readonly Identifier[];
  /** Each entry is one column, or a group of columns, with an optional label. */
  readonly columns: readonly { readonly expressions: readonly Expression[]; readonly alias?: Identifier }[];
  readonly alias?: TableAlias;
}

export type TableExpression =
  | TableReference
  | TableFunction
  | DerivedTable
  | Join
  | AliasedTable
  | (Values & { readonly alias?: TableAlias })
  | Pivot
  | Unpivot;

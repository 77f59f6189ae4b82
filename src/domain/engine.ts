import type { Dialect } from '../foundation/sql/dialect.ts';
import type { RangeSet, TimeRange } from '../foundation/time/ranges.ts';
import type { Relation, TableId } from './relation.ts';

/** All of time, 1970 to 9999: the range of a ledger row of what is built once per version (views, seeds). */
export const WHOLE: TimeRange = { start: 0, end: 253_402_300_800_000 };

/** A column of an answer or a table, with the engine's own type text. */
export interface AnswerColumn {
  readonly name: string;
  readonly type: string;
}

/** Rows of a small answer; values are what JSON can carry (decimals, dates and integers beyond 2^53 as strings). */
export interface Answer {
  readonly columns: readonly AnswerColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

/** What an engine can do; code above asks these, never which engine it is. */
export interface EngineCapabilities {
  readonly transactionalDdl: boolean;
  readonly transactionalDml: boolean;
  readonly merge: boolean;
  readonly materializedViews: boolean;
  readonly comments: boolean;
  readonly catalogs: boolean;
  /** The catalog of names that are written without one: views in another catalog must name it. */
  readonly ownCatalog?: string;
  readonly identifierMax?: number;
  /** How many measurements of one table are worth one query: all of the table, those of one column, or one. */
  readonly scanPacking: 'table' | 'column' | 'rule';
  /** Whether functions of quantiles take a list of them, and answer it in one pass. */
  readonly quantileLists: boolean;
  /** How many write transactions are worth running concurrently. */
  readonly concurrency: number;
}

/** A fencing token: the lease's number for a table. The engine refuses a write with an older token than it has seen, at its begin and at its commit. */
export interface Fence {
  readonly table: TableId;
  readonly token: number;
}

/** A fact about data, written in the transaction that wrote the data. A table's data version is count and xor of these. */
export interface LedgerRow {
  readonly table: TableId;
  readonly range: TimeRange;
  readonly runId: string;
  readonly token: number;
  /** Random, 63 bits as decimal text: xor over a table's rows names the state of its data. */
  readonly dataVersion: string;
}

/** 63 random bits as decimal text. */
export function randomDataVersion(): string {
  const [bits = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return (bits >> 1n).toString();
}

/** What the ledger says of one table. */
export interface LedgerSummary {
  readonly table: TableId;
  /** Everything ever filled. */
  readonly filled: RangeSet;
  /** Filled with a greater fencing token than the one given for this table (see `ledger`). */
  readonly filledSince: RangeSet;
  /** `<count>:<xor>` over its ledger rows: changes with every write. */
  readonly dataVersion: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Refuses (`engine.answer-too-large`) instead of growing without bound. */
  readonly rowsMax?: number;
}

/** A table in a text of SQL: where its name stands there, in UTF-16 units, quotes included. */
export interface TableInSql {
  /** Without quotes, as the engine reads them: catalog and schema where they are written, then the name. */
  readonly parts: readonly string[];
  readonly start: number;
  readonly end: number;
  /** Whether the query gives it another name: a table without an alias needs its old name as one when it is replaced. */
  readonly hasAlias: boolean;
}

/** A place outside FROM that names a table with its schema: `marts.orders` in `marts.orders.order_id`. */
export interface MentionInSql {
  /** The parts of the table, as `TableInSql` has them. */
  readonly parts: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** A parameter in a text of SQL; one name may occur several times. */
export interface ParameterInSql {
  /** `1`, `2`, … for `?` and `$1`; the name for `$name`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** What the engine's own parser sees in a query of an untrusted caller. */
export interface InspectedSql {
  /** In the order of the text, without the CTEs of the query; the caller decides whether they may be read. */
  readonly tables: readonly TableInSql[];
  /** Of tables without an alias: when such a table is replaced, these places need the new name. */
  readonly mentions: readonly MentionInSql[];
  /** In the order of the text. A value put in such a place belongs in parentheses: `-?` with -1 would begin a comment. */
  readonly parameters: readonly ParameterInSql[];
  /** False when the same data can give another answer: `random()`, `now()`, a sample. */
  readonly isStable: boolean;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Deadline: then it is stopped as by the signal, and fails with `engine.timed-out`. */
  readonly timeoutMs?: number;
  /** The text of an untrusted caller, inspected earlier: it is refused, with a code of `inspect`, when a function it names means something else since. */
  readonly isInspected?: boolean;
  /** Tables whose data versions are returned, as of the transaction that reads the rows (snapshot isolation). */
  readonly versionsOf?: readonly TableId[];
}

/** A long answer as a stream with back-pressure: slow reading slows the engine, and a reader that stops too long ends it. */
export interface Reading {
  readonly columns: readonly AnswerColumn[];
  /** Of `versionsOf`, in its order, as `dataVersions` gives them; absent when they could not be read. */
  readonly versions?: readonly string[];
  /**
   * Whole lines, each a JSON array of a row's cells as `withCells` spells them. Must be iterated exactly once: leaving the loop
   * (or the signal) cancels the query. Failures of the query while it runs come from here.
   */
  readonly lines: AsyncIterable<Buffer>;
}

/** What a name means in a warehouse. A catalog with the name of a schema makes every name in the schema ambiguous. */
export type Occupant =
  | { readonly object: 'table' }
  /** With the SQL that the engine keeps of it. */
  | { readonly object: 'view'; readonly definition: string }
  | { readonly object: 'catalog'; readonly name: string };

/** A view of an environment as it was made: what it selects, from which relation. */
export interface MadeView {
  readonly view: Relation;
  readonly query: string;
  readonly from: Relation;
}

/** How a view, or the table it shows, differs from what was made. */
export type ViewDifference = { readonly view: Relation } & (
  | { readonly kind: 'other-query' }
  /** The table has no column of this name any more. */
  | { readonly kind: 'column-gone'; readonly column: string }
  /** Since the view was made, as far as the engine remembers what it was. */
  | { readonly kind: 'other-type'; readonly column: string; readonly was: string; readonly is: string }
);

/** A promotion as the warehouse records it; without `record` when an earlier version of Plinth made it. */
export interface RecordedPromotion {
  readonly environment: string;
  readonly promotionId: string;
  readonly record?: string;
}

/** What a warehouse answers: reading half. Failures have codes `engine.*`; `isRetryable` says that repeating the whole write may succeed. */
export interface EngineReader {
  readonly dialect: Dialect;
  readonly capabilities: EngineCapabilities;
  query(sql: string, options?: CallOptions): Promise<Answer>;
  /** Reads a query without planning it. Accepts one SELECT made of known harmless parts; everything else fails with a code `query.*` and its place. */
  inspect(sql: string): Promise<InspectedSql>;
  /**
   * Runs one SELECT in a transaction that only reads, for an answer of any length in constant memory. When it runs out of memory it fails with
   * `engine.out-of-memory`: `isRetryable` when a concurrent statement may be the cause.
   */
  read(sql: string, options?: ReadOptions): Promise<Reading>;
  /**
   * Plans a query without running it; throws the engine's error. Answers with its columns, unless the engine shows them only by
   * running it.
   */
  prepare(sql: string): Promise<readonly AnswerColumn[] | undefined>;
  /** The greatest fencing token of each table, by `tableKey`: the next lease must exceed it. */
  newestTokens(): Promise<ReadonlyMap<string, number>>;
  /** Columns of each relation that exists, by `relationText`. */
  columnsOf(relations: readonly Relation[]): Promise<ReadonlyMap<string, readonly AnswerColumn[]>>;
  /** Tables and views in schemas that begin with `plinth__`, and views in the schemas named. */
  relations(
    schemas: readonly string[],
  ): Promise<readonly { readonly relation: Relation; readonly object: 'table' | 'view' }[]>;
  /** The objects with these names, whichever program made them; by `relationText`, free names are absent. */
  occupants(relations: readonly Relation[]): Promise<ReadonlyMap<string, Occupant>>;
  /** Which of these views, and of the tables they show, another program has changed. Views and tables that are gone are left out. */
  viewDifferences(made: readonly MadeView[]): Promise<readonly ViewDifference[]>;
  /** For each of these relations, by `relationText`: a view outside Plinth's schemas that reads it, directly or through other views. */
  readersOf(relations: readonly Relation[]): Promise<ReadonlyMap<string, Relation>>;
  /**
   * What was written. `since` gives a token per `tableKey`: tables it does not name have an empty `filledSince`. `known`
   * gives data versions per `tableKey`: tables that still have them are left out. Without `tables`: all.
   */
  ledger(request?: {
    readonly tables?: readonly TableId[];
    readonly since?: ReadonlyMap<string, number>;
    readonly known?: ReadonlyMap<string, string>;
  }): Promise<readonly LedgerSummary[]>;
  /**
   * The state of each table's data, in their order: `<count>:<xor>` over its ledger rows, '' without any. The rows that any reader has
   * read, or got as committed, are never newer.
   */
  dataVersions(tables: readonly TableId[]): Promise<readonly string[]>;
  /** A SQL expression whose value changes with every write of one of these tables: it reads the ledger in the statement that contains it. */
  dataVersionSql(tables: readonly TableId[]): Promise<string>;
  /** The promotion whose views an environment shows, as written by `recordPromotion`. */
  promotionOf(environment: string): Promise<string | undefined>;
  /** The last promotion of every environment, with what it recorded; by name. */
  promotions(): Promise<readonly RecordedPromotion[]>;
  /** Readiness: fails when the warehouse cannot be read or written now (unreachable, file gone, disk full). Cheap, also under load. */
  checkUsable(): Promise<void>;
}

/** The port of a warehouse. */
export interface Engine extends EngineReader {
  /**
   * Executes `work` atomically. Calls on the session are queued in order and may be sent without waiting for each
   * answer; after one fails the rest is refused. Success is confirmed by reading the ledger rows back.
   * Engines without transactions give `work` a session that writes to another table and publish it at the end.
   */
  write<Result>(
    fences: readonly Fence[],
    work: (session: WriteSession) => Promise<Result>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Result>;
  /** From now on writes with older fencing tokens cannot commit, including writes already begun. */
  raiseFences(fences: readonly Fence[]): Promise<void>;
  /** The id this warehouse shares with its state; the first caller's `proposed` is kept forever. `hasLedger`: whether data was written before. */
  identity(proposed: string): Promise<{ readonly id: string; readonly hasLedger: boolean }>;
  close(): Promise<void>;
}

/** A column to create. */
export interface TableColumn extends AnswerColumn {
  readonly comment?: string;
}

export interface TableLayout {
  readonly partitionedBy?: readonly string[];
  readonly clusteredBy?: readonly string[];
  readonly properties?: Readonly<Record<string, string>>;
  readonly comment?: string;
}

/** How one column of a table changes. */
export type ColumnChange =
  | { readonly kind: 'add'; readonly column: TableColumn }
  | { readonly kind: 'widen'; readonly column: string; readonly type: string }
  | { readonly kind: 'drop'; readonly column: string };

export interface Merge {
  readonly columns: readonly string[];
  /** SQL expressions over the target's columns, unqualified. */
  readonly key: readonly string[];
  /** A query whose columns are `columns`; at most one row per key. */
  readonly source: string;
  /** SQL of WHEN clauses as users write them, with `source.` and `target.`; absent: update all columns, insert the rest. */
  readonly whenMatched?: string;
  /** Extra condition of the match, with `source.` and `target.`. */
  readonly filter?: string;
  /** A query with more rows than the source, whose keys are not missing in it: no WHEN clause for missing ones touches them. */
  readonly kept?: string;
}

/** The writing half, inside one transaction. Relations are quoted by the engine; texts of SQL are in its dialect. */
export interface WriteSession {
  /** A user's statement. */
  execute(sql: string): Promise<void>;
  query(sql: string): Promise<Answer>;
  createSchemas(schemas: readonly { readonly catalog?: string; readonly schema: string }[]): Promise<void>;
  /** Rebuilds the table from a query; answers with the number of rows. */
  replaceTable(table: Relation, query: string, layout?: TableLayout): Promise<number>;
  /** Leaves an existing table as it is. */
  createTable(table: Relation, columns: readonly TableColumn[], layout?: TableLayout): Promise<void>;
  insert(table: Relation, columns: readonly string[], query: string): Promise<number>;
  /** Without a condition: every row. */
  remove(table: Relation, condition?: string): Promise<number>;
  merge(table: Relation, merge: Merge): Promise<number>;
  replaceViews(
    views: readonly {
      readonly view: Relation;
      readonly query: string;
      readonly comment?: string;
      readonly columnComments?: Readonly<Record<string, string>>;
    }[],
  ): Promise<void>;
  alterTable(table: Relation, changes: readonly ColumnChange[]): Promise<void>;
  drop(
    relations: readonly { readonly relation: Relation; readonly object: 'table' | 'view' }[],
  ): Promise<void>;
  /** Drops empty schemas only: a schema that is not empty is refused, one that does not exist is not an error. */
  dropSchemas(schemas: readonly { readonly catalog?: string; readonly schema: string }[]): Promise<void>;
  recordLedger(rows: readonly LedgerRow[]): Promise<void>;
  /** Also removes the ledger rows of tables that are dropped permanently. */
  forgetTables(tables: readonly TableId[]): Promise<void>;
  /** `record` is stored with the id and replaces the earlier one. */
  recordPromotion(environment: string, promotionId: string, record?: string): Promise<void>;
  /** Views of environments (see `environmentViews`) were replaced or dropped, or show other columns: each gets another data version. */
  recordViews(views: readonly TableId[]): Promise<void>;
}

import type { Span, TableFunction, TableReference } from './tree.ts';

/** Columns of a table that a query may read, in order; types are canonical type texts (see types), 'UNKNOWN' when not known. */
export interface TableColumns {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Answers what columns a table has; undefined when they are unknown. The parts are as written, folded to lower case unless quoted. */
export type SchemaOf = (parts: readonly string[]) => TableColumns | undefined;

/** Answers what columns a file in FROM has, or a function that reads files; undefined when they are unknown. */
export type FileSchemaOf = (table: TableReference | TableFunction) => TableColumns | undefined;

/** How an output column comes from a source column. */
export type Transformation = 'identity' | 'derived' | 'aggregated';

/** A column of a table outside the query. `table` is the folded, dot-joined name as the query wrote it. */
export interface ColumnSource {
  readonly table: string;
  readonly column: string;
}

/** One column a query returns. */
export interface OutputColumn {
  readonly name: string;
  readonly type: string;
  /** Direct data lineage: the columns whose values flow into this one, sorted, without duplicates. */
  readonly sources: readonly ColumnSource[];
  readonly transformation: Transformation;
  /** Of the projection that makes it in the outermost select, for messages and comments. */
  readonly span: Span;
}

/** Something a reader of the query should know. `isCertain` is false where the engine might still accept it. */
export interface QueryProblem {
  readonly kind:
    | 'unknown-column'
    | 'ambiguous-column'
    | 'unknown-table-alias'
    | 'star-not-expanded'
    | 'star-without-from'
    | 'column-count'
    | 'duplicate-column'
    | 'too-deep'
    | 'too-much-work';
  readonly name: string;
  /** Names that would have resolved here. */
  readonly candidates: readonly string[];
  readonly isCertain: boolean;
  readonly span: Span;
}

/** All that can be known of a query without running it. */
export interface QueryFacts {
  readonly columns: readonly OutputColumn[];
  /** False when a star over an unknown table left the list of columns open. */
  readonly isComplete: boolean;
  /** Tables outside the query (CTE names taken out), folded and dot-joined, each with the columns the query reads anywhere (filters, joins and grouping included), sorted. */
  readonly reads: readonly {
    readonly table: string;
    readonly columns: readonly string[];
    readonly readsAll: boolean;
  }[];
  /**
   * Columns that decide which rows there are, how they are grouped or in which order they come: of filters, joins, groups, windows,
   * orders, DISTINCT and comparisons of rows, anywhere in the query; sorted. Every column reveals something of their values.
   */
  readonly deciding: readonly ColumnSource[];
  /** Those of `deciding` that joins compare; sorted. */
  readonly joining: readonly ColumnSource[];
  readonly problems: readonly QueryProblem[];
}

import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { Expression, Query, WindowSpec } from '../../../foundation/sql/tree.ts';
import type { SqlType } from '../../../foundation/sql/types/sql-type.ts';
import type { Term, Terms } from './terms.ts';

/** One column of a relation; without a name it stands for all columns that are not known by name. */
export interface ColumnTerm {
  readonly name: string | undefined;
  readonly value: Term;
}

/** What a query or table is: its rows, and the value of each column in them. */
export interface TableTerms {
  readonly rows: Term;
  readonly columns: readonly ColumnTerm[];
  /** The order in which ORDER BY lets the rows come: no part of what they are, but of what is chosen by it later. */
  readonly arrival?: Term;
}

/** One table of a FROM as the clauses of its select see it. */
export interface TermSource {
  /** Lower-case; empty when it has none. */
  readonly alias: string;
  /** Lower-case parts of a table without an alias. */
  readonly path: readonly string[];
  readonly columns: readonly ColumnTerm[];
  /** Names that a USING join shows through its left side only. */
  readonly hidden: Set<string>;
}

/** How a clause treats names of the select list: only earlier ones behind columns, all behind columns, or as rivals of columns. */
export type AliasUse = 'earlier' | 'after-columns' | 'rival';

/** Where names are looked up: one for each SELECT, lambda, and query around it. */
export interface TermScope {
  readonly parent: TermScope | undefined;
  readonly tables: CommonTables | undefined;
  readonly sources: TermSource[];
  /** Columns that USING or NATURAL made one of two. */
  readonly merged: Map<string, Term>;
  /** The place in FROM where the join that merged a name begins. */
  readonly mergedFrom: Map<string, number>;
  /** How the rows of the tables in FROM come, where an ORDER BY says so. */
  readonly arrivals: Term[];
  /** The value of an alias of the select list in the clause that asks; undefined when there is none. */
  alias: ((name: string) => Term | undefined) | undefined;
  aliasUse: AliasUse;
  /** How GROUP BY was written: DuckDB's choice between a column and an alias in HAVING depends on it. */
  groupText: string;
  /** Parameters of a lambda; such a scope has nothing else. */
  readonly variables: ReadonlySet<string> | undefined;
}

/** The common tables of one WITH, evaluated when first used. */
export interface CommonTables {
  readonly find: (name: string) => (() => TableTerms) | undefined;
}

/** What a clause may contain: aggregates fold `aggregateOver`, windows look at `windowOver`. */
export interface ClauseTerms {
  readonly scope: TermScope;
  readonly aggregateOver?: Term;
  readonly groupKeys?: ReadonlySet<Term>;
  readonly windowOver?: Term;
  readonly windows?: Windows;
  /** Collects what set-returning functions in the select list return. */
  readonly expanded?: Term[];
}

export type Windows = ReadonlyMap<string, WindowSpec>;

/** The work on one query; both queries of a comparison share the terms. */
export interface TermSession {
  readonly terms: Terms;
  readonly dialect: Dialect;
  /** The relation of a table outside the query. */
  readonly table: (parts: readonly string[]) => TableTerms;
  /** The value of a column of a table outside the query. */
  readonly column: (table: string, name: string) => Term;
  /** A value or choice that may differ each time; the ordinal distinguishes them. */
  readonly chosen: (reason: string, ...parts: readonly Term[]) => Term;
  readonly types: Map<Term, SqlType>;
  depth: number;
  /** Recursive tables around this place. */
  recursions: number;
  readonly value: (session: TermSession, clause: ClauseTerms, expression: Expression) => Term;
  readonly termsOf: (
    session: TermSession,
    query: Query,
    parent: TermScope | undefined,
    tables: CommonTables | undefined,
  ) => TableTerms;
}

export function newTermScope(parent: TermScope | undefined, tables: CommonTables | undefined): TermScope {
  return {
    parent,
    tables,
    sources: [],
    merged: new Map(),
    mergedFrom: new Map(),
    arrivals: [],
    alias: undefined,
    aliasUse: 'after-columns',
    groupText: '',
    variables: undefined,
  };
}

/** How the rows come that the clause's choices are made among. */
export function arrivalsAt({ scope }: ClauseTerms): readonly Term[] {
  let at: TermScope | undefined = scope;
  while (at?.variables !== undefined) at = at.parent;
  return at?.arrivals ?? [];
}

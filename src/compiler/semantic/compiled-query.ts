/*
 * From a question to SQL; pure, nothing is read or asked.
 *
 *   Project ── semanticIndex (once per load: expressions parsed, edges known) ──▶ SemanticIndex
 *   SemanticQuery ── compileQuery(index, query, options) ──▶ resolve ─▶ join paths ─▶ LogicalQuery ─▶ SQL tree ─▶ text
 */
import type { Relation } from '../../domain/relation.ts';
import type { Caller, QueryColumn } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { RollupTable } from './rollups/choose-rollup.ts';

/** What a query is compiled for. */
export interface CompileOptions {
  readonly dialect: Dialect;
  /** Where the rows of a model are: the view of an environment. */
  readonly relationOf: (model: string) => Relation;
  readonly caller: Caller;
  /** The instant relative dates refer to. */
  readonly now: number;
  /** Rollups that may answer, by lower-case `semantic_model.rollup`; absent: none. An answer without rows that came from one must be asked for again without them. */
  readonly rollups?: ReadonlyMap<string, RollupTable>;
  /** No limit unless the query has one (streamed answers). */
  readonly isUnlimited?: boolean;
}

/** A question in SQL. */
export interface CompiledQuery {
  readonly sql: string;
  /** Answers with one number, when the query asked for the total. */
  readonly totalSql?: string;
  readonly columns: readonly QueryColumn[];
  /** Models whose rows are read, each once. */
  readonly reads: readonly string[];
  /** Semantic models that it is about or comes by, each once. */
  readonly semantics: readonly string[];
  /** What the words of the question mean, each once: `model.member`, or a metric. */
  readonly members: readonly string[];
  /** `semantic_model.rollup` that answers in place of the model's rows; of several facts with commas between them. */
  readonly rollup?: string;
  /** What the reader of the answer should know, for instance filters that were ignored. */
  readonly notes: readonly string[];
  /** The logical query in words, one line each, for `--explain`. */
  readonly explanation: readonly string[];
}

export type CompileResult =
  | { readonly ok: true; readonly compiled: CompiledQuery }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

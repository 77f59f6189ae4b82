/*
 * What this process has worked out about one product and may need again. All of it can be worked out again: an entry that goes costs
 * time, never an answer. Made where a product is opened; every cache has a bound, and `/metrics` shows its figures.
 */
import type { SearchIndex } from '../compiler/catalog/search.ts';
import type { ColumnsByModel } from '../compiler/semantic/access/column-flow.ts';
import type { CompileResult } from '../compiler/semantic/compiled-query.ts';
import type { StatementContext } from '../compiler/semantic/statement-context.ts';
import type { AppliedProduct } from '../domain/applied-product.ts';
import type { InspectedSql } from '../domain/engine.ts';
import type { Failure } from '../domain/failure.ts';
import type { Identity } from '../domain/principal.ts';
import type { Caller } from '../domain/semantic-query.ts';
import type { Semantics } from '../domain/semantics.ts';
import type { Statement } from '../domain/statement.ts';
import type { VisibleSemantics } from '../domain/visible-semantics.ts';
import { BoundedCache } from '../foundation/bounded-cache.ts';

/** An identity as the product sees it, by the `access` of its config.yaml. */
export interface CallerAccess {
  readonly caller: Caller;
  readonly environments: ReadonlySet<string>;
}

/** A question that was compiled, and the semantics that it was compiled from. */
export interface CompiledBefore {
  readonly semantics: Semantics;
  readonly result: CompileResult;
}

export interface ProductCaches {
  readonly callers: BoundedCache<Identity, CallerAccess>;
  /** By environment. */
  readonly contexts: BoundedCache<string, Promise<StatementContext>>;
  /** By question, groups and environment. */
  readonly compiled: BoundedCache<string, CompiledBefore>;
  /** What the engine said of texts. */
  readonly inspected: BoundedCache<string, InspectedSql>;
  /** Texts that the engine could not read in time, by their hash. */
  readonly refused: BoundedCache<string, { readonly why: Failure; readonly until: number }>;
  /** Columns that answers rest on, by the text of the question as the engine gets it. */
  readonly used: BoundedCache<
    string,
    { readonly context: StatementContext; readonly columns: Promise<ColumnsByModel> }
  >;
  /** How new the rows of models are, by what they are and by the state of their data; for a minute. */
  readonly newest: BoundedCache<string, Promise<number | undefined>>;
  /** Whether the last caller who read a statement may see its words. The store hands out the same object while nothing has changed. */
  readonly verdicts: BoundedCache<Statement, AccessVerdict>;
  /** Statements without their words. */
  readonly withheld: BoundedCache<Statement, Statement>;
  /** Statements for readers without permission for activity. */
  readonly unnamed: BoundedCache<Statement, Statement>;
  /** Semantics as callers may see them, by environment and what the policies say of the caller. */
  readonly views: BoundedCache<string, { readonly semantics: Semantics; readonly view: VisibleSemantics }>;
  /** By environment. */
  readonly applied: BoundedCache<string, Promise<AppliedProduct>>;
  /** What callers with the same view may see of an applied product. */
  readonly parts: BoundedCache<
    VisibleSemantics,
    { readonly applied: AppliedProduct; readonly part: AppliedProduct }
  >;
  readonly searches: BoundedCache<AppliedProduct, SearchIndex>;
}

export interface AccessVerdict {
  readonly context: StatementContext;
  readonly asker: Identity;
  readonly refusal: Failure | undefined;
}

export const productCaches = (): ProductCaches => ({
  callers: new BoundedCache(1000),
  contexts: new BoundedCache(50),
  compiled: new BoundedCache(1000),
  inspected: new BoundedCache(500),
  refused: new BoundedCache(500),
  used: new BoundedCache(1000),
  newest: new BoundedCache(500),
  verdicts: new BoundedCache(1000),
  withheld: new BoundedCache(500),
  unnamed: new BoundedCache(500),
  views: new BoundedCache(500),
  applied: new BoundedCache(50),
  parts: new BoundedCache(200),
  searches: new BoundedCache(50),
});

/** Forgets what was worked out from a context that is out of date: it would keep the semantics of before in memory. */
export function forgetContext(
  { compiled, used, verdicts, views }: ProductCaches,
  old: StatementContext,
): void {
  compiled.forget(({ semantics }) => semantics === old.semantics);
  views.forget(({ semantics }) => semantics === old.semantics);
  verdicts.forget(({ context }) => context === old);
  used.forget(({ context }) => context === old);
}

/** Forgets what was worked out from a product as it was applied before. */
export function forgetApplied({ parts, searches }: ProductCaches, old: AppliedProduct): void {
  parts.forget(({ applied }) => applied === old);
  searches.forget((_, { environment }) => environment === old.environment);
}

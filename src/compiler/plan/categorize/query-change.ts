import type { Model } from '../../../domain/model.ts';

/** What is compared: a model with its expanded query and what is known of the tables it reads. */
export interface ComparedModel {
  readonly model: Model;
  /** The query after macro expansion with fixed times, in the model's dialect. */
  readonly query: string;
  /** Columns of a table in order, by the name in `model.dependencies`; undefined when they are not all known. */
  readonly columnsOf: (table: string) => readonly string[] | undefined;
  /** Canonical type text of one column where it is known: without it a cast to the column's own type counts as a change. */
  readonly typeOf?: (table: string, column: string) => string | undefined;
}

/**
 * What a change does to the rows of a query:
 *
 *   same       the same rows in the same columns: nothing has to be built
 *   additive   projected on all columns there were before, together, the same multiset of rows (columns may have been added or moved)
 *   columns    the same, for all columns together but those in `changed` and `removed`
 *   rows       nothing is proven
 *
 * A projection that may fail (a cast, a division) counts as a column like any other: it decides whether the build works, not which rows it gives.
 */
export interface QueryChange {
  readonly kind: 'same' | 'additive' | 'columns' | 'rows';
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** In plain words, naming the column or clause; the plan shows it. */
  readonly reason: string;
}

/** A change of a table that a query reads. */
export interface UpstreamEffect {
  /** The name in `model.dependencies` of the reader. */
  readonly table: string;
  readonly change: QueryChange;
  /** Its columns before the change, in order; worked out from the change where that is possible when absent. */
  readonly columnsBefore?: readonly string[];
}

/** Nothing has to be built. */
export function same(reason: string): QueryChange {
  return { kind: 'same', added: [], removed: [], changed: [], reason };
}

/** Names are compared as the engines we speak to compare unquoted ones. */
export const folded = (name: string): string => name.toLowerCase();

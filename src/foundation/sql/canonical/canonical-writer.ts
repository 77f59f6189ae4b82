import { type Dialect, lexicalRules } from '../dialect.ts';
import type { Expression, GroupItem, Identifier, OrderItem, Projection, Query, TypeName, WindowSpec } from '../tree.ts';

/** The string being built, and how the dialect compares names; parts of a query call each other through it. */
export interface CanonicalWriter {
  out: string;
  readonly dialect: Dialect;
  readonly write: CanonicalParts;
  /** Columns, aliases, CTEs and functions: folded as the dialect compares them. */
  readonly name: (identifier: Identifier) => void;
  /** Tables: engines with case-sensitive table names keep their case. */
  readonly tableName: (identifier: Identifier) => void;
}

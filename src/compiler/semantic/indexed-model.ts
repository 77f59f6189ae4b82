import type {
  Dimension,
  DimensionType,
  Measure,
  Policy,
  Segment,
  SemanticModel,
} from '../../domain/semantic-model.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import type { Edge, Path } from '../load/yaml/join-graph.ts';

export type { Edge, Path } from '../load/yaml/join-graph.ts';

/** A semantic model with its names looked up; names compare in lower case. */
export interface IndexedModel {
  readonly name: string;
  readonly semantic: SemanticModel;
  /** The model whose rows it describes. */
  readonly model: string;
  /** Dialect its expressions are written in. */
  readonly dialect: Dialect;
  /** Canonical types by lower-case name. */
  readonly columns: ReadonlyMap<string, IndexedColumn>;
  /** False when the model may have unknown columns. */
  readonly knowsColumns: boolean;
  /** Columns that identify a row; empty when none are declared. */
  readonly key: readonly string[];
  /** By lower-case name, the implied `count` included. */
  readonly members: ReadonlyMap<string, IndexedMember>;
  /** Every way out of it, over its own joins and over those of others that lead to it. */
  readonly edges: readonly Edge[];
  /** Sets of policies that hold together: its own and those of another environment; none is empty. */
  readonly policySets: readonly (readonly Policy[])[];
  /** Denied to callers from whom another environment's policies hide the rows below, although it does not have this semantic model. */
  readonly isClosedTo?: (caller: Caller) => boolean;
}

export interface IndexedColumn {
  readonly name: string;
  readonly type: string;
}

/** What a name inside a semantic model means. `count` without a definition has no `measure`. */
export type IndexedMember =
  | { readonly kind: 'measure'; readonly name: string; readonly measure?: Measure }
  | {
      readonly kind: 'dimension';
      readonly name: string;
      readonly dimension?: Dimension;
      readonly declaredType?: DimensionType;
    }
  | { readonly kind: 'segment'; readonly name: string; readonly segment: Segment };

/** An expression over one row of a semantic model: in `tree` the columns named like a slot stand for a column at the end of a path from that row. */
export interface RowExpression {
  readonly tree: Expression;
  readonly slots: ReadonlyMap<string, Slot>;
  /** Canonical type text, UNKNOWN when it is not known. */
  readonly type: string;
  /** Why it cannot be used. */
  readonly problem?: Diagnostic;
}

export interface Slot {
  readonly path: Path;
  readonly column: string;
  readonly type: string;
}

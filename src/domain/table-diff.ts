import type { Answer, AnswerColumn } from './engine.ts';
import type { Relation } from './relation.ts';

export interface TableDiffRequest {
  readonly source: Relation;
  readonly target: Relation;
  /** Columns that identify a row. */
  readonly key: readonly string[];
  /** Only rows for which this holds. */
  readonly where?: string;
  readonly samplesMax: number;
  /** Columns that are not compared. */
  readonly skipped?: readonly string[];
  /** Fractions are rounded to so many places before they are compared; exact when absent. */
  readonly decimals?: number;
}

/** How two tables differ. A key that is not unique on a side is counted there, because its rows cannot be paired. */
export interface TableDiff {
  readonly columns: {
    readonly added: readonly AnswerColumn[];
    readonly removed: readonly AnswerColumn[];
    readonly retyped: readonly { readonly name: string; readonly source: string; readonly target: string }[];
  };
  readonly rows: Readonly<
    Record<
      'source' | 'target' | 'equal' | 'different' | 'onlySource' | 'onlyTarget' | 'duplicateKeys',
      number
    >
  >;
  /** Rows that differ, by column; only columns of both sides. */
  readonly differing: readonly { readonly column: string; readonly rows: number }[];
  readonly samples: {
    readonly different?: Answer;
    readonly onlySource?: Answer;
    readonly onlyTarget?: Answer;
  };
}

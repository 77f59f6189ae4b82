import type { TableSource } from '../../compiler/render/render-snapshot.ts';
import type { CompileContext } from '../../compiler/resolve/compile-context.ts';
import type { TableId } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { RangeSet, TimeRange } from '../../foundation/time/ranges.ts';
import type { ShownNames } from './shown-names.ts';

/** What to write: a snapshot's rows of one interval into its table. */
export interface Batch {
  readonly content: SnapshotContent;
  readonly compileContext: CompileContext;
  readonly table: TableId;
  readonly range: TimeRange;
  /** The table was never written, or starts again: it is made, whatever exists there. */
  readonly isFirst: boolean;
  readonly executionTime: number;
  readonly environment: string;
  readonly runId: string;
  readonly token: number;
  readonly tableOf: (model: string) => TableSource | undefined;
  /** What the model's statements may not change. */
  readonly shown: () => Promise<ShownNames>;
  /** Only the table and its columns. */
  readonly isEmpty: boolean;
  /** Rows of the range may already be there: history kinds then start again. */
  readonly isRestatement: boolean;
  readonly filled: RangeSet;
  /** Audits that a later stage runs. */
  readonly laterAudits?: readonly string[];
  /** Of a rollup: SQL of the data versions it is made from. */
  readonly sourceSql?: string;
}

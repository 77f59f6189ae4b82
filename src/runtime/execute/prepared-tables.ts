import type { Fence, LedgerSummary } from '../../domain/engine.ts';
import type { BackfillStage } from '../../domain/plan.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import type { NamesOf } from './contents.ts';

/** What names mean in an environment that demands something. */
export type NamesIn = (environment: string) => Promise<NamesOf | undefined>;

/** A stage with the demands of the moment at which its leases were taken. */
export interface DemandedStage {
  readonly stage: BackfillStage;
  readonly namesIn: NamesIn;
  /** Lets go of the views that other stages of this run may be waiting for; absent: none can wait. */
  readonly unlock?: () => void;
}

/** What a stage has in hand before it begins. */
export interface PreparedTables extends DemandedStage {
  readonly held: HeldTables;
  readonly opened: OpenTables;
}

/** Leases of tables with what is intended under them. */
export interface HeldTables {
  readonly intentId: string;
  readonly fences: readonly Fence[];
  /** What environments showed when the leases were taken (see `promotionMark`). */
  readonly mark: string;
}

export interface OpenTable {
  readonly fence: Fence;
  /** Everything ever filled, own writes included. */
  filled: RangeSet;
  /** Filled since a restatement of this table was asked for. */
  readonly filledSince: RangeSet;
  /** Waiting to be filled again. */
  readonly pending: RangeSet;
  /** As the ledger names the state of the table's data. */
  dataVersion: string;
  /** What turned out to be filled after the table was opened, other than by a write that was known to succeed. */
  foundLater: RangeSet;
  readonly summary: LedgerSummary | undefined;
}

export type OpenTables = ReadonlyMap<string, OpenTable>;

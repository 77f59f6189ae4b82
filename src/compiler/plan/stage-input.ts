import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { StageWork } from '../../domain/plan.ts';
import type { TableId, ViewNaming } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';

/** Everything the stages of a plan or run are made of. */
export interface StageInput {
  /** The environment that is planned or run. */
  readonly environment: string;
  /** Every model of it as it will be, EMBEDDED and EXTERNAL ones too, in any order: what names mean while building. */
  readonly models: readonly BuiltModel[];
  /** Ranges to fill, by model name. An empty set only makes the table; a model that is absent is not written. */
  readonly missing: ReadonlyMap<string, RangeSet>;
  /** What is filled, by `tableKey`, less what must be filled again: the same that `missing` was computed from. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  /** What was filled once and is filled again, by `tableKey`. */
  readonly restated?: ReadonlyMap<string, RangeSet>;
  /** `--empty-backfill`. */
  readonly isEmpty?: boolean;
  /** All environments as they are shown now, this one included. */
  readonly environments: readonly Environment[];
  /** Snapshots of all their entries, by fingerprint. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Standalone audits of the environment as it will be. */
  readonly standalone?: readonly EnvironmentEntry[];
  /** Tables whose columns change in place. */
  readonly migrations?: readonly Migration[];
  readonly promote?: Omit<Extract<StageWork, { kind: 'promote' }>, 'kind'>;
  readonly beforeAll: readonly string[];
  readonly afterAll: readonly string[];
  readonly naming: (environment: string) => ViewNaming;
  /** `run.max_parallel`: batches of one model that may run side by side. */
  readonly concurrency: number;
}

/** One model of the environment as it will be. */
export interface BuiltModel {
  readonly snapshot: Snapshot;
  readonly entry: EnvironmentEntry;
}

/** A table that a snapshot inherited and whose columns it changes. */
export interface Migration {
  readonly table: TableId;
  readonly fingerprint: string;
  readonly allowDestructive: boolean;
}

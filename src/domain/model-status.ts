import type { RangeSet } from '../foundation/time/ranges.ts';
import type { Environment } from './environment.ts';
import type { Lease } from './lease.ts';
import type { Run } from './run.ts';
import type { Snapshot } from './snapshot.ts';

/** One model as an environment shows it: `late` is due for longer than a whole unit, `stale` is older than its `freshness`, `broken` failed when it was last filled. */
export interface ModelStatus {
  readonly model: string;
  readonly kind: Snapshot['kind'];
  readonly status: 'fine' | 'due' | 'late' | 'stale' | 'waiting' | 'running' | 'broken';
  readonly missing: RangeSet;
  /** Where the filled time ends; absent for kinds without time and for empty tables. */
  readonly filledUntil?: number;
  /** What it waits for, or what was wrong. */
  readonly detail?: string;
  readonly runId?: string;
}

export interface EnvironmentStatus {
  readonly environment: Environment;
  /** Who changes it at this moment. */
  readonly holder?: Lease;
  /** The last thing that was tried, also a plan that was not promoted. */
  readonly lastRun?: Run;
  readonly models: readonly ModelStatus[];
  /** What each model reads, of all that the environment shows. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
}

/** A range that ends later means the whole table, not a time. */
const FAR_FUTURE = 253_402_300_800_000;

/** Where the filled time of a table ends; undefined for one without time, or never filled. */
export function endOfTime(filled: RangeSet | undefined): number | undefined {
  const end = filled?.at(-1)?.end;
  return end === undefined || end >= FAR_FUTURE ? undefined : end;
}

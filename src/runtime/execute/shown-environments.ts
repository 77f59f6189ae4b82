import type { Environment } from '../../domain/environment.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { NamesOf } from './contents.ts';

/** What environments show and demand at a moment. */
export interface ShownEnvironments {
  readonly environments: readonly Environment[];
  /** Promotions that were begun and may have happened, as environments with a name of their own; without this run's. */
  readonly begun: readonly Environment[];
  /** Of all entries of both, and of what this run builds. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** What names mean in one of them; undefined when there is none of this name. */
  namesIn(environment: string): Promise<NamesOf | undefined>;
}

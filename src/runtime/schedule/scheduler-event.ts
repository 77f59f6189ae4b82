import type { Lease } from '../../domain/lease.ts';
import type { Run } from '../../domain/run.ts';

/** Something that happens while environments are kept up to date; times are wall time. */
export type SchedulerEvent =
  /** Another scheduler is the leader; this one takes over when it falls silent. */
  | { readonly event: 'scheduler.following'; readonly leader: Lease }
  | { readonly event: 'scheduler.leading'; readonly token: number }
  /** This process was silent for too long, and another is the leader now; runs that go on are finished. */
  | { readonly event: 'scheduler.lost-lead'; readonly leader: Lease }
  /** When each environment is due next; reported whenever that changes. */
  | { readonly event: 'scheduler.next-due'; readonly environments: readonly DueEnvironment[] }
  | {
      readonly event: 'scheduler.run-started';
      readonly environment: string;
      readonly executionTime: number;
      /** The first tick it answers; absent when this process has just become the leader and looks for what was missed. */
      readonly dueSince?: number;
    }
  /** `run` is absent when nothing was due. `retryAt`: the run failed for a transient failure, and is made again then. */
  | {
      readonly event: 'scheduler.run-finished';
      readonly environment: string;
      readonly run?: Run;
      readonly retryAt?: number;
    }
  /** The run could not be made; `retryAt` is when it is tried again. */
  | {
      readonly event: 'scheduler.run-failed';
      readonly environment: string;
      readonly error: unknown;
      readonly retryAt?: number;
    }
  /** State could not be asked; tried again shortly. */
  | { readonly event: 'scheduler.state-failed'; readonly error: unknown }
  | { readonly event: 'scheduler.stopped' };

/** One environment in the list of what comes next. */
export interface DueEnvironment {
  readonly environment: string;
  readonly at: number;
  /** Models whose schedules tick then; empty when it is tried again after a failure, or waits for signals. */
  readonly models: readonly string[];
}

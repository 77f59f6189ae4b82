import type { StatementLimits } from '../domain/server-limits.ts';
import { EventTail } from '../runtime/event-tail.ts';
import type { StatementExecutor } from '../runtime/statements/statement-executor.ts';
import { WorkQueue } from '../runtime/work-queue.ts';
import type { OpenedWorldReader } from './open-world.ts';

/** A run of this process. */
export interface RunHandle {
  /** Begins nothing new. */
  readonly stop: AbortController;
  /** Gives up what runs. */
  readonly cancel: AbortController;
  readonly ended: Promise<void>;
}

/** The executor of this process for the statements of one product. */
export interface OpenedExecutor {
  readonly executor: StatementExecutor;
  readonly limits: StatementLimits;
  /** When it has taken over what was left. */
  readonly opened: Promise<void>;
}

/** What goes on of one product in this process. Made where the product is opened; it ends with the process, and others take it over. */
export interface OngoingWork {
  /** Absent before the first question. */
  statements?: OpenedExecutor | undefined;
  /** Runs that can be cancelled, by id. */
  readonly runs: Map<string, RunHandle>;
  /** Plans that are made for callers. */
  readonly plans: WorkQueue;
  /** Told when the event log has grown. */
  readonly eventTail: EventTail;
}

export const noOngoingWork = ({ state }: OpenedWorldReader): OngoingWork => ({
  runs: new Map(),
  plans: new WorkQueue(),
  eventTail: new EventTail(state.events),
});

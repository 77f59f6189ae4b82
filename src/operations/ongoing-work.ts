import type { StatementLimits } from '../domain/server-limits.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { EventTail } from '../runtime/event-tail.ts';
import type { CheckTally } from '../runtime/quality/run-checks.ts';
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

/** A check run that a caller has asked for. */
export interface AskedChecks {
  readonly id: string;
  readonly environment: string;
  /** How many it looks at; 0 before that is known. */
  models: number;
  readonly startedAt: number;
  /** Absent while it runs. */
  end?: ChecksEnd;
  readonly ended: Promise<void>;
}

export interface ChecksEnd {
  readonly at: number;
  /** How many checks ended in each way; absent when it could not go on. */
  readonly tally?: CheckTally;
  /** Ids of incidents. */
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  readonly error?: Diagnostic;
  /** It was stopped before it was done. */
  readonly isInterrupted?: true;
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
  /** Plans that are made for callers, and lint and tests of the folder. */
  readonly plans: WorkQueue;
  /** Check runs that callers have asked for, by id; the last ones that have ended among them. */
  readonly checks: Map<string, AskedChecks>;
  /** Told when the event log has grown. */
  readonly eventTail: EventTail;
}

export const noOngoingWork = ({ state }: OpenedWorldReader): OngoingWork => ({
  runs: new Map(),
  plans: new WorkQueue(),
  checks: new Map(),
  eventTail: new EventTail(state.events),
});

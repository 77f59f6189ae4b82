import type { QualityEvent } from '../../domain/check-event.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import type { RunHandle } from '../ongoing-work.ts';

/** What a worker looks after, and who hears of it. */
export interface WorkerRequest {
  readonly who: string;
  readonly environments: readonly string[];
  /** Ends the worker; runs finish what they have begun. */
  readonly stop: AbortSignal;
  /** Also gives up what runs. */
  readonly cancel: AbortSignal;
  /** Shows what happens inside the runs. */
  readonly onRunEvent: (event: RunEvent | QualityEvent) => void;
  /** Told of each run that begins, and how it can be given up. */
  readonly onRunning?: (run: Run, handle: RunHandle) => void;
}

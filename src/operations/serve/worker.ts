import { LEASE_MS } from '../../domain/lease.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { type ScheduledRun, schedule } from '../../runtime/schedule/schedule.ts';
import type { SchedulerEvent } from '../../runtime/schedule/scheduler-event.ts';
import { dueWork } from '../change/due-work.ts';
import { run } from '../change/run.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { RunHandle } from '../underway.ts';

export type { SchedulerEvent };

export interface WorkerRequest {
  readonly who: string;
  readonly environments: readonly string[];
  /** Ends the worker; runs finish what they have begun. */
  readonly stop: AbortSignal;
  /** Also gives up what runs. */
  readonly cancel: AbortSignal;
  /** Shows what happens inside the runs. */
  readonly onRunEvent: (event: RunEvent) => void;
  /** Told of each run that begins, and how it can be given up. */
  readonly onRunning?: (run: Run, handle: RunHandle) => void;
}

/** Runs what is due for as long as it is not stopped, and yields what the scheduler decides. */
export function worker(world: OpenedWorld, request: WorkerRequest): AsyncGenerator<SchedulerEvent, void> {
  const { environments, ...how } = request;
  return schedule(
    {
      snapshots: world.state.snapshots,
      journal: world.state.journal,
      clock: world.clock,
      run: (environment, executionTime) => scheduledRun(world, { environment, executionTime }, how),
    },
    {
      holder: newId('r', world.clock.now()),
      who: how.who,
      signal: how.stop,
      environments,
      jitterSeed: world.state.warehouseId,
    },
  );
}

/** One run as the scheduler wants it: none when nothing is due. It waits for the lease of a run that died with the leader before. */
export async function scheduledRun(
  world: OpenedWorld,
  request: { readonly environment: string; readonly executionTime: number },
  { who, stop, cancel, onRunEvent, onRunning }: Omit<WorkerRequest, 'environments'>,
): Promise<ScheduledRun> {
  const due = await dueWork(world, request);
  const waiting = due.waiting.filter(({ kind }) => kind === 'signal').map(({ model }) => model);
  for (const event of due.recovered) onRunEvent(event);
  if (due.stages.length === 0) return { waiting };
  const own = { stop: new AbortController(), cancel: new AbortController() };
  const signal = {
    stop: AbortSignal.any([stop, own.stop.signal]),
    cancel: AbortSignal.any([cancel, own.cancel.signal]),
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const events = run(world, { ...due, recovered: [] }, { who, signal, waitMs: LEASE_MS });
  try {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return { run: next.value, waiting };
      if (next.value.event === 'run.started') onRunning?.(next.value.run, { ...own, ended });
      onRunEvent(next.value);
    }
  } finally {
    end();
  }
}

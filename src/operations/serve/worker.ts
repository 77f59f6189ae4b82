import { schedule } from '../../runtime/schedule/schedule.ts';
import type { SchedulerEvent } from '../../runtime/schedule/scheduler-event.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import { watchFreshness } from '../quality/watch-freshness.ts';
import { scheduledRun } from './scheduled-run.ts';
import type { WorkerRequest } from './worker-request.ts';

/** Runs what is due for as long as it is not stopped, and yields what the scheduler decides. */
export async function* worker(
  world: OpenedWorld,
  request: WorkerRequest,
): AsyncGenerator<SchedulerEvent, void> {
  const { environments, stop } = request;
  const left = new AbortController();
  const watching = watchFreshness(world, environments, AbortSignal.any([stop, left.signal]));
  try {
    yield* scheduled(world, request);
  } finally {
    left.abort();
    await watching;
  }
}

function scheduled(world: OpenedWorld, request: WorkerRequest): AsyncGenerator<SchedulerEvent, void> {
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
